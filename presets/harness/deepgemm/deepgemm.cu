// DeepGEMM's fp8 kernel for Hopper behind tilewright's harness interface: D = A B in bf16, A m x k
// and B n x k of e4m3 with k contiguous ("tn"), a scale for each row and 128 of K of A, one for
// each 128 x 128 of B. Also groups whose rows are packed and fill whole tiles ("contiguous").
//
// Tile and multicast are template parameters, so each choice is a kernel of its own. DeepGEMM
// compiles N and K into its kernels: -DDEEPGEMM_N=4096 -DDEEPGEMM_K=7168 does that here.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tilewright_harness.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh"

#ifndef DEEPGEMM_N
#define DEEPGEMM_N 0  // 0: given at the launch
#endif
#ifndef DEEPGEMM_K
#define DEEPGEMM_K 0
#endif
#ifndef DEEPGEMM_SMS
#define DEEPGEMM_SMS 132  // multiprocessors of the GPU, one CTA each
#endif

namespace {

using deep_gemm::GemmType;

constexpr int kBlockK = 128;
constexpr int kCopyThreads = 128;
constexpr int kLongestK = 65536;  // where it is not compiled in

int fail(TilewrightHarnessMessage* message, const char* text, ...) {
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(message->text, sizeof(message->text), text, arguments);
  va_end(arguments);
  return 1;
}

constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

constexpr int64_t round_up(int64_t a, int64_t b) {
  return ceil_div(a, b) * b;
}

// CTAs that share loads: none, two with the same rows of A, two with the same columns of B.
enum Multicast { kNone = 0, kA = 1, kB = 2 };

struct Choice {
  int block_m, block_n, multicast;
  bool grouped;
  int stages, math_threads, shared_bytes, d_swizzle;
  const void* kernel;
};

// Bytes of scales of B: those of a tile's one or two blocks of columns, for all of K.
constexpr int b_scale_bytes(int block_n, int k) {
  const int blocks = kBlockK % block_n == 0 ? 1 : 2;
  return static_cast<int>(round_up(ceil_div(k, kBlockK) * blocks * sizeof(float), 8));
}

// The widest swizzle whose span divides a row of the tile of D.
constexpr int d_swizzle_of(int block_n) {
  for (const int bytes : {128, 64, 32}) {
    if (block_n * 2 % bytes == 0) return bytes;
  }
  return 16;
}

template <int kBlockM, int kBlockN, Multicast kShared, GemmType kType>
constexpr Choice choice_of() {
  // As many stages as shared memory holds.
  constexpr int kSharedBytes = 232448;
  constexpr int kMaxStages = 16;
  constexpr int kBarrierBytes = kMaxStages * 2 * 8;
  constexpr int kOnce = static_cast<int>(round_up(kBlockM * kBlockN * 2, 1024)) + kBarrierBytes +
                        b_scale_bytes(kBlockN, DEEPGEMM_K != 0 ? DEEPGEMM_K : kLongestK);
  constexpr int kOfStage =
      (kBlockM + kBlockN) * kBlockK + static_cast<int>(round_up(kBlockM * sizeof(float), 128));
  constexpr int kStages = std::min(kMaxStages, (kSharedBytes - kOnce) / kOfStage);
  static_assert(kStages >= 2);
  constexpr int kMathThreads = kBlockM <= 64 ? 128 : 256;
  constexpr int kSwizzle = d_swizzle_of(kBlockN);
  return {kBlockM,
          kBlockN,
          kShared,
          kType != GemmType::Normal,
          kStages,
          kMathThreads,
          kOnce + kStages * kOfStage,
          kSwizzle,
          reinterpret_cast<const void*>(
              &deep_gemm::sm90_fp8_gemm_1d2d_impl < cute::UMMA::Major::K, 0, DEEPGEMM_N, DEEPGEMM_K,
              1, kBlockM, kBlockN, kBlockK, kBlockK, kBlockK, kSwizzle, kStages, kCopyThreads,
              kMathThreads, kShared == kNone ? 1 : 2, kShared == kA, DEEPGEMM_SMS, kType,
              cutlass::bfloat16_t, deep_gemm::epilogue::transform::EpilogueIdentity >)};
}

template <int kBlockM, int kBlockN, GemmType kType>
void add_all(std::vector<Choice>& choices) {
  choices.push_back(choice_of<kBlockM, kBlockN, kNone, kType>());
  choices.push_back(choice_of<kBlockM, kBlockN, kA, kType>());
  choices.push_back(choice_of<kBlockM, kBlockN, kB, kType>());
}

template <int kBlockM, GemmType kType, int... kBlockN>
void add(std::vector<Choice>& choices) {
  (add_all<kBlockM, kBlockN, kType>(choices), ...);
}

const std::vector<Choice>& all_choices() {
  static const std::vector<Choice> choices = [] {
    std::vector<Choice> all;
#ifndef DEEPGEMM_ONLY_GROUPS
    add<16, GemmType::Normal, 32, 64, 96>(all);
    add<32, GemmType::Normal, 32, 64>(all);
    add<64, GemmType::Normal, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192>(all);
    add<128, GemmType::Normal, 32, 64, 96, 112, 128, 144, 160, 192>(all);
    add<256, GemmType::Normal, 64, 96, 112, 128>(all);
#endif
#ifndef DEEPGEMM_NO_GROUPS
    add<32, GemmType::MGroupedContiguous, 128, 192>(all);
    add<64, GemmType::MGroupedContiguous, 96, 112, 128, 160, 192>(all);
    add<128, GemmType::MGroupedContiguous, 96, 112, 128, 160, 192>(all);
#endif
    return all;
  }();
  return choices;
}

struct State {
  const Choice* choice = nullptr;
  int64_t m = 0, n = 0, k = 0;  // rows of all products, columns of one
  int64_t lda = 0, ldb = 0, ldd = 0;
  int64_t products = 1;
  int32_t* product_of_row = nullptr;  // in device memory
  ~State() { cudaFree(product_of_row); }
};

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

Encode find_encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
  return reinterpret_cast<Encode>(function);
}

