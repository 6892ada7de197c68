#include "gpu/launch/library_product.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

void require(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw failed_call(function, format("status {}", static_cast<int>(status)));
}

cudaDataType_t library_type(DataType type) {
  switch (type) {
    case DataType::BF16: return CUDA_R_16BF;
    case DataType::F16: return CUDA_R_16F;
    case DataType::F32: return CUDA_R_32F;
    case DataType::E4M3: return CUDA_R_8F_E4M3;
    case DataType::E5M2: return CUDA_R_8F_E5M2;
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

// Empty for an epilogue or types that the library lacks: of 8-bit operands one must be of e4m3.
std::optional<cublasLtEpilogue_t> library_epilogue(const ProductKind& kind) {
  const Epilogue& e = kind.epilogue;
  const DataType output = output_type(kind);
  if (e.row_bias || e.scale_d || e.absmax || bytes_of(output) == 1) return std::nullopt;
  if (kind.dtype == DataType::E5M2) return std::nullopt;
  const bool mixes = bytes_of(kind.dtype) == 2 && output != kind.dtype && output != DataType::F32;
  if (mixes) return std::nullopt;
  for (const LibraryEpilogue& known : kEpilogues) {
    if (known.activation == e.activation) return e.bias ? known.biased : known.plain;
  }
  return std::nullopt;
}

// Sets attributes of an operation.
class OperationWriter {
 public:
  OperationWriter(const LibraryFunctions& library, cublasLtMatmulDescOpaque_t& operation)
      : library_(library), operation_(operation) {}

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) const {
    require(library_.set_operation(&operation_, attribute, &value, sizeof(value)),
            "cublasLtMatmulDescSetAttribute");
  }
  void set_pointer(cublasLtMatmulDescAttributes_t attribute, const void* pointer) const {
    if (pointer != nullptr) set(attribute, pointer);
  }

 private:
  const LibraryFunctions& library_;
  cublasLtMatmulDescOpaque_t& operation_;
};

// The library's modes for scales of A and of B, which is its first operand.
struct LibraryScale {
  OperandScale scale;
  cublasLtMatmulMatrixScale_t mode;
};

constexpr LibraryScale kLibraryScales[] = {
    {OperandScale::None, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F},
    {OperandScale::Tensor, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F},
    {OperandScale::Line, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F},
    {OperandScale::Vector, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F},
    {OperandScale::BlockPadded, CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F}};

// Empty for an order of scales that the library does not read.
std::optional<cublasLtMatmulMatrixScale_t> library_scale(OperandScale scale) {
  for (const LibraryScale& known : kLibraryScales) {
    if (known.scale == scale) return known.mode;
  }
  return std::nullopt;
}

// Unless it sees scale pointers, the heuristic returns algorithms that take no scales; a launch
// replaces these pointers.
void describe_scale(const OperationWriter& operation, OperandScale scale,
                    cublasLtMatmulDescAttributes_t pointer, cublasLtMatmulDescAttributes_t mode) {
  alignas(16) static constexpr float kFactor = 1;
  if (scale == OperandScale::None) return;
  operation.set_pointer(pointer, &kFactor);
  if (scale != OperandScale::Tensor) operation.set(mode, *library_scale(scale));
}

void describe_operation(const OperationWriter& operation, const ProductKind& kind,
                        cublasLtEpilogue_t epilogue) {
  operation.set(CUBLASLT_MATMUL_DESC_TRANSA, is_k_major_b(kind.layout) ? CUBLAS_OP_T : CUBLAS_OP_N);
  operation.set(CUBLASLT_MATMUL_DESC_TRANSB, is_k_major_a(kind.layout) ? CUBLAS_OP_N : CUBLAS_OP_T);
  // The project's kernels accumulate fp8 products in the same way.
  if (bytes_of(kind.dtype) == 1) {
    operation.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, static_cast<int8_t>(is_promoted(kind) ? 0 : 1));
  }
  operation.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  if (kind.sms > 0) {
    operation.set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, static_cast<int32_t>(kind.sms));
  }
  describe_scale(operation, kind.epilogue.scale_a, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER,
                 CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
  describe_scale(operation, kind.epilogue.scale_b, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
                 CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
  if (!kind.epilogue.bias) return;
  operation.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, library_type(addend_type(kind)));
}

