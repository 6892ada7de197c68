#include "layout/algebra/wgmma_atom.hpp"

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kVectorBits = 128;

}  // namespace

std::optional<WgmmaAtomName> wgmma_atom_named(std::string_view text) {
  constexpr std::string_view kSwizzles[] = {"INTER", "SW32", "SW64", "SW128"};
  for (int bits = 0; bits < 4; ++bits) {
    for (const bool k_major : {true, false}) {
      const std::string name = format("Layout_{}_{}_Atom", k_major ? "K" : "MN", kSwizzles[bits]);
      if (text == name) return WgmmaAtomName{k_major, bits, false};
      if (text == name + "_Bits") return WgmmaAtomName{k_major, bits, true};
    }
  }
  return std::nullopt;
}

WgmmaAtomName widest_atom(bool k_major, int64_t extent, int64_t element_bits) {
  const int64_t bits = checked_mul(extent, element_bits);
  for (int swizzle = 3; swizzle >= 0; --swizzle) {
    if (bits % (kVectorBits << swizzle) == 0) return {k_major, swizzle, false};
  }
  throw usage_error(
      format("{} elements of {} bits along the contiguous mode are not a multiple of "
             "16 bytes, which an atom of wgmma needs",
             extent, element_bits));
}

ComposedLayout wgmma_atom(const WgmmaAtomName& name, int64_t element_bits) {
  if (element_bits < 1 || element_bits > kVectorBits) {
    throw usage_error(
        format("an atom of wgmma has elements of 1 to {} bits, not {}", kVectorBits, element_bits));
  }
  const int64_t width = (kVectorBits << name.swizzle_bits) / element_bits;
  const Swizzle bytes = make_swizzle(name.swizzle_bits, 4, 3);
  const Swizzle elements =
      element_bits >= 8 ? upcast(bytes, element_bits / 8) : downcast(bytes, 8 / element_bits);
  Layout rows = name.k_major ? make_layout(IntTuple({8, width}), IntTuple({width, 1}))
                             : make_layout(IntTuple({width, 8}), IntTuple({1, width}));
  return make_composed(elements, 0, std::move(rows));
}

}  // namespace tilewright
