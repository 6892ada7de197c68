// Triton's layout attributes: blocked, nvidia_mma, dot_op, slice, linear; swizzled_shared,
// nvmma_shared, padded_shared, shared_linear.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/text/triton_attribute.hpp"

namespace tilewright {

/// A distributed attribute maps (register, lane, warp, block) to an element of the tensor, a shared
/// one maps (offset, block).
struct TritonLayout {
  LinearLayout linear;
  bool shared = false;
  std::vector<SharedPadding> paddings = {};  // added to the offsets
  bool operator==(const TritonLayout&) const = default;
};

/// True where the text can only be one of Triton's attributes, a tensor type with one, a layout of
/// Gluon or a linear layout as Triton prints it.
bool is_triton_text(std::string_view text);

/// "#ttg.blocked<{...}>", or inside "tensor<128x64xf16, ...>", which a shared attribute needs
/// (nvmma_shared alone is its smallest tile). Throws a usage error that names the key.
TritonLayout parse_triton(std::string_view text);

/// Distributed: (threads, values) to the tile's elements, first dimension fastest, as CuTe's TV
/// layouts. Shared: coordinates of the tile to offsets. Throws a usage error where there is none.
ComposedLayout layout_of(const TritonLayout& layout);

/// "#ttg.linear<{...}>" or "#ttg.shared_linear<{...}>".
std::string to_string(const TritonLayout& layout);

/// A shared-memory layout (coordinates to offsets) as swizzled_shared where that exists, else as
/// shared_linear. Throws a usage error that says why it is neither.
std::string triton_text(const ComposedLayout& layout);

}  // namespace tilewright