// Writes the layouts of a product's matrices.
class LayoutWriter {
 public:
  LayoutWriter(const LibraryFunctions& library, int batch_count)
      : library_(library), batch_count_(batch_count) {}

  // Columns lie `pitch` elements apart, the matrices of a batch `bytes_apart`.
  void write(cublasLtMatrixLayoutOpaque_t& matrix, DataType type, int64_t rows, int64_t columns,
             int64_t pitch, int64_t bytes_apart) const {
    require(
        library_.init_layout(&matrix, sizeof(matrix), library_type(type),
                             static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), pitch),
        "cublasLtMatrixLayoutInit");
    if (batch_count_ == 1) return;
    set(matrix, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(batch_count_));
    set(matrix, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, bytes_apart / bytes_of(type));
  }

 private:
  template <class Value>
  void set(cublasLtMatrixLayoutOpaque_t& matrix, cublasLtMatrixLayoutAttribute_t attribute,
           const Value& value) const {
    require(library_.set_layout(&matrix, attribute, &value, sizeof(value)),
            "cublasLtMatrixLayoutSetAttribute");
  }

  const LibraryFunctions& library_;
  int batch_count_;
};

struct Preference {
  cublasLtMatmulPreferenceAttributes_t attribute;
  const MatrixPlace& place;
};

struct Capability {
  cublasLtMatmulAlgoCapAttributes_t attribute;
  const MatrixPlace& place;
  const char* matrix;
};

// In any other scheme each of the parts of a sum is rounded to the type of D: 132 parts of a
// product of 68x199x140 in bf16 left elements of D wrong by more than |D| / 32 (13.1.0, H200).
constexpr auto kFp32Parts = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;

bool rounds_parts(const LibraryFunctions& library, const LibraryProduct& product,
                  const cublasLtMatmulAlgo_t& algorithm) {
  if (product.output == DataType::F32) return false;
  const auto scheme =
      configuration_value<uint32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME);
  return scheme.value_or(CUBLASLT_REDUCTION_SCHEME_NONE) & ~uint32_t{kFp32Parts};
}

}  // namespace

bool library_has(const ProductKind& kind) {
  return library_epilogue(kind).has_value();
}

// cuBLASLt is column-major: our row-major D is its n x m matrix, our B its first operand, and an
// operand with contiguous k its k x n or k x m matrix.
std::optional<LibraryProduct> library_product(const LibraryFunctions& library,
                                              const Problem& problem, const OperandPlaces& places,
                                              const LibraryBatch& batch) {
  const ProductKind& kind = problem.kind;
  const std::optional<cublasLtEpilogue_t> epilogue = library_epilogue(kind);
  if (!epilogue || !library_scale(kind.epilogue.scale_a) || !library_scale(kind.epilogue.scale_b)) {
    return std::nullopt;
  }
  LibraryProduct product;
  product.places = places;
  product.output = output_type(kind);
  require(library.init_operation(&product.operation, sizeof(product.operation), CUBLAS_COMPUTE_32F,
                                 CUDA_R_32F),
          "cublasLtMatmulDescInit");
  describe_operation({library, product.operation}, kind, *epilogue);
  const LayoutWriter layouts(library, batch.count);
  const MatrixOffsets& apart = batch.bytes_apart;
  const auto [m, n, k] = problem.shape;
  const Pitches pitches = pitches_of(problem, places);
  const bool k_first_b = is_k_major_b(kind.layout);
  const bool k_first_a = is_k_major_a(kind.layout);
  layouts.write(product.a, kind.dtype, k_first_b ? k : n, k_first_b ? n : k, pitches.b, apart.b);
  layouts.write(product.b, kind.dtype, k_first_a ? k : m, k_first_a ? m : k, pitches.a, apart.a);
  layouts.write(product.d, output_type(kind), n, m, pitches.d, apart.d);
  product.c = product.d;
  if (kind.epilogue.beta != 0)
    layouts.write(product.c, addend_type(kind), n, m, pitches.c, apart.c);
  return product;
}

