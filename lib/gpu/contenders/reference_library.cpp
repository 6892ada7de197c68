#include "gpu/contenders/reference_library.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/library_check.hpp"
#include "gpu/contenders/group_reference.hpp"

namespace tilewright {
namespace {

template <class Value>
Value algorithm_attribute(const cublasLtMatmulAlgo_t& algorithm,
                          cublasLtMatmulAlgoConfigAttributes_t attribute) {
  Value value{};
  size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof(value), &written);
  return value;
}

cudaDataType_t library_type(DataType type) {
  switch (type) {
    case DataType::BF16: return CUDA_R_16BF;
    case DataType::F16: return CUDA_R_16F;
    case DataType::F32: return CUDA_R_32F;
    case DataType::E4M3: return CUDA_R_8F_E4M3;
  }
  throw internal_error("a data type that cuBLASLt does not know");
}

// The library's epilogues, without a bias and with one.
struct LibraryEpilogue {
  Activation activation;
  cublasLtEpilogue_t plain;
  cublasLtEpilogue_t biased;
};

constexpr LibraryEpilogue kEpilogues[] = {
    {Activation::None, CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS},
    {Activation::Relu, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS},
    {Activation::Gelu, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS}};

// Nothing for an activation that the library has not.
std::optional<cublasLtEpilogue_t> library_epilogue(const Epilogue& e) {
  for (const LibraryEpilogue& known : kEpilogues) {
    if (known.activation == e.activation) return e.bias ? known.biased : known.plain;
  }
  return std::nullopt;
}

std::string describe(size_t index, const cublasLtMatmulAlgo_t& algorithm) {
  return format("cublasLt/{} algo={} tile={} cluster={} splitk={}", index,
                algorithm_attribute<int>(algorithm, CUBLASLT_ALGO_CONFIG_ID),
                algorithm_attribute<uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
                algorithm_attribute<uint16_t>(algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID),
                algorithm_attribute<int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

}  // namespace

// cuBLASLt is column-major: our row-major D is its n x m matrix, B its first operand, and an
// operand whose k is contiguous its k x n or k x m matrix.
ReferenceLibrary::ReferenceLibrary(const Problem& problem,
                                   std::shared_ptr<const DeviceBuffer> workspace)
    : workspace_(workspace ? std::move(workspace)
                           : std::make_shared<const DeviceBuffer>(kReferenceWorkspaceBytes)) {
  const auto m = static_cast<uint64_t>(problem.shape.m);
  const auto n = static_cast<uint64_t>(problem.shape.n);
  const auto k = static_cast<uint64_t>(problem.shape.k);
  const cudaDataType_t type = library_type(problem.kind.dtype);
  const cudaDataType_t out_type = library_type(output_type(problem.kind));
  const bool k_first_b = k_contiguous_b(problem.kind.layout);
  const bool k_first_a = k_contiguous_a(problem.kind.layout);
  const cublasOperation_t b_operation = k_first_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t a_operation = k_first_a ? CUBLAS_OP_N : CUBLAS_OP_T;
  TW_CHECK(cublasLtCreate(&handle_));
  TW_CHECK(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  TW_CHECK(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &b_operation,
                                          sizeof(b_operation)));
  TW_CHECK(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSB, &a_operation,
                                          sizeof(a_operation)));
  if (bytes_of(problem.kind.dtype) == 1) {
    const int8_t fast_sums = 1;  // as the project's kernels sum
    TW_CHECK(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast_sums,
                                            sizeof(fast_sums)));
  }
  TW_CHECK(cublasLtMatrixLayoutCreate(&b_, type, k_first_b ? k : n, k_first_b ? n : k,
                                      k_first_b ? problem.shape.k : problem.shape.n));
  TW_CHECK(cublasLtMatrixLayoutCreate(&a_, type, k_first_a ? k : m, k_first_a ? m : k,
                                      k_first_a ? problem.shape.k : problem.shape.m));
  TW_CHECK(cublasLtMatrixLayoutCreate(&d_, out_type, n, m, problem.shape.n));
  const cudaDataType_t c_type =
      problem.kind.epilogue.beta != 0 ? library_type(addend_type(problem.kind)) : out_type;
  TW_CHECK(cublasLtMatrixLayoutCreate(&c_, c_type, n, m, problem.shape.n));
  if (set_epilogue(problem.kind)) query_algorithms();
}

ReferenceLibrary::~ReferenceLibrary() {
  cublasLtMatrixLayoutDestroy(c_);
  cublasLtMatrixLayoutDestroy(d_);
  cublasLtMatrixLayoutDestroy(a_);
  cublasLtMatrixLayoutDestroy(b_);
  cublasLtMatmulDescDestroy(operation_);
  cublasLtDestroy(handle_);
}

// False where the library has no such epilogue.
bool ReferenceLibrary::set_epilogue(const ProductKind& kind) {
  const std::optional<cublasLtEpilogue_t> epilogue = library_epilogue(kind.epilogue);
  if (!epilogue) return false;
  TW_CHECK(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_EPILOGUE, &*epilogue,
                                          sizeof(*epilogue)));
  if (!kind.epilogue.bias) return true;
  const cudaDataType_t type = library_type(addend_type(kind));
  TW_CHECK(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &type,
                                          sizeof(type)));
  return true;
}

void ReferenceLibrary::set_pointer(cublasLtMatmulDescAttributes_t attribute,
                                   const void* pointer) const {
  if (pointer == nullptr) return;
  TW_CHECK(cublasLtMatmulDescSetAttribute(operation_, attribute, &pointer, sizeof(pointer)));
}

