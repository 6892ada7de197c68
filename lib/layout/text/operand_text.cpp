#include "layout/text/operand_text.hpp"

#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/wgmma_atom.hpp"
#include "layout/text/call_arguments.hpp"
#include "layout/text/call_table.hpp"
#include "layout/text/element_types.hpp"
#include "layout/text/instruction_text.hpp"

namespace tilewright {
namespace {

// CuTe DSL leaves the swizzle of a layout of elements on the bytes of addresses.
LayoutValue with_units(const ComposedLayout& layout, int64_t bits, const TextReading& reading) {
  if (layout.swizzle) {
    reading.warn("swizzle-units",
                 format("CuTe DSL prints {}, which works on bytes; on elements of {} bits it is {}",
                        to_string(make_swizzle(layout.swizzle->bits, 4, 3)), bits,
                        to_string(*layout.swizzle)));
  }
  return layout;
}

WgmmaAtomName read_kind(LayoutLexer& lexer) {
  const LayoutToken kind = lexer.take();
  if (const auto name = wgmma_atom_named(format("Layout_{}_Atom", kind.text))) return *name;
  throw lexer.fail_at(kind.column,
                      format("'{}' is not a kind of atom: K_INTER, K_SW32, K_SW64 and K_SW128 are, "
                             "and the same with MN_",
                             kind.text));
}

// True for rows: K is contiguous in A and B, and N in an output.
bool read_row_major(LayoutLexer& lexer) {
  return read_word_of(lexer, {"ROW_MAJOR", "COL_MAJOR"}) == 0;
}

LayoutValue read_atom(const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  WgmmaAtomName kind;
  int64_t bits = 0;
  read_arguments(lexer, "make_smem_layout_atom", ')',
                 {{"kind", [&] { kind = read_kind(lexer); }},
                  {"element_type", [&] { bits = element_type(lexer); }}});
  return with_units(wgmma_atom(kind, bits), bits, reading);
}

struct Operand {
  bool rows = true;  // the second mode is contiguous
  IntTuple tile;     // two extents, or that of the whole product
  int64_t bits = 0;
  int64_t stages = 1;
};

LayoutValue staged(const Operand& operand, const IntTuple& tile, const IntTuple* order,
                   const TextReading& reading) {
  const ComposedLayout atom = wgmma_atom(
      widest_atom(operand.rows, product(tile[operand.rows ? 1 : 0]), operand.bits), operand.bits);
  const IntTuple shape({tile[0], tile[1], operand.stages});
  const IntTuple by_major = operand.rows ? IntTuple({0, 1, 2}) : IntTuple({1, 0, 2});
  const Layout tiled =
      tile_to_shape(atom.layout, shape, order == nullptr ? &by_major : order, reading.why);
  return with_units(make_composed(atom.swizzle, 0, tiled), operand.bits, reading);
}

IntTuple read_tile(const TextReading& reading, size_t extents, std::string_view name) {
  IntTuple tile = as_tuple(reading.next(), std::string(name));
  if (tile.is_tuple() && tile.rank() == extents) return tile;
  throw reading.lexer.fail(format("{} is {}, not {} extents", name, to_string(tile), extents));
}

// Modes (M, K) of the tile (M, N, K) for A, (N, K) for B.
template <size_t other>
LayoutValue read_input(const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  const bool a = other == 1;
  Operand operand;
  read_arguments(
      lexer, a ? "make_smem_layout_a" : "make_smem_layout_b", ')',
      {{a ? "a_layout" : "b_layout", [&] { operand.rows = read_row_major(lexer); }},
       {"mma_tiler_mnk", [&] { operand.tile = read_tile(reading, 3, "mma_tiler_mnk"); }},
       {a ? "a_dtype" : "b_dtype", [&] { operand.bits = element_type(lexer); }},
       {"num_stages", [&] { operand.stages = as_integer(reading.next(), "num_stages"); }}});
  const IntTuple tile({operand.tile[a ? 0 : 1], operand.tile[2]});
  return staged(operand, tile, nullptr, reading);
}

LayoutValue read_output(const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  Operand operand;
  std::optional<IntTuple> order;
  read_arguments(lexer, "make_smem_layout_epi", ')',
                 {{"epi_dtype", [&] { operand.bits = element_type(lexer); }},
                  {"epi_layout", [&] { operand.rows = read_row_major(lexer); }},
                  {"epi_tile", [&] { operand.tile = read_tile(reading, 2, "epi_tile"); }},
                  {"epi_stage", [&] { operand.stages = as_integer(reading.next(), "epi_stage"); }},
                  {"smem_order", [&] { order = as_tuple(reading.next(), "smem_order"); }, false}});
  return staged(operand, operand.tile, order ? &*order : nullptr, reading);
}

constexpr std::array kOperandCalls = {
    TextCall{"make_smem_layout_atom", read_atom}, TextCall{"make_smem_layout_a", read_input<1>},
    TextCall{"make_smem_layout_b", read_input<0>}, TextCall{"make_smem_layout_epi", read_output}};

}  // namespace

std::optional<LayoutValue> read_operand(std::string_view word, const TextReading& reading) {
  return read_call(kOperandCalls, word, reading);
}

}  // namespace tilewright
