/* A cuBLASLt that computes nothing, for tests of the shim. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cublas.h"

enum { kAttributes = 64, kInvalid = 7, kNotSupported = 15 };

typedef struct {
  unsigned char bytes[8];
  size_t size; /* 0: not set */
} Value;

/* Attributes have the sizes that the library documents. */
struct FakeLayout {
  Value values[kAttributes];
};
struct FakeOperation {
  Value values[kAttributes];
};

static atomic_long calls;

static int set(Value* values, int attribute, const void* value, size_t bytes) {
  if (attribute < 0 || attribute >= kAttributes || bytes > sizeof(values->bytes)) return kInvalid;
  memcpy(values[attribute].bytes, value, bytes);
  values[attribute].size = bytes;
  return 0;
}

static int get(const Value* values, int attribute, void* value, size_t bytes, size_t* written) {
  if (attribute < 0 || attribute >= kAttributes) return kInvalid;
  if (values[attribute].size != bytes) return kInvalid;
  memcpy(value, values[attribute].bytes, bytes);
  if (written != NULL) *written = bytes;
  return 0;
}

int cublasLtMatrixLayoutCreate(FakeLayout** layout, int type, uint64_t rows, uint64_t columns, int64_t pitch) {
  const int order = 0;
  const int batch = 1;
  const int64_t stride = 0;
  *layout = calloc(1, sizeof(**layout));
  set((*layout)->values, 0, &type, sizeof(type));
  set((*layout)->values, 1, &order, sizeof(order));
  set((*layout)->values, 2, &rows, sizeof(rows));
  set((*layout)->values, 3, &columns, sizeof(columns));
  set((*layout)->values, 4, &pitch, sizeof(pitch));
  set((*layout)->values, 5, &batch, sizeof(batch));
  set((*layout)->values, 6, &stride, sizeof(stride));
  return 0;
}

int cublasLtMatrixLayoutSetAttribute(FakeLayout* layout, int attribute, const void* value, size_t bytes) {
  return set(layout->values, attribute, value, bytes);
}

int cublasLtMatrixLayoutGetAttribute(FakeLayout* layout, int attribute, void* value, size_t bytes,
                                     size_t* written) {
  return get(layout->values, attribute, value, bytes, written);
}

int cublasLtMatmulDescCreate(FakeOperation** operation, int sums, int factor_type) {
  *operation = calloc(1, sizeof(**operation));
  set((*operation)->values, 0, &sums, sizeof(sums));
  set((*operation)->values, 1, &factor_type, sizeof(factor_type));
  return 0;
}

int cublasLtMatmulDescSetAttribute(FakeOperation* operation, int attribute, const void* value, size_t bytes) {
  return set(operation->values, attribute, value, bytes);
}

int cublasLtMatmulDescGetAttribute(FakeOperation* operation, int attribute, void* value, size_t bytes,
                                   size_t* written) {
  return get(operation->values, attribute, value, bytes, written);
}

int cublasLtMatmul(void* handle, FakeOperation* operation, const void* alpha, const void* a,
                   FakeLayout* a_layout, const void* b, FakeLayout* b_layout, const void* beta,
                   const void* c, FakeLayout* c_layout, void* d, FakeLayout* d_layout,
                   const void* algorithm, void* workspace, size_t workspace_bytes, void* stream) {
  (void)handle, (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)d;
  (void)a_layout, (void)b_layout, (void)c_layout, (void)d_layout, (void)operation, (void)workspace;
  (void)workspace_bytes, (void)stream;
  atomic_fetch_add(&calls, 1);
  return algorithm != NULL ? kNotSupported : 0; /* an algorithm: a call that fails */
}

long fake_lt_calls(void) {
  return atomic_load(&calls);
}
