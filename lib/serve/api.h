/* Matrix products on kernels that tilewright tuned.
 *
 * Products, groups of products and rank-k updates on NVIDIA GPUs of compute capability 9.0:
 *
 *   gemm          D = scale_d activation(alpha scale_a scale_b A B + beta C + bias)
 *   grouped gemm  the same for every group: the groups' rows of A and of D follow one another, and
 *                 each group has its own B
 *   syrk          D = alpha A A' + beta C, one triangle of it or both
 *   syr2k         D = alpha (A B' + B A') + beta C
 *   her2k         the same for complex matrices, B conjugated; all real parts come before all
 *                 imaginary parts
 *
 * With two groups or more, their numbers of rows may exist on the device only (group_rows NULL).
 * The kernel then reads them in its stream, so a captured launch computes any routing with at most
 * m rows in total, also with empty groups or with all rows in one group. Rows of D after the last
 * group are not written. The choice of the kernel depends on groups, m, n and k, as if all groups
 * had equal rows.
 *
 * If k is 0, A B is 0.
 *
 * Every function is safe to call from several threads and for several devices. A launch is ordered
 * in its stream. It does not allocate or wait, except the first launch of a process on a device,
 * which loads kernels: call shipped_prepare() first, and before a stream is captured. The first
 * calls of a product that races (shipped_set_policy) may make events and a thread. Groups with
 * rows on the host are another exception: the first call with these rows, of shipped_workspace() or
 * of a launch, may copy a table of tiles to device memory of the library. Tables of captured
 * launches stay there; others are freed, after a wait for the device, when they exceed 64 MiB. */
#ifndef SHIPPED_H
#define SHIPPED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The status that a function returns. After any but SHIPPED_GOOD, shipped_error() describes it. */
enum shipped_status {
  SHIPPED_GOOD = 0,
  SHIPPED_BAD_CALL = 1,    /* an argument is wrong */
  SHIPPED_UNSUPPORTED = 2, /* no kernel here supports these types, sizes, addresses or the device */
  SHIPPED_CUDA = 3,        /* the CUDA runtime or the driver refused */
  SHIPPED_INTERNAL = 4
};

enum shipped_op { SHIPPED_GEMM = 0, SHIPPED_SYRK = 1, SHIPPED_SYR2K = 2, SHIPPED_HER2K = 3 };

enum shipped_type {
  SHIPPED_BF16 = 0,
  SHIPPED_F16 = 1,
  SHIPPED_F32 = 2,  /* of D only */
  SHIPPED_E4M3 = 3,
  SHIPPED_E5M2 = 4  /* of A and B only; since version 3 */
};

/* The contiguous dimensions. First letter, A: T is m x k with k contiguous, N is k x m with m
 * contiguous. Second letter, B: N is n x k with k contiguous, T is k x n with n contiguous. D and C
 * are m x n with n contiguous. */
enum shipped_layout { SHIPPED_TN = 0, SHIPPED_NN = 1, SHIPPED_NT = 2, SHIPPED_TT = 3 };

enum shipped_uplo { SHIPPED_LOWER = 0, SHIPPED_UPPER = 1, SHIPPED_FULL = 2 };

enum shipped_activation {
  SHIPPED_NO_ACTIVATION = 0,
  SHIPPED_RELU = 1,
  SHIPPED_GELU = 2,     /* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
  SHIPPED_GELU_ERF = 3, /* x (1 + erf(x / sqrt(2))) / 2 */
  SHIPPED_SILU = 4,     /* x / (1 + exp(-x)) */
  /* These combine columns 2 j (gate) and 2 j + 1 (up) of the activation's input: D is m x n / 2
   * then, and beta must be 0. */
  SHIPPED_SWIGLU = 5,   /* silu(gate) up */
  SHIPPED_GEGLU = 6,    /* gelu(gate) up */
  SHIPPED_GEGLU_ERF = 7 /* gelu_erf(gate) up */
};

/* What the fp32 scales of an 8-bit operand cover, and their order. A line is a row of A or a column
 * of B. Blocks are 128 of k long; the last one may be shorter. The scales of groups' A are those of
 * its m rows; each group has scales of B, one after the other. */
enum shipped_scale {
  SHIPPED_SCALE_TENSOR = 0,     /* the whole operand: one scale */
  SHIPPED_SCALE_LINE = 1,       /* one line: m or n scales; for A and B together, as are others */
  SHIPPED_SCALE_1X128 = 2,      /* 128 of k in one line: for each 128 of k the scales of all lines,
                                   filled up to a multiple of 4 */
  SHIPPED_SCALE_1X128_K = 3,    /* the same: for each line the scales of all k */
  SHIPPED_SCALE_128X128 = 4,    /* 128 of k in 128 columns of B: for each 128 columns those of all k;
                                   for B beside 1x128 of A */
  SHIPPED_SCALE_128X128_K4 = 5  /* the same, filled up to a multiple of 4 */
};

