/* The interface of a kernel library whose kernels tilewright tunes, verifies, benches and gates.
 *
 * The library exports four functions, and may export a fifth one:
 *
 *   tilewright_harness_describe   lists the supported problems and the parameters of a search
 *   tilewright_harness_prepare    makes a plan for one problem and one value of each parameter
 *   tilewright_harness_run        launches the plan on operands, on a stream
 *   tilewright_harness_release    frees a plan, or the memory of describe
 *   tilewright_harness_tile       returns the tile of a slot (optional)
 *
 * tilewright loads the library in a worker process, never in its own: if a function crashes or
 * hangs, only the current config fails. All calls come from one thread.
 *
 * Every struct begins with abi_version and struct_size as its owner was compiled. A later version
 * only adds members at the end; do not read members beyond the given struct_size.
 *
 * A function with result int returns 0 on success. Otherwise it writes a sentence into `message`,
 * for example "tile_m = 64 needs 230 KiB of shared memory"; tilewright reports it as the reason why
 * the config is refused.
 *
 * Compiles as C11 and as C++17.
 */
#ifndef TILEWRIGHT_HARNESS_H_
#define TILEWRIGHT_HARNESS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TILEWRIGHT_HARNESS_EXPORT __declspec(dllexport)
#else
#define TILEWRIGHT_HARNESS_EXPORT __attribute__((visibility("default")))
#endif

/* Increases if a member changes its meaning. tilewright refuses libraries of another version. */
#define TILEWRIGHT_HARNESS_ABI 1u

/* The reason of a failure; text ends with a zero. */
typedef struct TilewrightHarnessMessage {
  uint32_t abi_version;
  uint32_t struct_size;
  char text[512];
} TilewrightHarnessMessage;

/* The library's description. tilewright fills abi_version and struct_size with its own; the
 * library writes TILEWRIGHT_HARNESS_ABI into abi_version and sets `json`, which stays valid until
 * release(NULL).
 *
 * `json` is an object with these keys:
 *   name         the kernel's name in reports: letters, digits, '-', '_' and '.'
 *   memory       "cuda", or "host" for a kernel on the CPU: then stream is NULL and run returns
 *                when D is complete
 *   op           list of supported operations: "gemm"
 *   dtype        list of the types of A and B: "bf16", "f16", "e4m3"
 *   out_dtype    list of the types of D: "bf16", "f16", "f32"; absent: the type of A and B
 *   layout       list of "tn", "nn", "nt", "tt" (TilewrightHarnessProblem); absent: ["tn"]
 *   epilogue     list of supported operations besides alpha = 1, beta = 0: "alpha", "beta", "bias",
 *                "relu", "gelu", "gelu-erf", "silu", "scale_a", "scale_b" (of the tensor),
 *                "scale_a=row", "scale_b=block:128x128" and the like; absent: nothing
 *   needs        list of the words of epilogue that every product must have; absent: none
 *   groups       true if a launch may compute several products; absent: false
 *   axes         object: the name of a parameter -> list of integers; absent: no parameters
 *   constraints  list of expressions over the axes and m, n, k that a legal config fulfils:
 *                "tile_m * tile_n <= 32768", "k % tile_k == 0"; absent: none
 *   configs      list of objects with one value for each axis, instead of all combinations
 *   default      object with one value for each axis: the config that runs where nothing was tuned
 *   compiler     what compiled the kernels: "triton 3.9.0"; absent: not stated
 * Expressions have + - * / % (on integers; division rounds down), < <= > >= == !=, && || !,
 * parentheses, min(a, b), max(a, b), ceil_div(a, b), round_up(a, b).
 */
typedef struct TilewrightHarnessDescription {
  uint32_t abi_version;
  uint32_t struct_size;
  const char *json;
} TilewrightHarnessDescription;

/* One parameter and its value. */
typedef struct TilewrightHarnessValue {
  const char *axis;
  int64_t value;
} TilewrightHarnessValue;

/* D = activation(alpha * scale_a * scale_b * A B + beta * C + bias), of product_count products.
 *
 * D and C are m x n with n contiguous. The layout has two letters: the first is 't' if A is m x k
 * with k contiguous and 'n' if it is k x m with m contiguous; the second is 'n' if B is n x k with
 * k contiguous and 't' if it is k x n with n contiguous. A leading dimension is the number
 * of elements from one row to the next, at least the row's length. Sums are accumulated in fp32.
 */
