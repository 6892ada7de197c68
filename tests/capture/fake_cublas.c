/* A cuBLAS whose products go through cublasLtMatmul, as the real one's may. */
#include "fake_cublas.h"

static int nested(int type, int m, int n) {
  FakeOperation* operation = NULL;
  FakeLayout* layout = NULL;
  cublasLtMatmulDescCreate(&operation, 68, 0);
  cublasLtMatrixLayoutCreate(&layout, type, (uint64_t)m, (uint64_t)n, m);
  return cublasLtMatmul(NULL, operation, NULL, NULL, layout, NULL, layout, NULL, NULL, layout, NULL, layout,
                        NULL, NULL, 0, NULL);
}

/* The handle is the pointer mode. */
int cublasGetPointerMode_v2(void* handle, int* mode) {
  *mode = (int)(intptr_t)handle;
  return 0;
}

int cublasGemmEx(void* handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb, const void* beta,
                 void* c, int type_c, int ldc, int sums, int algorithm) {
  (void)handle, (void)operation_a, (void)operation_b, (void)k, (void)alpha, (void)a, (void)lda, (void)b;
  (void)type_b, (void)ldb, (void)beta, (void)c, (void)type_c, (void)ldc, (void)sums, (void)algorithm;
  return nested(type_a, m, n);
}

int cublasGemmEx_64(void* handle, int operation_a, int operation_b, int64_t m, int64_t n, int64_t k,
                    const void* alpha, const void* a, int type_a, int64_t lda, const void* b, int type_b,
                    int64_t ldb, const void* beta, void* c, int type_c, int64_t ldc, int sums,
                    int algorithm) {
  return cublasGemmEx(handle, operation_a, operation_b, (int)m, (int)n, (int)k, alpha, a, type_a, (int)lda, b,
                      type_b, (int)ldb, beta, c, type_c, (int)ldc, sums, algorithm);
}

int cublasGemmStridedBatchedEx(void* handle, int operation_a, int operation_b, int m, int n, int k,
                               const void* alpha, const void* a, int type_a, int lda,
                               long long stride_a, const void* b, int type_b, int ldb,
                               long long stride_b, const void* beta, void* c, int type_c, int ldc,
                               long long stride_c, int batch, int sums, int algorithm) {
  (void)stride_a, (void)stride_b, (void)stride_c, (void)batch;
  return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta,
                      c, type_c, ldc, sums, algorithm);
}

int cublasGemmBatchedEx(void* handle, int operation_a, int operation_b, int m, int n, int k,
                        const void* alpha, const void* const* a, int type_a, int lda,
                        const void* const* b, int type_b, int ldb, const void* beta, void* const* c,
                        int type_c, int ldc, int batch, int sums, int algorithm) {
  (void)batch, (void)a, (void)b, (void)c;
  return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, NULL, type_a, lda, NULL, type_b, ldb,
                      beta, NULL, type_c, ldc, sums, algorithm);
}

int cublasSgemm_v2(void* handle, int operation_a, int operation_b, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b, int ldb,
                   const float* beta, float* c, int ldc) {
  return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, a, 0, lda, b, 0, ldb, beta, c, 0, ldc, 68, 0);
}
