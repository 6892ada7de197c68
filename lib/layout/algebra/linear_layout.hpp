// Layouts with power-of-two extents as matrices over F2: every bit of the input adds (XORs) one
// vector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// An input of 2^bases.size() values; bit b of it contributes bases[b], one integer an output.
struct LinearInput {
  std::string name;
  std::vector<std::vector<int64_t>> bases;
  bool operator==(const LinearInput&) const = default;
};

/// Values are in [0, size), size a power of two.
struct LinearOutput {
  std::string name;
  int64_t size = 1;
  bool operator==(const LinearOutput&) const = default;
};

/// Inputs and outputs in order; the first is the least significant of an index over all.
struct LinearLayout {
  std::vector<LinearInput> inputs;
  std::vector<LinearOutput> outputs;
  bool operator==(const LinearLayout&) const = default;
};

/// The outputs at an index over all inputs.
std::vector<int64_t> apply(const LinearLayout& layout, int64_t index);

/// One input for each mode (dim0, dim1, ...), one output "offset". Throws a usage error with the
/// reason if the layout is not linear: an extent that is not a power of two, or a sum that carries.
LinearLayout linear_of(const ComposedLayout& layout);

/// One mode for each input, offsets over all outputs, first output fastest; with the smallest
/// suitable swizzle if one is needed. Throws a usage error if none is suitable.
ComposedLayout layout_of(const LinearLayout& linear);

/// Exchanges inputs and outputs. Throws a usage error if the layout is not a bijection.
LinearLayout invert(const LinearLayout& layout);

/// The matrix, one row a bit of the output, most significant first, one column a bit of the input.
std::string matrix_text(const LinearLayout& layout);

}  // namespace tilewright
