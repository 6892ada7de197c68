// The shim that `record` loads into a program with LD_PRELOAD: it counts the calls of cuBLAS and
// cuBLASLt for matrix products, and passes every one on. It depends on the C library alone, because
// the program brings libraries of its own, and it never ends the program: what it cannot read it
// does not count.
//
// A product is counted when the outermost call of a thread has returned success; the calls that
// cuBLAS makes inside are not.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "capture/call_table.hpp"
#include "capture/real_function.hpp"

namespace tilewright {
namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 15;  // CUBLAS_STATUS_NOT_SUPPORTED

CallTable* table = nullptr;
thread_local int depth = 0;

[[gnu::constructor]] void open_table() {
  const char* const path = std::getenv(kCallTableVariable);
  if (path == nullptr) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  struct stat status = {};
  void* mapped = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size == off_t{sizeof(CallTable)}) {
    mapped = mmap(nullptr, sizeof(CallTable), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (mapped == MAP_FAILED) return;
  auto* const found = static_cast<CallTable*>(mapped);
  if (found->magic != kCallTableMagic) return;
  found->process_count.fetch_add(1, std::memory_order_relaxed);
  table = found;
}

// The real function is called through this.
template <class... Parameters, class Describe>
int pass_on(RealFunction& function, const void* caller, Describe describe, Parameters... values) {
  using Real = int(Parameters...);
  auto* const real = reinterpret_cast<Real*>(function.at(caller));
  if (real == nullptr) return kNotSupported;
  ++depth;
  const int status = real(values...);
  --depth;
  if (status != kSuccess || depth != 0 || table == nullptr) return status;
  BlasCall call;
  describe(call, reinterpret_cast<const void*>(real));
  count_call(*table, call);
  return status;
}

// --- cuBLASLt ---

// Numbers of the attributes.
constexpr int kLayoutType = 0, kLayoutOrder = 1, kLayoutRows = 2, kLayoutColumns = 3;
constexpr int kLayoutPitch = 4, kLayoutBatch = 5, kLayoutStride = 6;
constexpr int kSums = 0, kFactorType = 1, kPointerMode = 2, kOperationA = 3, kOperationB = 4;
constexpr int kEpilogue = 7, kScaleA = 17, kScaleB = 18, kScaleD = 20, kAbsmax = 21;
constexpr int kFastSums = 25, kBiasType = 26, kModeA = 31, kModeB = 32;

using GetAttribute = int(const void*, int, void*, size_t, size_t*);
constinit RealFunction get_of_layout("cublasLtMatrixLayoutGetAttribute");
constinit RealFunction get_of_operation("cublasLtMatmulDescGetAttribute");
constinit RealFunction get_pointer_mode("cublasGetPointerMode_v2");

// Reads the attributes of one descriptor; what the library does not know keeps its value.
class AttributeReader {
 public:
  AttributeReader(RealFunction& get, const void* library, const void* descriptor)
      : get_(reinterpret_cast<GetAttribute*>(get.at(library))), descriptor_(descriptor) {}

  template <class Value>
  Value get(int attribute, Value otherwise) const {
    if (get_ == nullptr || descriptor_ == nullptr) return otherwise;
    Value value = otherwise;
    size_t written = 0;
    const bool is_read = get_(descriptor_, attribute, &value, sizeof(value), &written) == kSuccess;
    return is_read && written == sizeof(value) ? value : otherwise;
  }
  bool has_pointer(int attribute) const { return get<const void*>(attribute, nullptr) != nullptr; }

 private:
  GetAttribute* get_;
  const void* descriptor_;
};

struct LtMatrix {
  uint64_t rows, columns;
  int32_t type, order, batch;
  bool is_pitched;
};

LtMatrix read_matrix(const AttributeReader& reader) {
  LtMatrix matrix = {.rows = reader.get<uint64_t>(kLayoutRows, 0),
                     .columns = reader.get<uint64_t>(kLayoutColumns, 0),
                     .type = reader.get<int32_t>(kLayoutType, -1),
                     .order = reader.get<int32_t>(kLayoutOrder, blas::kByColumns),
                     .batch = reader.get<int32_t>(kLayoutBatch, 1),
                     .is_pitched = false};
  const uint64_t row = matrix.order == blas::kByRows ? matrix.columns : matrix.rows;
  const auto stride = reader.get<int64_t>(kLayoutStride, 0);
  const bool is_spread =
      matrix.batch > 1 && stride != static_cast<int64_t>(matrix.rows * matrix.columns);
  matrix.is_pitched =
      is_spread || reader.get<int64_t>(kLayoutPitch, 0) != static_cast<int64_t>(row);
  return matrix;
}

// alpha or beta of the type in which the library computes.
float factor_of(const void* factor, int32_t type, float otherwise) {
  if (factor == nullptr) return otherwise;
  if (type == blas::kF32) return *static_cast<const float*>(factor);
  if (type == blas::kF64) return static_cast<float>(*static_cast<const double*>(factor));
  return otherwise;
}

int32_t scale_of(const AttributeReader& operation, int pointer, int mode) {
  return operation.has_pointer(pointer) ? operation.get<int32_t>(mode, blas::kScaleOfTensor) : -1;
}

void read_operation(BlasCall& call, const AttributeReader& operation) {
  call.sums = operation.get<int32_t>(kSums, -1);
  call.operation_a = operation.get<int32_t>(kOperationA, blas::kPlain);
  call.operation_b = operation.get<int32_t>(kOperationB, blas::kPlain);
  call.epilogue = static_cast<int32_t>(operation.get<uint32_t>(kEpilogue, blas::kNoEpilogue));
  call.bias_type = operation.get<int32_t>(kBiasType, -1);
  call.scale_a = scale_of(operation, kScaleA, kModeA);
  call.scale_b = scale_of(operation, kScaleB, kModeB);
  call.scale_d = operation.has_pointer(kScaleD) ? 1 : 0;
  call.absmax = operation.has_pointer(kAbsmax) ? 1 : 0;
  call.fast_sums = operation.get<int8_t>(kFastSums, 0) != 0 ? 1 : 0;
}

struct LtArguments {
  const void *operation, *alpha, *a, *b, *beta, *c, *d;
};

void read_factors(BlasCall& call, const AttributeReader& operation, const LtArguments& given) {
  const auto mode = operation.get<int32_t>(kPointerMode, 0);
  const auto type = operation.get<int32_t>(kFactorType, blas::kF32);
  call.factors_on_device = mode == 0 ? 0 : mode == 1 ? 1 : 2;
  if (mode != 0) return;
  call.alpha = factor_of(given.alpha, type, 1);
  call.beta = factor_of(given.beta, type, 0);
}

void describe_lt(BlasCall& call, const void* real, const LtArguments& given) {
  const AttributeReader operation(get_of_operation, real, given.operation);
  const LtMatrix a = read_matrix({get_of_layout, real, given.a});
  const LtMatrix b = read_matrix({get_of_layout, real, given.b});
  const LtMatrix c = read_matrix({get_of_layout, real, given.c});
  const LtMatrix d = read_matrix({get_of_layout, real, given.d});
  read_operation(call, operation);
  read_factors(call, operation, given);
  call.m = static_cast<int64_t>(d.rows);
  call.n = static_cast<int64_t>(d.columns);
  call.k = static_cast<int64_t>(call.operation_a == blas::kPlain ? a.columns : a.rows);
  call.batch = d.batch;
  call.type_a = a.type;
  call.type_b = b.type;
  call.type_c = c.type;
  call.type_d = d.type;
  call.order_a = a.order;
  call.order_b = b.order;
  call.order_c = c.order;
  call.order_d = d.order;
  call.pitched = a.is_pitched || b.is_pitched || d.is_pitched ? 1 : 0;
}

// --- cuBLAS ---

// What its functions for products have in common; strides of -1: the matrices have addresses of
// their own.
struct ClassicArguments {
  const void* handle;
  int operation_a, operation_b;
  int64_t m, n, k;
  const void* alpha;
  int type_a;
  int64_t pitch_a, stride_a;
  int type_b;
  int64_t pitch_b, stride_b;
  const void* beta;
  int type_c;
  int64_t pitch_c, stride_c;
  int64_t batch;
  int sums;
};

void describe_classic(BlasCall& call, const void* real, const ClassicArguments& given) {
  using GetPointerMode = int(const void*, int*);
  call.m = given.m;
  call.n = given.n;
  call.k = given.k;
  call.batch = given.batch;
  call.operation_a = given.operation_a;
  call.operation_b = given.operation_b;
  call.type_a = given.type_a;
  call.type_b = given.type_b;
  call.type_c = call.type_d = given.type_c;
  call.sums = given.sums;
  const int64_t row_a = given.operation_a == blas::kPlain ? given.m : given.k;
  const int64_t row_b = given.operation_b == blas::kPlain ? given.k : given.n;
  const bool is_spread = given.batch > 1 && (given.stride_a != given.m * given.k ||
                                             given.stride_b != given.k * given.n ||
                                             given.stride_c != given.m * given.n);
  const bool is_pitched =
      given.pitch_a != row_a || given.pitch_b != row_b || given.pitch_c != given.m;
  call.pitched = is_spread || is_pitched ? 1 : 0;
  int mode = 0;
  auto* const get_mode = reinterpret_cast<GetPointerMode*>(get_pointer_mode.at(real));
  if (get_mode != nullptr) get_mode(given.handle, &mode);
  call.factors_on_device = mode;
  if (mode != 0) return;
  const int32_t type = given.sums == blas::kSumsF64   ? blas::kF64
                       : given.sums == blas::kSumsF16 ? blas::kF16
                                                      : blas::kF32;
  call.alpha = factor_of(given.alpha, type, 1);
  call.beta = factor_of(given.beta, type, 0);
}

// Describes a call of cuBLAS.
auto describing(const ClassicArguments& given) {
  return [given](BlasCall& call, const void* real) { describe_classic(call, real, given); };
}

constexpr int sums_of(int type) {
  if (type == blas::kF64 || type == blas::kComplexF64) return blas::kSumsF64;
  return type == blas::kF16 ? blas::kSumsF16 : blas::kSumsF32;
}

}  // namespace

// The libraries' functions, by their own names.
#define TILEWRIGHT_INTERPOSE extern "C" [[gnu::visibility("default")]] int
#define TILEWRIGHT_CALLER __builtin_return_address(0)

// NOLINTNEXTLINE(readability-identifier-naming): the library's
TILEWRIGHT_INTERPOSE cublasLtMatmul(void* handle, const void* operation, const void* alpha,
                                    const void* a, const void* a_layout, const void* b,
                                    const void* b_layout, const void* beta, const void* c,
                                    const void* c_layout, void* d, const void* d_layout,
                                    const void* algorithm, void* workspace, size_t workspace_bytes,
                                    void* stream) {
  static constinit RealFunction real("cublasLtMatmul");
  const LtArguments given = {operation, alpha, a_layout, b_layout, beta, c_layout, d_layout};
  const auto describe = [given](BlasCall& call, const void* function) {
    describe_lt(call, function, given);
  };
  return pass_on(real, TILEWRIGHT_CALLER, describe, handle, operation, alpha, a, a_layout, b,
                 b_layout, beta, c, c_layout, d, d_layout, algorithm, workspace, workspace_bytes,
                 stream);
}

// Each exists with sizes of 32 and of 64 bits.
#define TILEWRIGHT_GEMM_EX(NAME, SIZE)                                                           \
  TILEWRIGHT_INTERPOSE NAME(void* handle, int operation_a, int operation_b, SIZE m, SIZE n,      \
                            SIZE k, const void* alpha, const void* a, int type_a, SIZE lda,      \
                            const void* b, int type_b, SIZE ldb, const void* beta, void* c,      \
                            int type_c, SIZE ldc, int sums, int algorithm) {                     \
    static constinit RealFunction real(#NAME);                                                   \
    const ClassicArguments given = {handle, operation_a, operation_b, m,      n,   k, alpha,     \
                                    type_a, lda,         0,           type_b, ldb, 0, beta,      \
                                    type_c, ldc,         0,           1,      sums};             \
    return pass_on(real, TILEWRIGHT_CALLER, describing(given), handle, operation_a, operation_b, \
                   m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, sums,   \
                   algorithm);                                                                   \
  }
TILEWRIGHT_GEMM_EX(cublasGemmEx, int)
TILEWRIGHT_GEMM_EX(cublasGemmEx_64, int64_t)

#define TILEWRIGHT_STRIDED_EX(NAME, SIZE)                                                        \
  TILEWRIGHT_INTERPOSE NAME(void* handle, int operation_a, int operation_b, SIZE m, SIZE n,      \
                            SIZE k, const void* alpha, const void* a, int type_a, SIZE lda,      \
                            long long stride_a, const void* b, int type_b, SIZE ldb,             \
                            long long stride_b, const void* beta, void* c, int type_c, SIZE ldc, \
                            long long stride_c, SIZE batch, int sums, int algorithm) {           \
    static constinit RealFunction real(#NAME);                                                   \
    const ClassicArguments given = {                                                             \
        handle, operation_a, operation_b, m,    n,      k,   alpha,    type_a, lda, stride_a,    \
        type_b, ldb,         stride_b,    beta, type_c, ldc, stride_c, batch,  sums};            \
    return pass_on(real, TILEWRIGHT_CALLER, describing(given), handle, operation_a, operation_b, \
                   m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b, beta, c,  \
                   type_c, ldc, stride_c, batch, sums, algorithm);                               \
  }
TILEWRIGHT_STRIDED_EX(cublasGemmStridedBatchedEx, int)
TILEWRIGHT_STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)

#define TILEWRIGHT_BATCHED_EX(NAME, SIZE)                                                          \
  TILEWRIGHT_INTERPOSE NAME(void* handle, int operation_a, int operation_b, SIZE m, SIZE n,        \
                            SIZE k, const void* alpha, const void* const* a, int type_a, SIZE lda, \
                            const void* const* b, int type_b, SIZE ldb, const void* beta,          \
                            void* const* c, int type_c, SIZE ldc, SIZE batch, int sums,            \
                            int algorithm) {                                                       \
    static constinit RealFunction real(#NAME);                                                     \
    const ClassicArguments given = {handle, operation_a, operation_b, m,      n,   k,  alpha,      \
                                    type_a, lda,         -1,          type_b, ldb, -1, beta,       \
                                    type_c, ldc,         -1,          batch,  sums};               \
    return pass_on(real, TILEWRIGHT_CALLER, describing(given), handle, operation_a, operation_b,   \
                   m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, batch,    \
                   sums, algorithm);                                                               \
  }
TILEWRIGHT_BATCHED_EX(cublasGemmBatchedEx, int)
TILEWRIGHT_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)

#define TILEWRIGHT_GEMM(NAME, TYPE, SIZE)                                                         \
  TILEWRIGHT_INTERPOSE NAME(void* handle, int operation_a, int operation_b, SIZE m, SIZE n,       \
                            SIZE k, const void* alpha, const void* a, SIZE lda, const void* b,    \
                            SIZE ldb, const void* beta, void* c, SIZE ldc) {                      \
    static constinit RealFunction real(#NAME);                                                    \
    const ClassicArguments given = {handle, operation_a, operation_b,  m,   n, k,    alpha, TYPE, \
                                    lda,    0,           TYPE,         ldb, 0, beta, TYPE,  ldc,  \
                                    0,      1,           sums_of(TYPE)};                          \
    return pass_on(real, TILEWRIGHT_CALLER, describing(given), handle, operation_a, operation_b,  \
                   m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                 \
  }
#define TILEWRIGHT_STRIDED(NAME, TYPE, SIZE)                                                       \
  TILEWRIGHT_INTERPOSE NAME(void* handle, int operation_a, int operation_b, SIZE m, SIZE n,        \
                            SIZE k, const void* alpha, const void* a, SIZE lda,                    \
                            long long stride_a, const void* b, SIZE ldb, long long stride_b,       \
                            const void* beta, void* c, SIZE ldc, long long stride_c, SIZE batch) { \
    static constinit RealFunction real(#NAME);                                                     \
    const ClassicArguments given = {handle,   operation_a, operation_b,  m,                        \
                                    n,        k,           alpha,        TYPE,                     \
                                    lda,      stride_a,    TYPE,         ldb,                      \
                                    stride_b, beta,        TYPE,         ldc,                      \
                                    stride_c, batch,       sums_of(TYPE)};                         \
    return pass_on(real, TILEWRIGHT_CALLER, describing(given), handle, operation_a, operation_b,   \
                   m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c,     \
                   batch);                                                                         \
  }
#define TILEWRIGHT_OF_TYPE(LETTER, TYPE, VERSION, VERSION_64)             \
  TILEWRIGHT_GEMM(cublas##LETTER##gemm##VERSION, blas::TYPE, int)         \
  TILEWRIGHT_GEMM(cublas##LETTER##gemm##VERSION_64, blas::TYPE, int64_t)  \
  TILEWRIGHT_STRIDED(cublas##LETTER##gemmStridedBatched, blas::TYPE, int) \
  TILEWRIGHT_STRIDED(cublas##LETTER##gemmStridedBatched_64, blas::TYPE, int64_t)
TILEWRIGHT_OF_TYPE(H, kF16, , _64)
TILEWRIGHT_OF_TYPE(S, kF32, _v2, _v2_64)
TILEWRIGHT_OF_TYPE(D, kF64, _v2, _v2_64)
TILEWRIGHT_OF_TYPE(C, kComplexF32, _v2, _v2_64)
TILEWRIGHT_OF_TYPE(Z, kComplexF64, _v2, _v2_64)

// A group of products is counted as one call that the table cannot describe.
#define TILEWRIGHT_GROUPED(NAME, SIZE)                                                            \
  TILEWRIGHT_INTERPOSE NAME(                                                                      \
      void* handle, const int* operation_a, const int* operation_b, const SIZE* m, const SIZE* n, \
      const SIZE* k, const void* alpha, const void* const* a, int type_a, const SIZE* lda,        \
      const void* const* b, int type_b, const SIZE* ldb, const void* beta, void* const* c,        \
      int type_c, const SIZE* ldc, SIZE groups, const SIZE* sizes, int sums) {                    \
    static constinit RealFunction real(#NAME);                                                    \
    const auto describe = [](BlasCall& call, const void* /*real*/) { call.grouped = 1; };         \
    return pass_on(real, TILEWRIGHT_CALLER, describe, handle, operation_a, operation_b, m, n, k,  \
                   alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, groups, sizes,    \
                   sums);                                                                         \
  }
TILEWRIGHT_GROUPED(cublasGemmGroupedBatchedEx, int)
TILEWRIGHT_GROUPED(cublasGemmGroupedBatchedEx_64, int64_t)

}  // namespace tilewright
