// Parses and prints Triton's layout attributes: blocked, nvidia_mma, dot_op, slice, linear;
// swizzled_shared, nvmma_shared, padded_shared, shared_linear.
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

/// True where the text holds one of Triton's attributes, a layout of Gluon or a linear layout as
/// Triton prints it.
bool is_triton_text(std::string_view text);

/// Parses "#ttg.blocked<{...}>", alone or inside "tensor<128x64xf16, ...>". A shared attribute
/// needs the tensor; nvmma_shared alone is its smallest tile. Throws a usage error that names the
/// key.
TritonLayout parse_triton(std::string_view text);

/// A distributed layout maps (threads, values) to the tile's elements, first dimension fastest, as
/// CuTe's TV layouts; a shared one maps coordinates of the tile to offsets. Throws a usage error
/// where CuTe has no such layout.
ComposedLayout layout_of(const TritonLayout& layout);

/// "#ttg.linear<{...}>" or "#ttg.shared_linear<{...}>".
std::string to_string(const TritonLayout& layout);

/// Prints a shared-memory layout (coordinates to offsets) as swizzled_shared if one equals it, else
/// as shared_linear. Throws a usage error with the reason where it is neither.
std::string triton_text(const ComposedLayout& layout);

}  // namespace tilewright