std::vector<cublasLtMatmulHeuristicResult_t> heuristic_algorithms(const LibraryFunctions& library,
                                                                  cublasLtHandle_t handle,
                                                                  const LibraryProduct& product,
                                                                  int most, PartSums sums) {
  cublasLtMatmulPreferenceOpaque_t preference = {};
  require(library.init_preference(&preference, sizeof(preference)), "cublasLtMatmulPreferenceInit");
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
    require(library.set_preference(&preference, attribute, &value, sizeof(value)),
            "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kReferenceWorkspaceBytes);
  if (sums == PartSums::InFp32) {
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{kFp32Parts});
  }
  const OperandPlaces& places = product.places;
  for (const Preference& least : {Preference{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, places.b},
                                  {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, places.a},
                                  {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, places.c},
                                  {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, places.d}}) {
    // Only alignments below 16 bytes are set; 16 is the library's own default.
    const bool is_less = least.place.alignment < MatrixPlace{}.alignment;
    if (is_less) prefer(least.attribute, static_cast<uint32_t>(least.place.alignment));
  }
  std::vector<cublasLtMatmulHeuristicResult_t> found(static_cast<size_t>(most));
  int count = 0;
  LibraryProduct asked = product;
  const cublasStatus_t status =
      library.get_heuristic(handle, &asked.operation, &asked.a, &asked.b, &asked.c, &asked.d,
                            &preference, most, found.data(), &count);
  found.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<size_t>(count) : 0);
  return found;
}

AlgorithmCheck check_algorithm(const LibraryFunctions& library, cublasLtHandle_t handle,
                               const LibraryProduct& product,
                               const cublasLtMatmulAlgo_t& algorithm) {
  LibraryProduct asked = product;
  cublasLtMatmulHeuristicResult_t result = {};
  const cublasStatus_t status = library.check_algorithm(
      handle, &asked.operation, &asked.a, &asked.b, &asked.c, &asked.d, &algorithm, &result);
  if (status != CUBLAS_STATUS_SUCCESS || result.state != CUBLAS_STATUS_SUCCESS) {
    const cublasStatus_t why = status != CUBLAS_STATUS_SUCCESS ? status : result.state;
    return {.why_not = format("it does not run the product (status {})", static_cast<int>(why))};
  }
  if (rounds_parts(library, product, algorithm)) {
    return {.why_not = "it adds the parts of a split K in the type of D"};
  }
  const OperandPlaces& places = product.places;
  for (const Capability& least :
       {Capability{CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES, places.b, "B"},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES, places.a, "A"},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES, places.c, "C"},
        {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES, places.d, "D"}}) {
    uint32_t bytes = 0;
    size_t written = 0;
    const cublasStatus_t known =
        library.get_capability(&algorithm, least.attribute, &bytes, sizeof(bytes), &written);
    if (known == CUBLAS_STATUS_SUCCESS && bytes <= static_cast<uint32_t>(least.place.alignment)) {
      continue;
    }
    return {.why_not = format("it needs {} at a multiple of {} bytes", least.matrix, bytes)};
  }
  return {.why_not = "", .workspace_bytes = result.workspaceSize};
}

void launch_product(const LibraryFunctions& library, cublasLtHandle_t handle,
                    const LibraryProduct& product, const cublasLtMatmulAlgo_t& algorithm,
                    const LibraryLaunch& launch) {
  // The epilogue's addresses are attributes, so each call sets them in its own copy.
  LibraryProduct own = product;
  const OperandSet& operands = launch.operands;
  const OperationWriter operation(library, own.operation);
  operation.set_pointer(CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
  operation.set_pointer(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.scale_b);
  operation.set_pointer(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.scale_a);
  const bool in_place = operands.c == nullptr;
  require(
      library.matmul(handle, &own.operation, &launch.scalars.alpha, operands.b, &own.a, operands.a,
                     &own.b, &launch.scalars.beta, in_place ? operands.d : operands.c,
                     in_place ? &own.d : &own.c, operands.d, &own.d, &algorithm, launch.workspace,
                     launch.workspace_bytes, launch.stream),
      "cublasLtMatmul");
}

}  // namespace tilewright