void ReferenceLibrary::query_algorithms() {
  constexpr int kMostAlgorithms = 64;
  cublasLtMatmulPreference_t preference = nullptr;
  TW_CHECK(cublasLtMatmulPreferenceCreate(&preference));
  const size_t bytes = kReferenceWorkspaceBytes;
  TW_CHECK(cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof(bytes)));
  algorithms_.resize(kMostAlgorithms);
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, operation_, b_, a_, c_, d_, preference, kMostAlgorithms, algorithms_.data(), &found);
  cublasLtMatmulPreferenceDestroy(preference);
  if (status != CUBLAS_STATUS_SUCCESS) found = 0;  // the library has none: compare with nothing
  algorithms_.resize(static_cast<size_t>(found));
  for (size_t i = 0; i < algorithms_.size(); ++i)
    names_.push_back(describe(i, algorithms_[i].algo));
}

LibraryAlgorithms ReferenceLibrary::algorithms() const {
  LibraryAlgorithms library{.version = static_cast<int64_t>(cublasLtGetVersion())};
  for (const cublasLtMatmulHeuristicResult_t& result : algorithms_) {
    LibraryAlgorithm& own = library.list.emplace_back();
    static_assert(sizeof(result.algo) == sizeof(own.bits.bytes));
    std::memcpy(own.bits.bytes.data(), &result.algo, sizeof(result.algo));
    own.workspace_bytes = static_cast<int64_t>(result.workspaceSize);
  }
  return library;
}

void ReferenceLibrary::launch(int algorithm, const OperandSet& operands, cudaStream_t stream,
                              const Factors& factors, const DeviceBuffer* workspace) const {
  const DeviceBuffer& room = workspace != nullptr ? *workspace : *workspace_;
  const auto index = static_cast<size_t>(algorithm);
  set_pointer(CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
  set_pointer(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.scale_b);
  set_pointer(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.scale_a);
  // What D has already is added to where no C is read.
  const bool in_place = operands.c == nullptr;
  TW_CHECK(cublasLtMatmul(handle_, operation_, &factors.alpha, operands.b, b_, operands.a, a_,
                          &factors.beta, in_place ? operands.d : operands.c, in_place ? d_ : c_,
                          operands.d, d_, &algorithms_.at(index).algo, room.get(), room.bytes(),
                          stream));
}

WorkloadReference::WorkloadReference(const Workload& workload) : workload_(workload) {
  const auto workspace = std::make_shared<const DeviceBuffer>(kReferenceWorkspaceBytes);
  for (size_t i = 0; i < workload.shapes.size(); ++i) {
    const Problem product = problem_of(workload, i);
    if (flops(product) > 0) by_sizes_.try_emplace(sizes_of(product.shape), product, workspace);
  }
  if (!is_group(workload)) {
    names_ = by_sizes_.begin()->second.names();
    return;
  }
  const bool knows_all = std::all_of(by_sizes_.begin(), by_sizes_.end(), [](const auto& product) {
    return !product.second.names().empty();
  });
  GroupReference::ProductLauncher launch_product;
  if (knows_all) {
    launch_product = [this](size_t product, const OperandSet& operands, cudaStream_t stream,
                            const DeviceBuffer* own) {
      if (!by_sizes_.contains(sizes_of(workload_.shapes[product]))) return;
      sum_phases(product, 0, operands_of(operands, workload_, product), stream, own);
    };
  }
  group_ = std::make_unique<GroupReference>(workload, std::move(launch_product));
  names_ = group_->names();
}

WorkloadReference::~WorkloadReference() = default;

void WorkloadReference::sum_phases(size_t product, int algorithm, const OperandSet& operands,
                                   cudaStream_t stream, const DeviceBuffer* workspace) const {
  const tw::OpRecord& op = tw::record_of(workload_.op);
  const Problem square = problem_of(workload_, product);
  const Epilogue& e = square.kind.epilogue;
  const ReferenceLibrary& library = by_sizes_.at(sizes_of(square.shape));
  const int64_t factor = square.shape.n * square.shape.k;
  const int64_t output = square.shape.n * square.shape.n;
  for (int plane = 0; plane < op.planes; ++plane) {
    for (int phase = 0; phase < op.phases; ++phase) {
      const tw::PhaseFactors factors = tw::phase_factors(op.op, plane, phase);
      const auto matrix = [&](int number) {
        return plane_of(number % 2 == 0 ? operands.a : operands.b, number / 2, factor,
                        square.kind.dtype);
      };
      OperandSet own = operands;
      own.a = matrix(factors.left);
      own.b = matrix(factors.right);
      own.d = const_cast<void*>(plane_of(operands.d, plane, output, output_type(square.kind)));
      own.c = phase == 0 ? plane_of(operands.c, plane, output, addend_type(square.kind)) : nullptr;
      library.launch(
          algorithm, own, stream,
          {.alpha = factors.negative ? -e.alpha : e.alpha, .beta = phase > 0 ? 1.0F : e.beta},
          workspace);
    }
  }
}

LibraryAlgorithms WorkloadReference::algorithms() const {
  if (!is_product(workload_) || by_sizes_.empty()) return {};
  return by_sizes_.begin()->second.algorithms();
}

void WorkloadReference::launch(int algorithm, const OperandSet& operands,
                               cudaStream_t stream) const {
  if (group_) {
    group_->launch(static_cast<size_t>(algorithm), operands, stream);
  } else {
    sum_phases(0, algorithm, operands, stream);
  }
}

std::string ReferenceLibrary::version() {
  return "cublasLt " + library_version(static_cast<int64_t>(cublasLtGetVersion()));
}

}  // namespace tilewright
