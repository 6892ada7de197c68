#include "capture/captured_products.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

std::optional<DataType> type_of(int32_t number) {
  switch (number) {
    case blas::kBF16: return DataType::BF16;
    case blas::kF16: return DataType::F16;
    case blas::kF32: return DataType::F32;
    case blas::kE4M3: return DataType::E4M3;
    case blas::kE5M2: return DataType::E5M2;
    default: return std::nullopt;
  }
}

std::string type_text(int32_t number) {
  if (const auto type = type_of(number)) return to_string(*type);
  switch (number) {
    case blas::kF64: return "f64";
    case blas::kS8: return "int8";
    case blas::kComplexF32: return "complex f32";
    case blas::kComplexF64: return "complex f64";
    default: return format("CUDA type {}", number);
  }
}

// An operand of the call, as the product's A (m x k) or B (k x n) sees it.
struct CallOperand {
  int32_t type;
  int32_t operation;
  int32_t order;
  int32_t scale;
};

// Throws a usage error with the reason for a mode that the operand cannot have.
OperandScale scale_of_mode(int32_t mode, Operand operand) {
  switch (mode) {
    case -1: return OperandScale::None;
    case blas::kScaleOfTensor: return OperandScale::Tensor;
    case blas::kScaleOfLines: return OperandScale::Line;
    case blas::kScaleOf128: return OperandScale::Vector;
    case blas::kScaleOf128x128:
      if (operand == Operand::B) return OperandScale::BlockPadded;
      throw usage_error("A has a scale for each 128x128");
    default: throw usage_error(format("scales of mode {}", mode));
  }
}

// Throws a usage error with the reason where the kind is none of the project's.
void read_types(ProductKind& kind, const BlasCall& call, int32_t a, int32_t b) {
  if (a != b) throw usage_error(format("A is {} and B is {}", type_text(a), type_text(b)));
  const auto operand = type_of(a);
  if (!operand || !tw::record_of(*operand).operand) {
    throw usage_error(format("operands of {}", type_text(a)));
  }
  const auto output = type_of(call.type_d);
  if (!output || !tw::record_of(*output).output) {
    throw usage_error(format("D of {}", type_text(call.type_d)));
  }
  if (call.sums == blas::kSumsF16 || call.sums == blas::kSumsF16Pedantic) {
    throw usage_error("sums in f16");
  }
  kind.dtype = *operand;
  kind.epilogue.out_dtype = *output;
  if (call.beta != 0 && type_of(call.type_c) != addend_type(kind)) {
    throw usage_error(
        format("C of {} beside operands of {}", type_text(call.type_c), type_text(a)));
  }
  if (bytes_of(kind.dtype) == 1) {
    kind.accumulation = call.fast_sums != 0 ? Accumulation::Fast : Accumulation::Promoted;
  }
}

void read_epilogue(Epilogue& epilogue, const BlasCall& call, bool is_swapped) {
  const int32_t activation = call.epilogue & ~blas::kBias & ~blas::kNoEpilogue;
  if (activation != 0 && activation != blas::kRelu && activation != blas::kGelu) {
    throw usage_error(format("epilogue {} of cuBLASLt, of a backward pass or with a second output",
                             call.epilogue));
  }
  epilogue.alpha = call.alpha;
  epilogue.beta = call.beta;
  epilogue.activation = activation == 0             ? Activation::None
                        : activation == blas::kRelu ? Activation::Relu
                                                    : Activation::Gelu;
  // The library's bias has an element for each row of its D.
  const bool is_biased = (call.epilogue & blas::kBias) != 0;
  epilogue.bias = is_biased && is_swapped;
  epilogue.row_bias = is_biased && !is_swapped;
  epilogue.scale_d = call.scale_d != 0 && bytes_of(*epilogue.out_dtype) == 1;
  epilogue.absmax = call.absmax != 0;
}

void require_known_bias(const ProductKind& kind, const BlasCall& call) {
  const bool is_biased = (call.epilogue & blas::kBias) != 0;
  const bool is_of_addend = call.bias_type < 0 || type_of(call.bias_type) == addend_type(kind);
  if (!is_biased || is_of_addend) return;
  throw usage_error(format("a bias of {} beside operands of {}", type_text(call.bias_type),
                           to_string(kind.dtype)));
}

MatrixLayout layout_of(bool k_major_a, bool k_major_b) {
  if (k_major_a) return k_major_b ? MatrixLayout::TN : MatrixLayout::TT;
  return k_major_b ? MatrixLayout::NN : MatrixLayout::NT;
}