enum shipped_accumulation {
  SHIPPED_FAST = 0,    /* the tensor cores sum all of k; of 8-bit products they keep some 14 bits */
  SHIPPED_PROMOTED = 1 /* fp32 registers add the sums of every 128 of k; implied by blocks */
};

/* How the GPUs of one host share a gemm, each by a call of its own. m, n and k are those of the whole
 * product; every GPU has its share of the operands and of D, with the leading dimensions of the share.
 * Since version 5. */
enum shipped_parallel {
  SHIPPED_ALONE = 0,
  SHIPPED_REDUCE_SCATTER = 1, /* row-parallel: A is m x k/gpus and B k/gpus x n; D has this GPU's m/gpus
                                 rows of the sum over all GPUs. Bias and activation are applied once */
  SHIPPED_ALL_GATHER = 3      /* column-parallel: A is m/gpus x k, the rows that this GPU sends to the
                                 others, and B k x n/gpus; D is m x n/gpus. A's rows have no gaps */
};

/* The memory that the GPUs of a communicator reach on each other, and the count of its launches. */
typedef struct shipped_comm shipped_comm;

/* What other ranks need to reach a rank's memory; it may be copied, sent and written to a file. */
typedef struct shipped_comm_handle {
  unsigned char bytes[256];
} shipped_comm_handle;

/* A factor of D, and the largest magnitude of D's elements before it. */
typedef struct shipped_output_scaling {
  float scale;
  float absmax; /* a launch leaves the larger of this and its own, NaN as the largest */
} shipped_output_scaling;

/* One call. Begin with shipped_default_call(), which sets defaults for later versions' fields. */
typedef struct shipped_call {
  uint64_t size; /* sizeof(shipped_call) */
  int32_t op;
  int32_t type;     /* of A and B */
  int32_t out_type; /* of D */
  int32_t layout;
  int32_t uplo; /* for rank-k updates: the triangle that is stored */
  int32_t activation;
  int64_t m; /* for groups: the sum of their rows or, if only the device has these, the rows that a
                and d have room for */
  int64_t n;
  int64_t k;
  int64_t lda; /* elements between rows in memory; 0: rows without gaps */
  int64_t ldb;
  int64_t ldc;
  int64_t ldd;
  const void* a;
  const void* b; /* for groups: their B matrices, one after the other; syrk does not read it */
  const void* c; /* read if beta is not 0; its type is A's, or bf16 if A has 8 bits */
  void* d;
  const void* bias; /* n elements of C's type, added to every row; or NULL. Since version 3 see
                       bias_along_m */
  float alpha;
  float beta;
  const float* scale_a; /* on the device, or NULL. One value; since version 3 see scale_a_form */
  const float* scale_b;
  int64_t groups;            /* for a grouped gemm */
  const int64_t* group_rows; /* for each group, on the host; NULL: only the device has them */
  const void* offsets; /* groups + 1 int32 on the device: the first row of each group, beginning
                          with 0, and the end of the last */
  void* workspace;     /* shipped_workspace() bytes, any contents, not shared by concurrent calls */
  uint64_t workspace_bytes;
  void* stream; /* a cudaStream_t of the current device */
  /* Since version 2. */
  const void* group_ends; /* may replace offsets if group_rows is NULL: groups int32 on the device,
                             the end of each group's rows */
  /* Since version 3. */
  int32_t scale_a_form; /* a shipped_scale, of 8-bit operands */
  int32_t scale_b_form;
  int32_t accumulation;
  int32_t bias_along_m; /* not 0: the bias has m elements, one added to all of each row */
  int32_t stacked;      /* not 0: the gates are columns 0 to n / 2 - 1, the ups the others */
  int32_t uses_scale_d; /* not 0: scaling->scale is a factor of D */
  int32_t takes_absmax; /* not 0: a launch updates scaling->absmax */
  shipped_output_scaling* scaling; /* on the device; with it ldc must be ldd if C is read */
  /* Since version 5. */
  shipped_comm* comm; /* of this GPU and its peers, if they share the product */
  int32_t parallel;   /* a shipped_parallel */
  int32_t gpus;       /* that share the product; 0: those of comm */
  /* Since version 6. */
  int32_t sms; /* multiprocessors that the launch keeps to; 0: those of shipped_set_sm_budget() */
} shipped_call;

/* What answers. The policies of races are for products that nobody tuned: single products and rank-k
 * updates for which shipped_why() names a range or the model as the source. Since version 4. */
