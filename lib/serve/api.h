/* Matrix products by kernels that tilewright tuned.
 *
 * Products, groups of products and rank-k updates on NVIDIA GPUs of compute capability 9.0:
 *
 *   gemm          D = activation(alpha scale_a scale_b A B + beta C + bias)
 *   grouped gemm  the same of every group: rows of A and of D lie one behind the other, each group
 *                 has a B of its own
 *   syrk          D = alpha A A' + beta C, one triangle of it or both
 *   syr2k         D = alpha (A B' + B A') + beta C
 *   her2k         the same of complex matrices, B conjugated; all real parts come before all
 *                 imaginary ones
 *
 * The rows of a grouped gemm's groups, two at least, may be known on the device alone (group_rows
 * NULL). The kernel then reads them in its stream, so that a captured launch computes whatever
 * routing it finds: any rows whose sum is at most m, empty groups and one group of all of them
 * included. Rows of D behind the last group's are not written. Which kernel answers rests on
 * groups, m, n and k, as of groups of even rows.
 *
 * Where k is 0, A B is 0.
 *
 * Every function is safe to call from several threads and for several devices. A launch is ordered
 * in its stream; it allocates nothing and waits for nothing, but for the first one of a process on
 * a device, which loads kernels: call shipped_prepare() before, and before a stream is captured. */
#ifndef SHIPPED_H
#define SHIPPED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function returns. Everything but SHIPPED_GOOD has a sentence in shipped_error(). */
enum shipped_status {
  SHIPPED_GOOD = 0,
  SHIPPED_BAD_CALL = 1,    /* an argument is wrong */
  SHIPPED_UNSUPPORTED = 2, /* no kernel here takes these types, sizes or addresses, or the device */
  SHIPPED_CUDA = 3,        /* the CUDA runtime or the driver refused */
  SHIPPED_INTERNAL = 4
};

enum shipped_op { SHIPPED_GEMM = 0, SHIPPED_SYRK = 1, SHIPPED_SYR2K = 2, SHIPPED_HER2K = 3 };

enum shipped_type { SHIPPED_BF16 = 0, SHIPPED_F16 = 1, SHIPPED_F32 = 2, SHIPPED_E4M3 = 3 };

/* Which dimension is contiguous. T: A is m x k with k contiguous, N: A is k x m with m contiguous;
 * then of B, N: n x k with k contiguous, T: k x n with n contiguous. D and C are m x n with n
 * contiguous. */
enum shipped_layout { SHIPPED_TN = 0, SHIPPED_NN = 1, SHIPPED_NT = 2, SHIPPED_TT = 3 };

enum shipped_uplo { SHIPPED_LOWER = 0, SHIPPED_UPPER = 1, SHIPPED_FULL = 2 };

enum shipped_activation {
  SHIPPED_NO_ACTIVATION = 0,
  SHIPPED_RELU = 1,
  SHIPPED_GELU = 2,     /* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
  SHIPPED_GELU_ERF = 3, /* x (1 + erf(x / sqrt(2))) / 2 */
  SHIPPED_SILU = 4,     /* x / (1 + exp(-x)) */
  /* Of neighbouring columns 2 j (gate) and 2 j + 1 (up) of what the activation is of: D is m x n /
   * 2 then, and beta 0. */
  SHIPPED_SWIGLU = 5,   /* silu(gate) up */
  SHIPPED_GEGLU = 6,    /* gelu(gate) up */
  SHIPPED_GEGLU_ERF = 7 /* gelu_erf(gate) up */
};

/* One call. Begin with shipped_default_call(), so that later versions' fields are as they were. */
typedef struct shipped_call {
  uint64_t size; /* sizeof(shipped_call) */
  int32_t op;
  int32_t type;     /* of A and B */
  int32_t out_type; /* of D */
  int32_t layout;
  int32_t uplo; /* of rank-k updates: the triangle that is stored */
  int32_t activation;
  int64_t m; /* of groups: the rows of all together; of those whose rows the host does not know, the
                rows that a and d have room for */
  int64_t n;
  int64_t k;
  int64_t lda; /* elements between rows as they lie; 0: none are skipped */
  int64_t ldb;
  int64_t ldc;
  int64_t ldd;
  const void* a;
  const void* b; /* of groups: the rows of every group's B one behind the other; of syrk not read */
  const void* c; /* read where beta is not 0; bf16 or f16 as A is, of e4m3 bf16 */
  void* d;
  const void* bias; /* n elements of C's type, added to every row; or NULL */
  float alpha;
  float beta;
  const float* scale_a; /* one value on the device, or NULL */
  const float* scale_b;
  int64_t groups;            /* of a grouped gemm */
  const int64_t* group_rows; /* of each group, on the host; NULL: the device alone knows them */
  const void* offsets; /* groups + 1 int32 on the device: where each group's rows begin, the first
                          at 0, and the end */
  void* workspace; /* shipped_workspace() bytes, holding anything, used by no other call at once */
  uint64_t workspace_bytes;
  void* stream; /* a cudaStream_t of the current device */
  /* Since version 2. */
  const void* group_ends; /* in place of offsets where group_rows is NULL: groups int32 on the
                             device, where each group's rows end */
} shipped_call;

#define SHIPPED_ABI_VERSION 2

/* The version of this interface: SHIPPED_ABI_VERSION of the header that the library was built with.
 * Calls of earlier versions, which are smaller, are taken as well. */
int shipped_abi_version(void);

/* Zeros, but for the size that this header gives a call and an alpha of 1. A part of the program,
 * so that its calls have their size whichever version of the library it finds. */
static inline shipped_call shipped_default_call(void) {
  shipped_call call;
  memset(&call, 0, sizeof(call));
  call.size = sizeof(call);
  call.alpha = 1;
  return call;
}

/* Loads every kernel on a device, so that later calls only launch. */
int shipped_prepare(int device);

/* Bytes of workspace that a call needs, and what their address is to be a multiple of. Pointers of
 * the call count by their alignment alone. */
int shipped_workspace(const shipped_call* call, uint64_t* bytes, uint64_t* alignment);

/* Launch. */
int shipped_gemm(const shipped_call* call);
int shipped_grouped_gemm(const shipped_call* call);
int shipped_rank_k(const shipped_call* call);

/* What answers a call, and why, as a line of text; cut where `bytes` are too few. Needs no GPU. */
int shipped_why(const shipped_call* call, char* text, uint64_t bytes);

/* What was wrong with this thread's last call that did not return SHIPPED_GOOD. */
const char* shipped_error(void);

#ifdef __cplusplus
}
#endif

#endif