CUtensorMapSwizzle swizzle_of(int bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

// A map of `rows` rows of `columns` elements, `pitch_bytes` apart, in boxes of the given size.
bool encode(CUtensorMap& map, CUtensorMapDataType type, const void* data, int64_t columns,
            int64_t rows, int64_t pitch_bytes, int box_columns, int box_rows, int swizzle_bytes) {
  static const Encode function = find_encode();
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitches[] = {static_cast<cuuint64_t>(pitch_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns),
                            static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};
  return function != nullptr &&
         function(&map, type, 2, const_cast<void*>(data), extents, pitches, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(swizzle_bytes),
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

struct Maps {
  CUtensorMap a, b, d, scale_a;
};

bool encode(Maps& maps, const State& s, const TilewrightHarnessOperands& operands) {
  const Choice& c = *s.choice;
  const auto bytes = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  const int64_t scale_pitch = round_up(s.m, 4);
  return encode(maps.a, bytes, operands.a[0], s.k, s.m, s.lda, kBlockK, c.block_m, 128) &&
         encode(maps.b, bytes, operands.b[0], s.k, s.n * s.products, s.ldb, kBlockK, c.block_n,
                128) &&
         encode(maps.d, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, operands.d[0], s.n, s.m, s.ldd * 2,
                c.d_swizzle / 2, c.block_m, c.d_swizzle) &&
         encode(maps.scale_a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, operands.scale_a, scale_pitch,
                ceil_div(s.k, kBlockK), scale_pitch * 4, c.block_m, 1, 0);
}

cudaError_t launch(const State& s, Maps& maps, const float* scale_b, cudaStream_t stream) {
  const Choice& c = *s.choice;
  auto* scales = const_cast<float*>(scale_b);
  int32_t* rows = s.product_of_row;
  auto m = static_cast<uint32_t>(s.m);
  auto n = static_cast<uint32_t>(s.n);
  auto k = static_cast<uint32_t>(s.k);
  void* arguments[] = {&scales, &rows, &m, &n, &k, &maps.a, &maps.b, &maps.d, &maps.scale_a};
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {c.multicast == kNone ? 1U : 2U, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(DEEPGEMM_SMS);
  config.blockDim = dim3(static_cast<unsigned>(kCopyThreads + c.math_threads));
  config.dynamicSmemBytes = static_cast<size_t>(c.shared_bytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, c.kernel, arguments);
}

int64_t value_of(const TilewrightHarnessProblem* problem, const char* axis) {
  for (int i = 0; i < problem->value_count; ++i) {
    if (std::strcmp(problem->values[i].axis, axis) == 0) return problem->values[i].value;
  }
  return 0;
}

const Choice* find_choice(const TilewrightHarnessProblem* problem) {
  for (const Choice& choice : all_choices()) {
    if (choice.block_m == value_of(problem, "block_m") &&
        choice.block_n == value_of(problem, "block_n") &&
        choice.multicast == value_of(problem, "multicast") &&
        choice.grouped == (problem->product_count > 1)) {
      return &choice;
    }
  }
  return nullptr;
}

// Why the kernel cannot compute the problem; 0 if it can.
int check(const TilewrightHarnessProblem* p, const Choice& choice,
          TilewrightHarnessMessage* message) {
  const int64_t k_blocks = ceil_div(p->k[0], kBlockK);
  if (std::strcmp(p->scale_b, "block:128x128@k4") == 0 && k_blocks % 4 != 0) {
    return fail(message,
                "DeepGEMM reads the scales of B without padding: K = %lld is no multiple "
                "of 512",
                static_cast<long long>(p->k[0]));
  }
  if (DEEPGEMM_K == 0 && p->k[0] > kLongestK) return fail(message, "K is above %d", kLongestK);
  for (int64_t i = 0; i < p->product_count; ++i) {
    if (p->n[i] != p->n[0] || p->k[i] != p->k[0]) {
      return fail(message, "the products of a group differ in N or K");
    }
    if (p->product_count > 1 && p->m[i] % choice.block_m != 0) {
      return fail(message, "product %lld has %lld rows: no multiple of block_m = %d",
                  static_cast<long long>(i), static_cast<long long>(p->m[i]), choice.block_m);
    }
  }
  return 0;
}

// The product of each row, as the kernel reads it.
int store_rows(const TilewrightHarnessProblem* p, State& state, TilewrightHarnessMessage* message) {
  std::vector<int32_t> products;
  for (int64_t i = 0; i < p->product_count; ++i) {
    products.insert(products.end(), static_cast<size_t>(p->m[i]), static_cast<int32_t>(i));
  }
  state.m = static_cast<int64_t>(products.size());
  if (p->product_count == 1) return 0;
  const size_t bytes = products.size() * sizeof(int32_t);
  cudaError_t error = cudaMalloc(&state.product_of_row, bytes);
  if (error == cudaSuccess) {
    error = cudaMemcpy(state.product_of_row, products.data(), bytes, cudaMemcpyHostToDevice);
  }
  return error == cudaSuccess ? 0 : fail(message, "%s", cudaGetErrorString(error));
}

// Groups: true if all products' rows and all B lie one behind the other.
bool are_together(const State& s, const TilewrightHarnessOperands& operands) {
  const auto* const b = static_cast<const char*>(operands.b[0]);
  for (int64_t i = 1; i < s.products; ++i) {
    if (operands.b[i] != b + i * s.n * s.ldb) return false;
  }
  return s.products == 1 || operands.row_offsets != nullptr;
}

std::string description() {
  std::string text = R"json({
    "name": "deepgemm", "memory": "cuda", "op": ["gemm"], "dtype": ["e4m3"], "out_dtype": ["bf16"],
    "epilogue": ["scale_a=block:1x128", "scale_b=block:128x128", "scale_b=block:128x128@k4"],
    "groups": true,
    "axes": {"block_m": [128, 256, 64, 32, 16],
             "block_n": [128, 160, 192, 144, 112, 96, 80, 64, 48, 32, 16], "multicast": [0, 1, 2]},
    "constraints": ["n % 8 == 0", "k % 16 == 0"DIMENSIONS],
    "configs": [)json";
  std::string dimensions;
  if (DEEPGEMM_N != 0) dimensions += ", \"n == " + std::to_string(DEEPGEMM_N) + "\"";
  if (DEEPGEMM_K != 0) dimensions += ", \"k == " + std::to_string(DEEPGEMM_K) + "\"";
  text.replace(text.find("DIMENSIONS"), std::strlen("DIMENSIONS"), dimensions);
  std::vector<std::string> configs;
  for (const Choice& c : all_choices()) {
    const std::string config = "{\"block_m\": " + std::to_string(c.block_m) +
                               ", \"block_n\": " + std::to_string(c.block_n) +
                               ", \"multicast\": " + std::to_string(c.multicast) + "}";
    if (std::find(configs.begin(), configs.end(), config) != configs.end()) continue;
    text += (configs.empty() ? "" : ", ") + config;
    configs.push_back(config);
  }
  return text + "]}";
}

}  // namespace

extern "C" {

int tilewright_harness_describe(TilewrightHarnessDescription* given, TilewrightHarnessMessage*) {
  static const std::string json = description();
  given->abi_version = TILEWRIGHT_HARNESS_ABI;
  given->json = json.c_str();
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem* problem, TilewrightHarnessPlan* plan,
                               TilewrightHarnessMessage* message) {
  const Choice* const choice = find_choice(problem);
  if (choice == nullptr) return fail(message, "no kernel was compiled for this tile and multicast");
  if (check(problem, *choice, message) != 0) return 1;
  auto state = std::make_unique<State>();
  state->choice = choice;
  state->n = problem->n[0];
  state->k = problem->k[0];
  state->lda = problem->lda[0];
  state->ldb = problem->ldb[0];
  state->ldd = problem->ldd[0];
  state->products = problem->product_count;
  if (store_rows(problem, *state, message) != 0) return 1;
  const cudaError_t error = cudaFuncSetAttribute(
      choice->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, choice->shared_bytes);
  if (error != cudaSuccess) return fail(message, "%s", cudaGetErrorString(error));
  plan->state = state.release();
  return 0;
}

int tilewright_harness_run(void* opaque, const TilewrightHarnessOperands* operands, void* stream,
                           TilewrightHarnessMessage* message) {
  const State& state = *static_cast<const State*>(opaque);
  if (!are_together(state, *operands)) {
    return fail(message, "DeepGEMM takes groups whose rows are packed, with one B behind another");
  }
  Maps maps;
  if (!encode(maps, state, *operands)) return fail(message, "no tensor map for these operands");
  const cudaError_t error =
      launch(state, maps, operands->scale_b, static_cast<cudaStream_t>(stream));
  return error == cudaSuccess ? 0 : fail(message, "%s", cudaGetErrorString(error));
}

void tilewright_harness_release(void* opaque) {
  delete static_cast<State*>(opaque);
}

}  // extern "C"