typedef struct TilewrightHarnessProblem {
  uint32_t abi_version;
  uint32_t struct_size;
  const char *op;           /* "gemm" */
  const char *dtype;        /* of A and B */
  const char *out_dtype;    /* of D */
  const char *addend_dtype; /* of C and the bias */
  const char *layout;       /* "tn" */
  const char *activation;   /* "none", "relu", "gelu", "gelu-erf", "silu" */
  const char *scale_a;      /* "none", "tensor": one fp32 value, or as --scale-a spells it */
  const char *scale_b;
  float alpha;
  float beta;             /* 0: C is not read */
  int32_t has_bias;       /* n elements, added to every row */
  int32_t value_count;
  const TilewrightHarnessValue *values; /* one for each axis, in the description's order */
  int64_t product_count;                /* 1 unless the library supports groups */
  const int64_t *m;                     /* this and the next arrays: product_count */
  const int64_t *n;
  const int64_t *k;
  const int64_t *lda;
  const int64_t *ldb;
  const int64_t *ldc;
  const int64_t *ldd;
} TilewrightHarnessProblem;

/* The initial contents of a workspace. */
enum {
  TILEWRIGHT_HARNESS_INIT_NONE = 0,      /* anything, before every run */
  TILEWRIGHT_HARNESS_INIT_ZERO_ONCE = 1, /* zeros before the first run, then kept between runs */
  TILEWRIGHT_HARNESS_INIT_ZERO_EACH = 2  /* zeros before every run; clearing it is not timed */
};

/* A prepared launch. tilewright zeroes it before prepare. Pointers of the problem are valid until
 * prepare returns. */
typedef struct TilewrightHarnessPlan {
  uint32_t abi_version;
  uint32_t struct_size;
  void *state;                 /* owned by the library, passed to run, tile and release */
  int64_t workspace_bytes;     /* a run may write them; 0: none */
  int64_t workspace_alignment; /* bytes, a power of two; 0: 256 */
  int32_t workspace_init;      /* TILEWRIGHT_HARNESS_INIT_... */
  int32_t reserved;
  int64_t slot_count; /* slots in launch order; 0: there is no tilewright_harness_tile */
  int64_t tile_m;     /* elements of D per slot, if slot_count is not 0 */
  int64_t tile_n;
} TilewrightHarnessPlan;

/* The memory that one run reads and writes; device memory if the library runs on the GPU. The lists
 * have product_count pointers and are in host memory. */
typedef struct TilewrightHarnessOperands {
  uint32_t abi_version;
  uint32_t struct_size;
  const void *const *a;
  const void *const *b;
  const void *const *c; /* NULL if beta is 0 */
  void *const *d;
  const void *bias;     /* NULL if there is none */
  const float *scale_a; /* NULL if it is "none" in the problem */
  const float *scale_b;
  void *workspace;              /* NULL if the plan needs none */
  const int32_t *row_offsets;   /* in device memory, product_count + 1 values: the first row of each
                                   product in A and D; NULL unless the rows are packed */
} TilewrightHarnessOperands;

/* Describes the library. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_describe(TilewrightHarnessDescription *description,
                                                          TilewrightHarnessMessage *message);

/* Plans one config of one problem: compiles or picks a kernel, encodes tensor maps, sizes the
 * workspace. May allocate and synchronise; its time is not counted. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_prepare(const TilewrightHarnessProblem *problem,
                                                         TilewrightHarnessPlan *plan,
                                                         TilewrightHarnessMessage *message);

/* Launches a plan on `stream` (a cudaStream_t) and returns. It must not use other streams, allocate
 * or synchronise. Computes D of the current operands and writes only D and the workspace; at the
 * next run the operands may have other addresses or values. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_run(void *state,
                                                     const TilewrightHarnessOperands *operands,
                                                     void *stream,
                                                     TilewrightHarnessMessage *message);

/* Frees a plan's state, or for NULL the memory of describe. */
TILEWRIGHT_HARNESS_EXPORT void tilewright_harness_release(void *state);

/* Optional: the tile of slot `slot`, from 0, in units of tile_m x tile_n; -1 and -1 for a slot that
 * computes none. Call the same function here that the kernel calls with its CTA's index, so that
 * tilewright proves and draws the mapping that runs. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_tile(const void *state, int64_t slot, int64_t *m,
                                                      int64_t *n);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_HARNESS_H_ */
