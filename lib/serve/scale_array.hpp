// Which scales of 8-bit operands arrays hold.
#pragma once

#include <cstdint>

#include "serve/dlpack.hpp"

namespace tilewright {

/// The forms of an operand's scales, as shipped_scale numbers them.
struct ScaleForms {
  int32_t a = 0;
  int32_t b = 0;
  bool operator==(const ScaleForms&) const = default;
};

/// A product's sizes. `groups`: products of a group, the first dimension of B's scales; 0 without
/// a group, where these scales are a matrix.
struct ScaledSizes {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  int64_t groups = 0;
};

/// The forms of scales by their shapes and strides; NULL: none. One element is the scale of a whole
/// operand, else A's are m x 1 (rows) or m x ceil(k / 128), and B's, as B itself, 1 x n (columns),
/// ceil(k / 128) x n or ceil(k / 128) x ceil(n / 128), for groups one after the other. Throws a
/// usage error that names the array if they have another shape or lie otherwise.
ScaleForms scale_forms(const ScaledSizes& sizes, const Array* a, const Array* b);

}  // namespace tilewright
