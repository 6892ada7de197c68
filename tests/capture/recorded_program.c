/* recorded_program FILE [threads|forks|crash|kill|wait|fail]: makes the calls of FILE, one a line, all
   their numbers in the order of the fields below, and prints how many reached the library. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_cublas.h"

typedef struct {
  char function[16]; /* lt, ex, ex64, strided, batched, sgemm */
  int operation_a, operation_b, m, n, k, batch, type, type_d, by_rows, epilogue;
  float alpha, beta;
  int gap, scale_a, scale_b, fast, on_device, fails, times;
} Call;

enum { kMaxCalls = 4096, kThreads = 4 };
static Call calls[kMaxCalls];
static int count;

static FakeLayout* layout_of(const Call* call, int type, int rows, int columns) {
  FakeLayout* layout = NULL;
  const int64_t stride = (int64_t)rows * columns;
  const int64_t row = (call->by_rows ? columns : rows) + call->gap;
  cublasLtMatrixLayoutCreate(&layout, type, (uint64_t)rows, (uint64_t)columns, row);
  cublasLtMatrixLayoutSetAttribute(layout, 1, &call->by_rows, sizeof(int));
  cublasLtMatrixLayoutSetAttribute(layout, 5, &call->batch, sizeof(int));
  cublasLtMatrixLayoutSetAttribute(layout, 6, &stride, sizeof(stride));
  return layout;
}

static void set_scale(FakeOperation* operation, int pointer, int mode, int value) {
  static const float factor = 1;
  const void* const place = &factor;
  if (value < 0) return;
  cublasLtMatmulDescSetAttribute(operation, pointer, &place, sizeof(place));
  cublasLtMatmulDescSetAttribute(operation, mode, &value, sizeof(value));
}

static void call_lt(const Call* c) {
  FakeOperation* operation = NULL;
  const unsigned epilogue = (unsigned)c->epilogue;
  const signed char fast = (signed char)c->fast;
  cublasLtMatmulDescCreate(&operation, 68, 0);
  cublasLtMatmulDescSetAttribute(operation, 2, &c->on_device, sizeof(int));
  cublasLtMatmulDescSetAttribute(operation, 3, &c->operation_a, sizeof(int));
  cublasLtMatmulDescSetAttribute(operation, 4, &c->operation_b, sizeof(int));
  cublasLtMatmulDescSetAttribute(operation, 7, &epilogue, sizeof(epilogue));
  cublasLtMatmulDescSetAttribute(operation, 25, &fast, sizeof(fast));
  set_scale(operation, 17, 31, c->scale_a);
  set_scale(operation, 18, 32, c->scale_b);
  FakeLayout* const a = layout_of(c, c->type, c->operation_a ? c->k : c->m, c->operation_a ? c->m : c->k);
  FakeLayout* const b = layout_of(c, c->type, c->operation_b ? c->n : c->k, c->operation_b ? c->k : c->n);
  FakeLayout* const d = layout_of(c, c->type_d, c->m, c->n);
  cublasLtMatmul(NULL, operation, &c->alpha, NULL, a, NULL, b, &c->beta, NULL, d, NULL, d,
                 c->fails ? c : NULL, NULL, 0, NULL);
}

static void call_blas(const Call* c) {
  void* const handle = (void*)(intptr_t)c->on_device;
  const int lda = (c->operation_a ? c->k : c->m) + c->gap;
  const int ldb = (c->operation_b ? c->n : c->k) + c->gap;
  const int ldc = c->m + c->gap;
  if (strcmp(c->function, "ex") == 0) {
    cublasGemmEx(handle, c->operation_a, c->operation_b, c->m, c->n, c->k, &c->alpha, NULL, c->type, lda, NULL,
                 c->type, ldb, &c->beta, NULL, c->type_d, ldc, 68, -1);
  } else if (strcmp(c->function, "ex64") == 0) {
    cublasGemmEx_64(handle, c->operation_a, c->operation_b, c->m, c->n, c->k, &c->alpha, NULL, c->type, lda,
                    NULL, c->type, ldb, &c->beta, NULL, c->type_d, ldc, 68, -1);
  } else if (strcmp(c->function, "strided") == 0) {
    cublasGemmStridedBatchedEx(handle, c->operation_a, c->operation_b, c->m, c->n, c->k, &c->alpha, NULL,
                               c->type, lda, (long long)c->m * c->k, NULL, c->type, ldb,
                               (long long)c->k * c->n, &c->beta, NULL, c->type_d, ldc,
                               (long long)c->m * c->n, c->batch, 68, -1);
  } else if (strcmp(c->function, "batched") == 0) {
    cublasGemmBatchedEx(handle, c->operation_a, c->operation_b, c->m, c->n, c->k, &c->alpha, NULL, c->type, lda,
                        NULL, c->type, ldb, &c->beta, NULL, c->type_d, ldc, c->batch, 68, -1);
  } else {
    cublasSgemm_v2(handle, c->operation_a, c->operation_b, c->m, c->n, c->k, &c->alpha, NULL, lda, NULL, ldb,
                   &c->beta, NULL, ldc);
  }
}

static void* make_calls(void* unused) {
  for (int i = 0; i < count; ++i) {
    for (int time = 0; time < calls[i].times; ++time) {
      strcmp(calls[i].function, "lt") == 0 ? call_lt(&calls[i]) : call_blas(&calls[i]);
    }
  }
  return unused;
}

static void read_calls(const char* path) {
  FILE* const file = fopen(path, "r");
  Call c;
  while (file != NULL && count < kMaxCalls &&
         fscanf(file, "%15s %d %d %d %d %d %d %d %d %d %d %f %f %d %d %d %d %d %d %d", c.function,
                &c.operation_a, &c.operation_b, &c.m, &c.n, &c.k, &c.batch, &c.type, &c.type_d, &c.by_rows,
                &c.epilogue, &c.alpha, &c.beta, &c.gap, &c.scale_a, &c.scale_b, &c.fast, &c.on_device,
                &c.fails, &c.times) == 20) {
    calls[count++] = c;
  }
  if (file != NULL) fclose(file);
}

int main(int argc, char** argv) {
  const char* const how = argc > 2 ? argv[2] : "";
  if (argc > 1) read_calls(argv[1]);
  if (strcmp(how, "threads") == 0) {
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, make_calls, NULL);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "forks") == 0) {
    for (int i = 0; i < kThreads; ++i) {
      if (fork() == 0) {
        make_calls(NULL);
        _exit(0); /* without handlers at exit, as Python's worker processes */
      }
    }
    while (wait(NULL) > 0) {
    }
  } else {
    make_calls(NULL);
  }
  printf("%ld calls\n", fake_lt_calls());
  fflush(stdout);
  if (strcmp(how, "crash") == 0) raise(SIGSEGV);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "wait") == 0) pause();
  return strcmp(how, "fail") == 0 ? 3 : 0;
}
