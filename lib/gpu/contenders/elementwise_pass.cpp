#include "gpu/contenders/elementwise_pass.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/launch/library_product.hpp"
#include "tile/config/definition_text.hpp"
#include "tile/config/kernel_source.hpp"

namespace tilewright {
namespace {

// The sums keep the precision and the range of D.
DataType type_of_sums(const ProductKind& kind) {
  const DataType output = output_type(kind);
  const bool is_narrow = output == addend_type(kind) || bytes_of(output) == 1;
  return is_narrow ? addend_type(kind) : DataType::F32;
}

// What remains of the epilogue behind the library's part.
tw::ElementwiseParams params_of(const Workload& workload) {
  const ProductKind& kind = workload.kind;
  const Epilogue& e = kind.epilogue;
  return {.sums = type_of_sums(kind),
          .element = addend_type(kind),
          .output = output_type(kind),
          .epilogue = {.activation = e.activation,
                       .row_bias = e.row_bias,
                       .stacked = e.stacked,
                       .scale_d = e.scale_d,
                       .absmax = e.absmax}};
}

// Few vectors are spread over all multiprocessors, one a thread.
LaunchShape shape_of(int64_t elements) {
  using Params = tw::ElementwiseParams;
  constexpr int64_t kSpread = 1024;  // CTAs
  const int64_t ctas = ceil_div(elements, int64_t{Params::kVector} * Params::kThreads);
  const int64_t fewest = ceil_div<int64_t>(ctas, Params::kVectors);
  return {.ctas = static_cast<int>(std::max({int64_t{1}, fewest, std::min(ctas, kSpread)})),
          .threads = Params::kThreads};
}

std::string cubin_of(const tw::ElementwiseParams& params, const std::string& architecture,
                     const CubinCache& cache) {
  return build_cubin({.file = "tools/elementwise.cu",
                      .config_header = definition_text("tools/elementwise_args.cuh",
                                                       "tw::ElementwiseParams", "kParams", params)},
                     architecture, cache);
}

}  // namespace

std::optional<Workload> library_part(const Workload& workload) {
  if (is_triangular(workload) || library_has(workload.kind)) return std::nullopt;
  if (is_group(workload) && packing_of(workload) == Packing::None) return std::nullopt;
  Workload part = workload;
  const Epilogue& e = workload.kind.epilogue;
  part.kind.epilogue = {.out_dtype = type_of_sums(workload.kind),
                        .alpha = e.alpha,
                        .beta = e.beta,
                        .bias = e.bias,
                        .scale_a = e.scale_a,
                        .scale_b = e.scale_b};
  part.kind = normalised(part.kind);
  return library_has(part.kind) ? std::optional(part) : std::nullopt;
}

ElementwisePass::ElementwisePass(const Workload& workload, const Workload& product,
                                 const std::string& architecture, const CubinCache& cache)
    : params_(params_of(workload)),
      rows_(total_rows(workload)),
      columns_(output_columns(workload.kind, workload.shapes.front().n)),
      shape_(shape_of(rows_ * columns_)),
      kernel_(cubin_of(params_, architecture, cache), "elementwise"),
      product_has_bias_(product.kind.epilogue.bias) {
  const bool fits = bytes_of(params_.sums) == bytes_of(params_.output) &&
                    params_.epilogue.sum_columns_per_output() == 1;
  if (fits) return;
  const int64_t sums = rows_ * product.shapes.front().n;
  sums_ = DeviceBuffer(static_cast<size_t>(sums * bytes_of(params_.sums)));
}

OperandSet ElementwisePass::product_operands(const OperandSet& operands) const {
  OperandSet own = operands;
  if (sums_.bytes() > 0) own.d = sums_.get();
  // The library refuses a bias that its epilogue does not add.
  if (!product_has_bias_) own.bias = nullptr;
  return own;
}

void ElementwisePass::launch(const OperandSet& operands, cudaStream_t stream) const {
  tw::ElementwiseArgs args{.sums = product_operands(operands).d,
                           .d = operands.d,
                           .rows = rows_,
                           .columns = columns_,
                           .epilogue = {}};
  args.epilogue.bias = static_cast<const unsigned short*>(operands.bias);
  if (params_.epilogue.has_scaling()) args.epilogue.scaling = operands.scaling;
  void* arguments[] = {&args};
  kernel_.launch(shape_, arguments, stream);
}

int64_t ElementwisePass::bytes() const {
  const int64_t per_output =
      int64_t{params_.epilogue.sum_columns_per_output()} * bytes_of(params_.sums) +
      bytes_of(params_.output);
  return rows_ * columns_ * per_output;
}

}  // namespace tilewright
