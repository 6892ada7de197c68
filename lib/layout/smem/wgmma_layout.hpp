// The shared-memory layouts that a wgmma descriptor can name.
//
//     K-major    8 rows of 16, 32, 64 or 128 bytes of K, one after the other, swizzled; such blocks
//                repeat along M (or N) and along K
//     MN-major   the same with M (or N) and K exchanged
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

/// A canonical layout. Strides are between neighbouring blocks, in bytes; 0 where there is only one
/// block.
struct WgmmaLayout {
  std::string name;             // "K_SW128", "MN_INTER", ...
  int64_t mn_stride_bytes = 0;  // along M or N
  int64_t k_stride_bytes = 0;   // along K
  bool operator==(const WgmmaLayout&) const = default;
};

/// The canonical layout, or the first thing that keeps it from being one.
struct WgmmaMatch {
  std::optional<WgmmaLayout> layout;
  std::string why_not;
  bool operator==(const WgmmaMatch&) const = default;
};

/// Modes are (M or N, K), offsets in elements of `element_bytes`. Throws a usage error for more
/// than 2^20 elements or another number of modes.
WgmmaMatch match_wgmma(const ComposedLayout& layout, int element_bytes);

}  // namespace tilewright
