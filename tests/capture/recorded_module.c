/* A library that links cuBLAS, for programs that open it with RTLD_LOCAL, as Python does PyTorch. */
#include "fake_cublas.h"

int call_product(void) {
  const float one = 1;
  const float zero = 0;
  return cublasGemmEx(NULL, 1, 0, 64, 32, 128, &one, NULL, 14, 128, NULL, 14, 128, &zero, NULL, 14, 64, 68, -1);
}
