/* An example in C: one product D = A B by lib@NAME@.
 *
 *   cc example.c -Iinclude -Llib -l@NAME@ -Wl,-rpath,'$ORIGIN/lib' -ldl -o example && ./example
 *
 * The CUDA runtime is loaded by name, so that this compiles without a CUDA Toolkit. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "@NAME@.h"

typedef int (*malloc_function)(void**, size_t);
typedef int (*memset_function)(void*, int, size_t);
typedef int (*copy_function)(void*, const void*, size_t, int);
typedef int (*wait_function)(void);

static void* runtime_function(void* runtime, const char* name) {
  void* const function = dlsym(runtime, name);
  if (function == NULL) {
    fprintf(stderr, "the CUDA runtime has no %s\n", name);
    exit(1);
  }
  return function;
}

static void require(int status, const char* what) {
  if (status == 0) return;
  fprintf(stderr, "%s: %s\n", what, @NAME@_error());
  exit(1);
}

static void* allocated(malloc_function allocate, memset_function fill, size_t bytes) {
  void* memory = NULL;
  if (allocate(&memory, bytes) != 0) {
    printf("no GPU, or too little memory: the example launches nothing\n");
    exit(0);
  }
  /* Bytes of 0x3f: elements a little below one. */
  fill(memory, 0x3f, bytes);
  return memory;
}

int main(void) {
  const int64_t m = @M@, n = @N@, k = @K@;
  char why[512];
  @NAME@_call call = @NAME@_default_call();
  call.type = @TYPE@;
  call.out_type = @OUT_TYPE@;
  call.layout = @LAYOUT@;
  call.m = m;
  call.n = n;
  call.k = k;
  call.a = call.b = call.d = (void*)256; /* only the alignment of addresses matters to why */
@FIELDS@
  require(@NAME@_why(&call, why, sizeof why), "why");
  printf("%lldx%lldx%lld: %s\n", (long long)m, (long long)n, (long long)k, why);
  if (call.parallel != @LARGE@_ALONE) {
    printf("%d GPUs share it: test.py launches it\n", (int)call.gpus);
    return 0;
  }

  void* runtime = dlopen("libcudart.so.13", RTLD_NOW);
  if (runtime == NULL) runtime = dlopen("libcudart.so.12", RTLD_NOW);
  if (runtime == NULL) {
    printf("no CUDA runtime: the example cannot allocate memory and launches nothing\n");
    return 0;
  }
  malloc_function allocate = (malloc_function)runtime_function(runtime, "cudaMalloc");
  memset_function fill = (memset_function)runtime_function(runtime, "cudaMemset");
  copy_function copy = (copy_function)runtime_function(runtime, "cudaMemcpy");
  wait_function wait = (wait_function)runtime_function(runtime, "cudaDeviceSynchronize");
  call.a = allocated(allocate, fill, (size_t)(m * k * @BYTES@));
  call.b = allocated(allocate, fill, (size_t)(n * k * @BYTES@));
  call.d = allocated(allocate, fill, (size_t)(m * n * 4));
@POINTERS@
  require(@NAME@_prepare(0), "prepare");
  require(@NAME@_workspace(&call, &call.workspace_bytes, NULL), "workspace");
  if (call.workspace_bytes > 0) {
    call.workspace = allocated(allocate, fill, (size_t)call.workspace_bytes);
  }
  require(@NAME@_gemm(&call), "gemm");
  if (wait() != 0) {
    fprintf(stderr, "the launch failed\n");
    return 1;
  }
  uint16_t first = 0;
  copy(&first, call.d, sizeof first, 2);
  printf("launched; the bits of the first element are 0x%04x\n", first);
  return 0;
}
