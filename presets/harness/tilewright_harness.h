/* What a kernel library exports so that tilewright tunes, verifies, benches and gates its kernels.
 *
 * Four functions, and a fifth one of a library that knows which tile each CTA computes:
 *
 *   tilewright_harness_describe   what it takes, and the parameters that a search may choose
 *   tilewright_harness_prepare    one problem with one value of each parameter: a plan
 *   tilewright_harness_run        launches the plan on operands, on a stream
 *   tilewright_harness_release    frees a plan, or what describe handed out
 *   tilewright_harness_tile       the tile of a slot (optional)
 *
 * tilewright loads the library in a worker process, never in its own: a function that crashes or
 * hangs costs the config that it was called for. All calls come from one thread.
 *
 * Every struct begins with abi_version and struct_size as its owner was compiled. A later version
 * adds members at the end only; read no member beyond the struct_size that you are given.
 *
 * A function that returns an int returns 0 where it did what it was asked to. Otherwise it writes a
 * sentence into `message`, such as "tile_m = 64 needs 230 KiB of shared memory", which becomes the
 * reason that the config is refused with.
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

/* Grows where a member changes its meaning. tilewright refuses libraries of another version. */
#define TILEWRIGHT_HARNESS_ABI 1u

/* Where a failing function says why; text ends in a zero. */
typedef struct TilewrightHarnessMessage {
  uint32_t abi_version;
  uint32_t struct_size;
  char text[512];
} TilewrightHarnessMessage;

/* What the library says of itself. tilewright fills abi_version and struct_size with its own; the
 * library writes TILEWRIGHT_HARNESS_ABI into abi_version and sets `json`, which stays valid until
 * release(NULL).
 *
 * `json` is an object with these keys:
 *   name         how the kernel is called in reports: letters, digits, '-', '_' and '.'
 *   memory       "cuda", or "host" for one that runs on the CPU: then stream is NULL and run
 *                returns when D is complete
 *   op           list of operations it takes: "gemm"
 *   dtype        list of the types of A and B: "bf16", "f16", "e4m3"
 *   out_dtype    list of the types of D: "bf16", "f16", "f32"; absent: that of A and B
 *   layout       list of "tn", "nn", "nt", "tt" (TilewrightHarnessProblem); absent: ["tn"]
 *   epilogue     list of what it computes beside alpha = 1, beta = 0: "alpha", "beta", "bias",
 *                "relu", "gelu", "gelu-erf", "silu", "scale_a", "scale_b"; absent: nothing
 *   groups       true for one that takes several products a launch; absent: false
 *   axes         object: the name of a parameter -> list of whole numbers; absent: no parameters
 *   constraints  list of expressions that hold for a legal config, over the axes and m, n, k:
 *                "tile_m * tile_n <= 32768", "k % tile_k == 0"; absent: none
 *   configs      list of objects with one value of each axis, in place of all combinations
 * Expressions have + - * / % (whole numbers, division rounds down), < <= > >= == !=, && || !,
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
 * D and C are m x n with n contiguous. The layout is two letters: the first is 't' where A is m x k
 * with k contiguous and 'n' where it is k x m with m contiguous, the second 'n' where B is n x k
 * with k contiguous and 't' where it is k x n with n contiguous. A leading dimension is the number
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
  const char *scale_a;      /* "none", or "tensor": one fp32 value; others may follow */
  const char *scale_b;
  float alpha;
  float beta;             /* 0: C is not read */
  int32_t has_bias;       /* n elements, added to every row */
  int32_t value_count;
  const TilewrightHarnessValue *values; /* one of each axis, in the description's order */
  int64_t product_count;                /* 1 unless the library takes groups */
  const int64_t *m;                     /* product_count of each */
  const int64_t *n;
  const int64_t *k;
  const int64_t *lda;
  const int64_t *ldb;
  const int64_t *ldc;
  const int64_t *ldd;
} TilewrightHarnessProblem;

/* What a workspace holds. */
enum {
  TILEWRIGHT_HARNESS_INIT_NONE = 0,      /* anything, before every run */
  TILEWRIGHT_HARNESS_INIT_ZERO_ONCE = 1, /* zeros before the first run, then what the last one left */
  TILEWRIGHT_HARNESS_INIT_ZERO_EACH = 2  /* zeros before every run; clearing it is not timed */
};

/* A prepared launch. tilewright zeroes it before prepare. Pointers of the problem are valid until
 * prepare returns. */
typedef struct TilewrightHarnessPlan {
  uint32_t abi_version;
  uint32_t struct_size;
  void *state;                 /* the library's own, handed to run, tile and release */
  int64_t workspace_bytes;     /* that a run may write; 0: none */
  int64_t workspace_alignment; /* bytes, a power of two; 0: 256 */
  int32_t workspace_init;      /* TILEWRIGHT_HARNESS_INIT_... */
  int32_t reserved;
  int64_t slot_count; /* of tilewright_harness_tile, in launch order; 0: it says nothing */
  int64_t tile_m;     /* elements of D that a slot computes, where slot_count is not 0 */
  int64_t tile_n;
} TilewrightHarnessPlan;

/* Where one run reads and writes: device memory of a library that runs on the GPU. Lists have
 * product_count pointers and lie in host memory. */
typedef struct TilewrightHarnessOperands {
  uint32_t abi_version;
  uint32_t struct_size;
  const void *const *a;
  const void *const *b;
  const void *const *c; /* NULL where beta is 0 */
  void *const *d;
  const void *bias;     /* NULL without one */
  const float *scale_a; /* NULL where the problem says "none" */
  const float *scale_b;
  void *workspace;              /* NULL where the plan asks for none */
  const int32_t *row_offsets;   /* in device memory, product_count + 1: where the rows of each product
                                   begin in A and D; NULL unless the products' rows lie packed */
} TilewrightHarnessOperands;

/* Describes the library. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_describe(TilewrightHarnessDescription *description,
                                                          TilewrightHarnessMessage *message);

/* Plans one config of one problem: compiles or picks a kernel, encodes tensor maps, sizes the
 * workspace. May allocate and synchronise; its time is not counted. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_prepare(const TilewrightHarnessProblem *problem,
                                                         TilewrightHarnessPlan *plan,
                                                         TilewrightHarnessMessage *message);

/* Launches a plan on `stream` (a cudaStream_t) and returns: work on no other stream, no allocation,
 * no synchronisation. Computes D of the operands that it is given now, writes D and the workspace,
 * and nothing else; operands may lie elsewhere, or hold other values, at the next run. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_run(void *state,
                                                     const TilewrightHarnessOperands *operands,
                                                     void *stream,
                                                     TilewrightHarnessMessage *message);

/* Frees a plan's state, or for NULL what describe handed out. */
TILEWRIGHT_HARNESS_EXPORT void tilewright_harness_release(void *state);

/* Optional: the tile of slot `slot`, from 0, in units of tile_m x tile_n; -1 and -1 for a slot that
 * computes none. The function that the kernel itself calls with its CTA's number is the one to call
 * here: then what is proved and drawn is what runs. */
TILEWRIGHT_HARNESS_EXPORT int tilewright_harness_tile(const void *state, int64_t slot, int64_t *m,
                                                      int64_t *n);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_HARNESS_H_ */
