/* The interface of tests/capture/fake_cublas.c: names, arguments and numbers are cuBLAS's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct FakeLayout FakeLayout;
typedef struct FakeOperation FakeOperation;

int cublasLtMatrixLayoutCreate(FakeLayout** layout, int type, uint64_t rows, uint64_t columns, int64_t pitch);
int cublasLtMatrixLayoutSetAttribute(FakeLayout* layout, int attribute, const void* value, size_t bytes);
int cublasLtMatmulDescCreate(FakeOperation** operation, int sums, int factor_type);
int cublasLtMatmulDescSetAttribute(FakeOperation* operation, int attribute, const void* value, size_t bytes);
int cublasLtMatmul(void* handle, FakeOperation* operation, const void* alpha, const void* a,
                   FakeLayout* a_layout, const void* b, FakeLayout* b_layout, const void* beta,
                   const void* c, FakeLayout* c_layout, void* d, FakeLayout* d_layout,
                   const void* algorithm, void* workspace, size_t workspace_bytes, void* stream);
/* The calls of cublasLtMatmul that arrived, nested ones too. */
long fake_lt_calls(void);

int cublasGemmEx(void* handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb, const void* beta,
                 void* c, int type_c, int ldc, int sums, int algorithm);
int cublasGemmEx_64(void* handle, int operation_a, int operation_b, int64_t m, int64_t n, int64_t k,
                    const void* alpha, const void* a, int type_a, int64_t lda, const void* b, int type_b,
                    int64_t ldb, const void* beta, void* c, int type_c, int64_t ldc, int sums,
                    int algorithm);
int cublasGemmStridedBatchedEx(void* handle, int operation_a, int operation_b, int m, int n, int k,
                               const void* alpha, const void* a, int type_a, int lda,
                               long long stride_a, const void* b, int type_b, int ldb,
                               long long stride_b, const void* beta, void* c, int type_c, int ldc,
                               long long stride_c, int batch, int sums, int algorithm);
int cublasGemmBatchedEx(void* handle, int operation_a, int operation_b, int m, int n, int k,
                        const void* alpha, const void* const* a, int type_a, int lda,
                        const void* const* b, int type_b, int ldb, const void* beta, void* const* c,
                        int type_c, int ldc, int batch, int sums, int algorithm);
int cublasSgemm_v2(void* handle, int operation_a, int operation_b, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b, int ldb,
                   const float* beta, float* c, int ldc);
