#include "layout/smem/swizzle_targets.hpp"

#include <bit>

#include "base/text.hpp"

namespace tilewright {
namespace {

// "Column of vectors ^= row / rows_a_phase % phases", in the terms that Triton and IREE share.
struct RowXor {
  int64_t vector = 1;        // elements
  int64_t rows_a_phase = 1;  // neighbouring rows treated alike
  int64_t phases = 1;
  std::string why_not;  // not empty: no such form
};

RowXor row_xor_of(const SharedTile& tile, const Swizzle& s) {
  RowXor form;
  if (s.bits == 0) return form;
  const bool whole_rows = std::has_single_bit(static_cast<uint64_t>(tile.cols));
  const int row_bits = std::countr_zero(static_cast<uint64_t>(tile.cols));
  if (!whole_rows) {
    form.why_not =
        format("it XORs whole rows; a row of {} elements is not a power of two", tile.cols);
  } else if (s.shift < 0) {
    form.why_not = "it changes columns by rows; S < 0 changes rows by columns";
  } else if (s.base + s.shift < row_bits) {
    form.why_not = format("it reads row numbers only; bit {} of an offset is part of the column",
                          s.base + s.shift);
  } else if (s.base + s.bits > row_bits) {
    form.why_not = format("it changes columns only; bit {} of an offset is part of the row",
                          s.base + s.bits - 1);
  } else {
    form.vector = int64_t{1} << s.base;
    form.rows_a_phase = int64_t{1} << (s.base + s.shift - row_bits);
    form.phases = int64_t{1} << s.bits;
  }
  return form;
}

SwizzleSpelling cute_cpp(const SharedTile& tile, const Swizzle& s) {
  const std::string layout =
      format("Layout<Shape<_{}, _{}>, Stride<_{}, _1>>{{}}", tile.rows, tile.cols, tile.cols);
  if (s.bits == 0) return {"cute-cpp", layout, ""};
  return {"cute-cpp",
          format("composition(Swizzle<{}, {}, {}>{{}}, {})", s.bits, s.base, s.shift, layout), ""};
}

SwizzleSpelling cute_dsl(const SharedTile& tile, const Swizzle& s) {
  const std::string layout =
      format("cute.make_layout(({}, {}), stride=({}, 1))", tile.rows, tile.cols, tile.cols);
  if (s.bits == 0) return {"cute-dsl", layout, ""};
  return {"cute-dsl",
          format("cute.make_composed_layout(cute.make_swizzle({}, {}, {}), 0, {})", s.bits, s.base,
                 s.shift, layout),
          ""};
}

SwizzleSpelling triton(const SharedTile& tile, const Swizzle& s) {
  const RowXor form = row_xor_of(tile, s);
  if (!form.why_not.empty()) return {"triton", "", form.why_not};
  return {"triton",
          format("#ttg.swizzled_shared<{{vec = {}, perPhase = {}, maxPhase = {}, order = [1, 0]}}>",
                 form.vector, form.rows_a_phase, form.phases),
          ""};
}

SwizzleSpelling iree(const SharedTile& tile, const Swizzle& s) {
  const RowXor form = row_xor_of(tile, s);
  if (!form.why_not.empty()) return {"iree", "", form.why_not};
  if (s.bits == 0) return {"iree", "", "no swizzle needs no attribute"};
  const int64_t width = form.vector * form.phases;
  if (width == tile.cols && form.rows_a_phase == 1) {
    return {"iree", format("#iree_codegen.xor_shuffle<{}, {}>", width, form.vector), ""};
  }
  return {"iree",
          format("#iree_codegen.xor_shuffle<{}, {}, {}, {}>", width, form.vector, tile.cols,
                 form.rows_a_phase),
          ""};
}

SwizzleSpelling tma(const SharedTile& tile, const Swizzle& s) {
  const int64_t row_bytes = tile.cols * tile.element_bytes;
  if (s.bits == 0) return {"tma", "CU_TENSOR_MAP_SWIZZLE_NONE", ""};
  const Swizzle bytes = downcast(s, tile.element_bytes);
  if (bytes.base != 4 || bytes.shift != 3 || bytes.bits > 3) {
    return {"tma", "",
            format("in bytes it is {}; the modes are Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3>",
                   to_string(bytes))};
  }
  const int64_t span = int64_t{16} << bytes.bits;
  if (row_bytes > span) {
    return {"tma", "",
            format("rows of {} bytes are longer than the {} that the mode spans: copy boxes of {} "
                   "columns",
                   row_bytes, span, span / tile.element_bytes)};
  }
  return {"tma", format("CU_TENSOR_MAP_SWIZZLE_{}B", span), ""};
}

}  // namespace

std::vector<SwizzleSpelling> spell_swizzle(const SharedTile& tile, const Swizzle& swizzle) {
  return {cute_cpp(tile, swizzle), cute_dsl(tile, swizzle), triton(tile, swizzle),
          iree(tile, swizzle), tma(tile, swizzle)};
}

}  // namespace tilewright
