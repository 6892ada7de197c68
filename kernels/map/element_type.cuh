// Element types of operands and results: one record per type, read by host and kernels.
#pragma once

namespace tw {

enum class ElementType : int { BF16, F16, F32, E4M3, E5M2 };

struct ElementRecord {
  ElementType type;
  const char* name;   // as problems spell it
  const char* other;  // second accepted spelling; empty: none
  int bytes;
  bool operand;           // A and B may have it
  bool output;            // D may have it
  ElementType addend;     // of C, the bias and, unless the problem names another, D
  double accumulation;    // of operands: largest error of the tensor cores' sum of their products,
                          // relative to the sum of the products' magnitudes
  double sum_error;       // of operands: error of a product's sums beyond the result's rel_error,
                          // divided by sqrt(k)
  double rounding_error;  // largest relative error of rounding to this type
  double max_finite;      // largest finite value
  double rel_error;  // largest error of a correct product in this type: norm of the difference,
                     // relative to the product's norm
};

inline constexpr ElementRecord kElements[] = {
    {ElementType::BF16, "bf16", "", 2, true, true, ElementType::BF16, 1.0 / 16384, 0, 1.0 / 256,
     3.3895e38, 4e-3},
    {ElementType::F16, "f16", "fp16", 2, true, true, ElementType::F16, 1.0 / 16384, 0, 1.0 / 1024,
     65504, 6e-4},
    // rel_error is the rounding error of the tensor cores' fp32 sums.
    {ElementType::F32, "f32", "fp32", 4, false, true, ElementType::F32, 0, 0, 1.0 / (1 << 22),
     3.3895e38, 1e-4},
    // The tensor cores keep some 14 bits of the sums: on an H200 the norm of the error, relative to
    // the product's norm, is sqrt(k) times 1.1e-5 (k = 256) to 2.6e-5 (65536).
    {ElementType::E4M3, "e4m3", "fp8", 1, true, true, ElementType::BF16, 1.0 / 1024, 5e-5, 1.0 / 16,
     448, 6e-2},
    // Its fractions are shorter by a bit, but the tensor cores align the products to the largest.
    {ElementType::E5M2, "e5m2", "", 1, true, false, ElementType::BF16, 1.0 / 1024, 5e-5, 1.0 / 8,
     57344, 1.2e-1},
};

constexpr const ElementRecord& record_of(ElementType type) {
  for (const ElementRecord& record : kElements) {
    if (record.type == type) return record;
  }
  return kElements[0];
}

/// True if values beyond the type's range become its largest finite one, not infinity.
constexpr bool saturates(ElementType type) {
  return type == ElementType::E4M3 || type == ElementType::E5M2;
}

/// Largest error of rounding the smallest numbers: half the step of subnormal ones, or more.
constexpr double least_rounding_error(ElementType type) {
  // Subnormal numbers of f16 are 6e-8 apart, those of e5m2 1.5e-5.
  return type == ElementType::E4M3 ? 1.0 / 1024 : type == ElementType::E5M2 ? 1e-5 : 1e-7;
}

constexpr int bytes_of(ElementType type) {
  return record_of(type).bytes;
}

}  // namespace tw
