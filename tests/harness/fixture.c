/* A harness on host memory. Its axis `fault` chooses which rule of the interface it breaks; 0 is
 * none. DESCRIBE_FAULT makes `describe` fail; as "duplicate" it maps a tile twice, as "slow" the
 * harness takes eight times as long, and as "experts" it computes groups, with the parameters of
 * vLLM's files as its axes: BLOCK_SIZE_M is 16, 64 for eight times as long, or 128 for 64 times. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright_harness.h>
#include <unistd.h>

enum Fault {
  NO_FAULT,
  WRONG,
  BYTE_OUTSIDE,
  HANG,
  CRASH,
  FAILURE,
  WORKSPACE,
  REMEMBERED,
  WRITES_A,
  STALE_D,
  PREPARE_CRASH,
  PREPARE_FAILURE,
  SLOW,
  HUGE_WORKSPACE,
  WIDEST_ALIGNMENT,
  MOST_BYTES
};

enum { kMaxGroup = 64 };

struct State {
  int64_t m, n, k;
  int64_t group;            /* products */
  int64_t rows[kMaxGroup];  /* of each product */
  int64_t repeats;          /* times that each row is computed */
  int64_t fault;
  uint16_t *remembered;
};

static int is_variant(const char *name) {
#if defined(DESCRIBE_FAULT)
  return strcmp(DESCRIBE_FAULT, name) == 0;
#else
  (void)name;
  return 0;
#endif
}

/* Crashes even if the program handles SIGSEGV. */
static void crash(void) {
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

static float float_of(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static int fail(TilewrightHarnessMessage *message, const char *text) {
  snprintf(message->text, sizeof message->text, "%s", text);
  return 1;
}

int tilewright_harness_describe(TilewrightHarnessDescription *description,
                                TilewrightHarnessMessage *message) {
  description->abi_version = TILEWRIGHT_HARNESS_ABI;
  description->json =
      "{\"name\": \"fixture\", \"memory\": \"host\", \"op\": [\"gemm\"], \"dtype\": [\"bf16\"],"
      " \"axes\": {\"fault\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], \"rows\": [8, 16, 64]},"
      " \"constraints\": [\"m % rows == 0\"]}";
  if (is_variant("json")) description->json = "{\"name\": \"fixture\", ";
  if (is_variant("crash")) crash();
  if (is_variant("failure")) return fail(message, "no licence was found");
  if (is_variant("version")) description->abi_version = 99;
  if (is_variant("experts")) {
    description->json =
        "{\"name\": \"experts\", \"memory\": \"host\", \"op\": [\"gemm\"], \"dtype\": [\"bf16\"],"
        " \"groups\": true, \"axes\": {\"BLOCK_SIZE_M\": [16, 64, 128], \"BLOCK_SIZE_N\": [64],"
        " \"BLOCK_SIZE_K\": [32], \"GROUP_SIZE_M\": [8], \"num_warps\": [4], \"num_stages\": [3]},"
        " \"default\": {\"BLOCK_SIZE_M\": 64, \"BLOCK_SIZE_N\": 64, \"BLOCK_SIZE_K\": 32,"
        " \"GROUP_SIZE_M\": 8, \"num_warps\": 4, \"num_stages\": 3}}";
  }
  (void)message;
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem *problem, TilewrightHarnessPlan *plan,
                               TilewrightHarnessMessage *message) {
  struct State *const state = calloc(1, sizeof *state);
  state->m = problem->m[0];
  state->n = problem->n[0];
  state->k = problem->k[0];
  state->repeats = is_variant("slow") ? 8 : 1;
  if (problem->product_count > kMaxGroup) {
    free(state);
    return fail(message, "the group has more than 64 products");
  }
  state->group = problem->product_count;
  memcpy(state->rows, problem->m, (size_t)state->group * sizeof *state->rows);
  if (is_variant("experts")) {
    const int64_t rows = problem->values[0].value;
    state->repeats = rows == 16 ? 1 : rows == 64 ? 8 : 64;
    plan->state = state;
    return 0;
  }
  state->fault = problem->values[0].value;
  if (state->fault == SLOW) state->repeats = 8;
  if (state->fault == PREPARE_CRASH) crash();
  if (state->fault == PREPARE_FAILURE) {
    free(state);
    return fail(message, "rows need 230 KiB of shared memory");
  }
  plan->state = state;
  plan->tile_m = problem->values[1].value;
  plan->tile_n = state->n;
  plan->slot_count = state->m / plan->tile_m;
  plan->workspace_bytes = 64;
  plan->workspace_init = TILEWRIGHT_HARNESS_INIT_ZERO_EACH;
  if (state->fault == HUGE_WORKSPACE) plan->workspace_bytes = INT64_C(1) << 46;
  if (state->fault == WIDEST_ALIGNMENT) plan->workspace_alignment = INT64_C(1) << 62;
  if (state->fault == MOST_BYTES) plan->workspace_bytes = INT64_MAX;
  return 0;
}

static void compute(const struct State *state, int64_t rows, const uint16_t *a, const uint16_t *b,
                    uint16_t *d) {
  for (int64_t i = 0; i < rows * state->repeats; ++i) {
    for (int64_t j = 0; j < state->n; ++j) {
      const int64_t row = i % rows;
      float sum = 0;
      for (int64_t k = 0; k < state->k; ++k) {
        sum += float_of(a[row * state->k + k]) * float_of(b[j * state->k + k]);
      }
      d[row * state->n + j] = bf16_of(sum);
    }
  }
}

int tilewright_harness_run(void *opaque, const TilewrightHarnessOperands *operands, void *stream,
                           TilewrightHarnessMessage *message) {
  struct State *const state = opaque;
  const uint16_t *const a = operands->a[0];
  uint16_t *const d = operands->d[0];
  const size_t elements = (size_t)(state->m * state->n);
  (void)stream;
  if (state->fault == CRASH) crash();
  while (state->fault == HANG) pause();
  if (state->fault == FAILURE) return fail(message, "the grid has no CTAs");
  if (state->fault == STALE_D) return 0;
  if (state->fault == REMEMBERED && state->remembered != NULL) {
    memcpy(d, state->remembered, elements * sizeof *d);
    return 0;
  }
  for (int64_t i = 0; i < state->group; ++i) {
    compute(state, state->rows[i], operands->a[i], operands->b[i], operands->d[i]);
  }
  if (state->fault == WRONG) d[3 * state->n + 5] = bf16_of(1000);
  if (state->fault == BYTE_OUTSIDE) ((char *)(d + elements))[0] = 1;
  if (state->fault == WORKSPACE) ((char *)operands->workspace)[64] = 1;
  if (state->fault == WRITES_A) ((uint16_t *)a)[7] ^= 1;
  if (state->fault == REMEMBERED) {
    state->remembered = malloc(elements * sizeof *d);
    memcpy(state->remembered, d, elements * sizeof *d);
  }
  return 0;
}

int tilewright_harness_tile(const void *opaque, int64_t slot, int64_t *m, int64_t *n) {
  (void)opaque;
  *m = slot;
  if (is_variant("duplicate") && slot == 1) *m = 0;
  *n = 0;
  return 0;
}

void tilewright_harness_release(void *opaque) {
  if (opaque != NULL) free(((struct State *)opaque)->remembered);
  free(opaque);
}
