#include "layout/algebra/wgmma_atom.hpp"

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

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

ComposedLayout wgmma_atom(const WgmmaAtomName& name, int64_t element_bits) {
  constexpr int64_t kVectorBits = 128;
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
