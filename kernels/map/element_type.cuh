// The types that operands and results have: a record a type, which host and kernels ask.
#pragma once

namespace tw {

enum class ElementType : int { BF16, F16, F32 };

struct ElementRecord {
  ElementType type;
  const char* name;   // as problems spell it
  const char* other;  // another spelling that is read; empty: none
  int bytes;
  bool operand;         // A and B may have it
  bool output;          // D may
  ElementType addend;   // of C, the bias and, where nothing else is said, D
  double accumulation;  // of operands: most that the tensor cores' sum of their products is off, of
                        // the sum of the products' magnitudes
  double rounding;      // most that rounding to it moves a value, of the value
  double largest;       // finite value
  double rel_error;  // most that a right product is off in this type: a norm of the difference, of
                     // the product's
};

inline constexpr ElementRecord kElements[] = {
    {ElementType::BF16, "bf16", "", 2, true, true, ElementType::BF16, 1.0 / 16384, 1.0 / 256,
     3.3895e38, 4e-3},
    {ElementType::F16, "f16", "fp16", 2, true, true, ElementType::F16, 1.0 / 16384, 1.0 / 1024,
     65504, 6e-4},
    // Its error is what the tensor cores' fp32 sums lose.
    {ElementType::F32, "f32", "fp32", 4, false, true, ElementType::F32, 0, 1.0 / (1 << 22),
     3.3895e38, 1e-4},
};

constexpr const ElementRecord& record_of(ElementType type) {
  for (const ElementRecord& record : kElements) {
    if (record.type == type) return record;
  }
  return kElements[0];
}

constexpr int bytes_of(ElementType type) {
  return record_of(type).bytes;
}

}  // namespace tw