void require_sizes(const BlasCall& call) {
  if (call.grouped != 0) throw usage_error("a group of products in one call of cuBLAS");
  for (const int64_t size : {call.m, call.n, call.k, call.batch}) {
    if (size <= 0) throw usage_error("a size of 0");
    if (size > std::numeric_limits<int32_t>::max()) throw usage_error("a size beyond 2^31");
  }
  if (call.batch > kMaxProducts) {
    throw usage_error(format("a batch of more than {} products", kMaxProducts));
  }
}

bool is_simple(const BlasCall& call) {
  const auto is_line_order = [](int32_t order) {
    return order == blas::kByColumns || order == blas::kByRows;
  };
  return is_line_order(call.order_a) && is_line_order(call.order_b) &&
         is_line_order(call.order_d) && (call.beta == 0 || call.order_c == call.order_d);
}

// Throws a usage error with the reason.
Workload workload_of_call(const BlasCall& call) {
  require_sizes(call);
  if (!is_simple(call)) throw usage_error("matrices in blocks, or C in another order than D");
  if (call.factors_on_device > 1) throw usage_error("a factor for each row of D");
  const bool is_swapped = call.order_d == blas::kByColumns;
  CallOperand a = {call.type_a, call.operation_a, call.order_a, call.scale_a};
  CallOperand b = {call.type_b, call.operation_b, call.order_b, call.scale_b};
  // k is the second dimension of op(A) and the first of op(B).
  bool k_major_a = (a.order == blas::kByColumns) == (a.operation != blas::kPlain);
  bool k_major_b = (b.order == blas::kByColumns) == (b.operation == blas::kPlain);
  if (is_swapped) {
    std::swap(a, b);
    std::swap(k_major_a, k_major_b);
  }
  ProductKind kind{.layout = layout_of(k_major_a, k_major_b)};
  read_types(kind, call, a.type, b.type);
  read_epilogue(kind.epilogue, call, is_swapped);
  require_known_bias(kind, call);
  if (bytes_of(kind.dtype) == 1) {
    kind.epilogue.scale_a = scale_of_mode(a.scale, Operand::A);
    kind.epilogue.scale_b = scale_of_mode(b.scale, Operand::B);
  }
  const GemmShape shape = {is_swapped ? call.n : call.m, is_swapped ? call.m : call.n, call.k};
  Workload workload{.kind = normalised(kind),
                    .shapes = std::vector(static_cast<size_t>(call.batch), shape)};
  if (const auto rejection = reject_workload_kind(workload)) throw usage_error(rejection->reason);
  return workload;
}

template <class Counted, class Is>
void add_calls(std::vector<Counted>& all, int64_t calls, const Counted& one, const Is& is_same) {
  const auto found = std::find_if(all.begin(), all.end(), is_same);
  Counted& place = found != all.end() ? *found : all.emplace_back(one);
  place.calls += calls;
}

}  // namespace

CapturedProduct captured_product(const BlasCall& call) {
  try {
    return {.workload = workload_of_call(call)};
  } catch (const Error& error) {
    return {.why_not = error.what()};
  }
}

CapturedProducts captured_products(const CallTable& table) {
  CapturedProducts all;
  const auto skip = [&all](std::string reason, int64_t calls) {
    if (calls == 0) return;
    add_calls(all.skipped, calls, SkippedCalls{reason},
              [&reason](const SkippedCalls& one) { return one.reason == reason; });
  };
  for (const CallSlot& slot : table.slots) {
    if (slot.state.load() != SlotState::Ready) continue;
    const auto calls = static_cast<int64_t>(slot.count.load());
    const CapturedProduct product = captured_product(slot.call);
    if (!product.why_not.empty()) {
      skip(product.why_not, calls);
      continue;
    }
    if (slot.call.pitched != 0) all.pitched_calls += calls;
    if (slot.call.factors_on_device != 0) all.on_device_calls += calls;
    add_calls(all.products, calls, CountedWorkload{product.workload},
              [&product](const CountedWorkload& one) { return one.workload == product.workload; });
  }
  skip(format("more than {} distinct products", kMaxDistinctCalls),
       static_cast<int64_t>(table.overflow_count.load()));
  const auto by_calls = [](const auto& one, const auto& other) { return one.calls > other.calls; };
  std::stable_sort(all.products.begin(), all.products.end(), by_calls);
  std::stable_sort(all.skipped.begin(), all.skipped.end(), by_calls);
  return all;
}

}  // namespace tilewright
