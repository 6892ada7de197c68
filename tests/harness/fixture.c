/* A harness on host memory. Its axis `fault` chooses which rule of the interface it breaks; 0 is
 * none. DESCRIBE_FAULT makes `describe` fail; as "duplicate" it maps a tile twice, and as "slow" the
 * harness takes eight times as long. */
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

struct State {
  int64_t m, n, k;
  int64_t fault;
  uint16_t *remembered;
};

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
#if defined(DESCRIBE_FAULT)
  if (strcmp(DESCRIBE_FAULT, "json") == 0) description->json = "{\"name\": \"fixture\", ";
  if (strcmp(DESCRIBE_FAULT, "crash") == 0) crash();
  if (strcmp(DESCRIBE_FAULT, "failure") == 0) return fail(message, "no licence was found");
  if (strcmp(DESCRIBE_FAULT, "version") == 0) description->abi_version = 99;
#endif
  (void)message;
  return 0;
}

int tilewright_harness_prepare(const TilewrightHarnessProblem *problem, TilewrightHarnessPlan *plan,
                               TilewrightHarnessMessage *message) {
  struct State *const state = calloc(1, sizeof *state);
  state->m = problem->m[0];
  state->n = problem->n[0];
  state->k = problem->k[0];
  state->fault = problem->values[0].value;
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

int tilewright_harness_run(void *opaque, const TilewrightHarnessOperands *operands, void *stream,
                           TilewrightHarnessMessage *message) {
  struct State *const state = opaque;
  const uint16_t *const a = operands->a[0];
  const uint16_t *const b = operands->b[0];
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
  int is_slow = state->fault == SLOW;
#if defined(DESCRIBE_FAULT)
  if (strcmp(DESCRIBE_FAULT, "slow") == 0) is_slow = 1;
#endif
  for (int64_t i = 0; i < state->m * (is_slow ? 8 : 1); ++i) {
    for (int64_t j = 0; j < state->n; ++j) {
      const int64_t row = i % state->m;
      float sum = 0;
      for (int64_t k = 0; k < state->k; ++k) {
        sum += float_of(a[row * state->k + k]) * float_of(b[j * state->k + k]);
      }
      d[row * state->n + j] = bf16_of(sum);
    }
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
#if defined(DESCRIBE_FAULT)
  if (strcmp(DESCRIBE_FAULT, "duplicate") == 0 && slot == 1) *m = 0;
#endif
  *n = 0;
  return 0;
}

void tilewright_harness_release(void *opaque) {
  if (opaque != NULL) free(((struct State *)opaque)->remembered);
  free(opaque);
}
