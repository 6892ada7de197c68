#include "layout/algebra/copy_atom.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/inverse.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMatrixBits = 16;

// Matrices of 8 rows of 16 bytes: which thread gives a row's address, and which elements each
// thread holds.
CopyAtom matrices(int64_t count, bool transposed, bool loads, int64_t bits) {
  const Layout rows = make_layout(
      IntTuple({count == 4 ? IntTuple(32) : IntTuple({8 * count, 4 / count}), IntTuple(8)}),
      IntTuple({count == 4 ? IntTuple(8) : IntTuple({8, 0}), IntTuple(1)}));
  const Layout registers = transposed
                               ? make_layout(IntTuple({IntTuple({4, 8}), IntTuple({2, count})}),
                                             IntTuple({IntTuple({16, 1}), IntTuple({8, 64})}))
                               : make_layout(IntTuple({IntTuple(32), IntTuple({2, count})}),
                                             IntTuple({IntTuple(2), IntTuple({1, 64})}));
  const auto sized = [bits](const Layout& layout) {
    return recast(ComposedLayout{{}, 0, layout}, kMatrixBits, bits).layout;
  };
  const Layout outside = sized(rows);
  const Layout inside = sized(registers);
  return {loads ? outside : inside, loads ? inside : outside, inside};
}

// "U32x4_LDSM_N" and "U16x8_LDSM_T" move four matrices.
std::optional<CopyAtom> matrix_copy(std::string_view text, int64_t bits) {
  const std::vector<std::string_view> parts = split(text, '_');
  if (parts.size() != 4 || (parts[2] != "LDSM" && parts[2] != "STSM")) return std::nullopt;
  const bool transposed = parts[3] == "T";
  const std::string_view prefix = transposed ? "U16x" : "U32x";
  if (parts[1].substr(0, 4) != prefix) return std::nullopt;
  const int64_t registers = parse_count(parts[1].substr(4)).value_or(0);
  const int64_t count = transposed ? registers / 2 : registers;
  if (count != 1 && count != 2 && count != 4) return std::nullopt;
  return matrices(count, transposed, parts[2] == "LDSM", bits);
}

}  // namespace

std::optional<CopyAtom> copy_atom_named(std::string_view text, int64_t element_bits,
                                        int64_t copied_bits) {
  constexpr std::string_view kOfOneThread[] = {"UniversalCopy",
                                               "DefaultCopy",
                                               "AutoVectorizingCopy",
                                               "AutoVectorizingCopyWithAssumedAlignment",
                                               "SM80_CP_ASYNC_CACHEALWAYS",
                                               "SM80_CP_ASYNC_CACHEGLOBAL",
                                               "SM80_CP_ASYNC_CACHEALWAYS_ZFILL",
                                               "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL"};
  if (std::find(std::begin(kOfOneThread), std::end(kOfOneThread), text) != std::end(kOfOneThread)) {
    const int64_t values = element_bits > 0 ? std::max<int64_t>(1, copied_bits / element_bits) : 1;
    const Layout one = compact_layout(IntTuple({1, values}));
    return CopyAtom{one, one, one};
  }
  return matrix_copy(text, element_bits);
}

Layout thread_value_tile(const Layout& threads, const Layout& values) {
  const Layout numbers = right_inverse(raked_product(threads, values));
  return composition(numbers, compact_layout(IntTuple({size(threads), size(values)})));
}

Layout tiled_copy(const CopyAtom& atom, const Layout& side, const Layout& tile) {
  const int64_t threads = size(mode(atom.registers, 0));
  const int64_t values = size(mode(atom.registers, 1));
  const int64_t have_threads = size(mode(tile, 0));
  const int64_t have_values = size(mode(tile, 1));
  if (have_threads % threads != 0 || have_values % values != 0) {
    throw usage_error(
        format("{} threads of {} values are not a multiple of an instruction of {} threads of {}",
               have_threads, have_values, threads, values));
  }
  if (threads == 1) return tile;
  const Layout cut = zipped_divide(tile, tiler_of(IntTuple({threads, values})));
  const Layout held = composition(mode(cut, 0), composition(right_inverse(atom.registers), side));
  return join_modes({join_modes({mode(held, 0), mode(mode(cut, 1), 0)}),
                     join_modes({mode(held, 1), mode(mode(cut, 1), 1)})});
}

}  // namespace tilewright