enum shipped_policy {
  /* Always the same kernel: by the library's table, or cuBLASLt's first choice, if the process has
   * cuBLASLt and the table's kernel is not predicted to be clearly faster. */
  SHIPPED_PLAIN = 0,
  /* The first calls of such a product race: they run a few kernels in turn, on the caller's operands
   * and in its stream, and are timed there without a wait. After at most 27 calls the fastest kernel
   * answers, if its time is shorter than the plain answer's beyond the interval of the times. Every
   * result is right, but while it races the bits may differ from call to call, and afterwards they
   * may differ from the plain answer's. A cuBLASLt of the process takes part with its first choice. */
  SHIPPED_RACE = 1,
  /* The same among the library's kernels that add the terms of every element in the order of the
   * plain answer: every result is bit for bit that of SHIPPED_PLAIN. No race where cuBLASLt is the
   * plain answer. */
  SHIPPED_RACE_BITWISE = 2,
  /* A row of D has the same bits at every M: products and groups, also those that were tuned, are
   * answered by the library's kernels of whole tiles, which add the terms of an element in one order.
   * A call that no such kernel computes is refused, as are rank-k updates and products whose K is
   * divided among GPUs. It costs time where few rows would divide K. Since version 6. */
  SHIPPED_BATCH_INVARIANT = 3
};

#define SHIPPED_ABI_VERSION 6

/* The version of this interface: SHIPPED_ABI_VERSION of the header that the library was built with.
 * The library accepts calls of earlier versions, which are smaller. */
int shipped_abi_version(void);

/* A call with this header's size, alpha 1 and zeros elsewhere. Inline in the program, so that its
 * calls have this header's size with any version of the library. */
static inline shipped_call shipped_default_call(void) {
  shipped_call call;
  memset(&call, 0, sizeof(call));
  call.size = sizeof(call);
  call.alpha = 1;
  return call;
}

/* Loads every kernel on a device, so that later calls only launch. */
int shipped_prepare(int device);

/* Sets the policy, a shipped_policy, for later calls of all threads; at first it is SHIPPED_PLAIN.
 * Calls of a captured stream do not race: they run the winner, or the plain answer before there is
 * one. Winners are kept for later processes in the folder TILEWRIGHT_CACHE_DIR, else in tilewright
 * of XDG_CACHE_HOME or of HOME's .cache. Set the policy before shipped_workspace() is called: with
 * less workspace, only kernels that it is enough for answer. Since version 4. */
int shipped_set_policy(int policy);

/* Sets the number of multiprocessors that later launches of all threads keep to if their calls name
 * none, so that a collective or a copy has the others; 0, as at first: all of them. A launch then has
 * at most one CTA for each.
 * Calls are answered by what was tuned for this number, else by the prices of the library's kernels
 * on so many; a call that no kernel computes so is refused. cuBLASLt, where it answers, takes the
 * number as its target. Since version 6. */
int shipped_set_sm_budget(int sms);

/* Bytes of workspace that a call needs, and the alignment of their address, bytes: for a product
 * that races, the most that one of its kernels needs. Only the alignment of the call's pointers
 * matters. */
int shipped_workspace(const shipped_call* call, uint64_t* bytes, uint64_t* alignment);

/* Launch the call on the current device, in its stream. */
int shipped_gemm(const shipped_call* call);
int shipped_grouped_gemm(const shipped_call* call);
int shipped_rank_k(const shipped_call* call);

/* Products that GPUs of one host share, since version 5.
 *
 * Every rank makes its part of a communicator on its own device, in one process or in several, gives
 * the others its handle by any means, and connects with all handles in the order of the ranks. Then
 * all ranks launch the same products in the same order, each in one stream at a time: launches of a
 * communicator do not overlap. A launch neither synchronizes the host nor orders streams of several
 * GPUs; it waits on its GPU for what the others send, so load the kernels first (shipped_prepare). A
 * reduce-scatter may be captured; an all-gather may not, nor may one follow a captured launch of the
 * same communicator.
 *
 * Results repeat bit for bit. If a rank sends nothing for limit_ms, the others end without it, with a
 * wrong D, and so do their later launches; shipped_comm_lost() names the rank. */

/* Bytes that the communicator of a call needs; a communicator serves all calls that need at most its
 * own. Reads no address of the call, whose `gpus` says how many share it. Needs no GPU. */
int shipped_comm_bytes(const shipped_call* call, uint64_t* bytes);

/* Allocates twice `bytes` on the current device, which becomes rank `rank` of `gpus`. limit_ms 0: a
 * minute. Waits for the device. */
int shipped_comm_create(int rank, int gpus, uint64_t bytes, uint64_t limit_ms, shipped_comm** comm,
                        shipped_comm_handle* handle);

/* Maps the memory of the others. `handles`: `gpus` of them. */
int shipped_comm_connect(shipped_comm* comm, const shipped_comm_handle* handles);

/* Sets `rank` to one that a launch has waited for in vain, or to -1. Waits for the device. */
int shipped_comm_lost(shipped_comm* comm, int* rank);

/* Frees the memory, after a wait for the device; no rank may launch any more. NULL is allowed. */
int shipped_comm_destroy(shipped_comm* comm);

/* Writes one line on what answers a call, and why; cut to `bytes` bytes. Needs no GPU. */
int shipped_why(const shipped_call* call, char* text, uint64_t bytes);

/* Describes the error of this thread's last call that did not return SHIPPED_GOOD. */
const char* shipped_error(void);

#ifdef __cplusplus
}
#endif

#endif
