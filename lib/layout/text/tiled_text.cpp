#include "layout/text/tiled_text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "layout/text/call_arguments.hpp"
#include "layout/text/element_types.hpp"
#include "layout/text/instruction_text.hpp"

namespace tilewright {
namespace {

// Takes the bracket behind a word and returns the one that closes it.
char opened(LayoutLexer& lexer) {
  if (lexer.accept('<')) return '>';
  lexer.expect('(', "before the arguments");
  return ')';
}

// What a property behind a call chooses: an operand or a side.
struct Property {
  std::string_view name;
  char choice;
  bool is_call = false;
};

constexpr std::array kOperands = {Property{"get_layoutA_TV", 'A', true},
                                  Property{"get_layoutB_TV", 'B', true},
                                  Property{"get_layoutC_TV", 'C', true},
                                  Property{"tv_layout_A_tiled", 'A'},
                                  Property{"tv_layout_B_tiled", 'B'},
                                  Property{"tv_layout_C_tiled", 'C'},
                                  Property{"ALayout", 'A'},
                                  Property{"BLayout", 'B'},
                                  Property{"CLayout", 'C'}};
constexpr std::array kSides = {
    Property{"get_layoutS_TV", 'S', true}, Property{"get_layoutD_TV", 'D', true},
    Property{"layout_src_tv_tiled", 'S'}, Property{"layout_dst_tv_tiled", 'D'}};

// Reads ".NAME", ".NAME()" or "::NAME" if it follows.
std::optional<char> chosen(LayoutLexer& lexer, std::span<const Property> properties) {
  if (!lexer.accept('.')) {
    if (!lexer.accept(':')) return std::nullopt;
    lexer.expect(':', "after ':'");
  }
  const LayoutToken word = lexer.take();
  std::vector<std::string_view> names;
  for (const Property& one : properties) {
    names.push_back(one.name);
    if (one.name != word.text) continue;
    if (one.is_call) {
      lexer.expect('(', "after a name");
      lexer.expect(')', "after '('");
    }
    return one.choice;
  }
  throw lexer.fail_at(word.column, format("'{}' is not {}", word.text, join_words(names, "or")));
}

/// Matrix instructions side by side: tiled_mma()'s arguments.
struct TiledMma {
  MmaInstruction instruction;
  Layout atoms;
  std::vector<Tiler> tile;
};

// "make_tiled_mma(OP, ATOMS, TILE)" and "TiledMMA<MMA_Atom<OP>, ATOMS, TILE>".
TiledMma made_tiled_mma(const TextReading& reading) {
  TiledMma made;
  const auto op = [&] {
    const std::string word(reading.lexer.take().text);
    made.instruction = read_mma_instruction(word, reading);
  };
  const auto atoms = [&] {
    made.atoms = as_plain_layout(reading.next(), "the layout of instructions");
  };
  const auto tile = [&] {
    const Tiler given = as_tiler(reading.next(), "the tile of instructions");
    made.tile = given.is_by_mode() ? given.modes : std::vector<Tiler>{given};
  };
  const char closing = opened(reading.lexer);
  read_arguments(
      reading.lexer, "make_tiled_mma", closing,
      {{"op_or_atom", op}, {"atom_layout_mnk", atoms, false}, {"permutation_mnk", tile, false}});
  return made;
}

// CuTe DSL's helper for Hopper: wgmma of the tile's rows and columns.
TiledMma trivial_tiled_mma(const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  TiledMma made;
  MmaOperation op{.m = 64, .warpgroup = true, .a_in_shared = true};
  const auto major = [&] { read_word_of(lexer, {"K", "MN"}); };
  const auto tiler = [&] {
    const std::vector<IntTuple> sizes = leaves(as_tuple(reading.next(), "tiler_mn"));
    if (sizes.size() != 2) throw lexer.fail("tiler_mn is not two extents");
    op.m = sizes[0].value();
    op.n = sizes[1].value();
  };
  lexer.expect('(', "before the arguments");
  read_arguments(lexer, "make_trivial_tiled_mma", ')',
                 {{"a_dtype", [&] { op.bits_a = element_type(lexer); }},
                  {"b_dtype", [&] { op.bits_b = element_type(lexer); }},
                  {"a_leading_mode", major},
                  {"b_leading_mode", major},
                  {"acc_dtype", [&] { element_type(lexer); }},
                  {"atom_layout_mnk",
                   [&] { made.atoms = as_plain_layout(reading.next(), "the layout of atoms"); }},
                  {"tiler_mn", tiler},
                  {"a_source",
                   [&] {
                     op.a_in_shared = read_word_of(lexer, {"RMEM", "SMEM"}) == 1;
                   },
                   false}});
  constexpr int64_t kWgmmaBits = 256;  // of K
  op.k = kWgmmaBits / op.bits_a;
  made.instruction.name = format("wgmma of {}x{}x{}", op.m, op.n, op.k);
  made.instruction.atom = mma_atom(op, made.instruction.name);
  return made;
}

std::optional<TiledMma> tiled_mma_behind(std::string_view word, const TextReading& reading) {
  if (word == "TiledMMA" || word == "make_tiled_mma") return made_tiled_mma(reading);
  if (word == "make_trivial_tiled_mma") return trivial_tiled_mma(reading);
  if (begins_mma_instruction(word)) return TiledMma{read_mma_instruction(word, reading), {}, {}};
  return std::nullopt;
}

CoveredTile tile_of(const TiledMma& mma, char letter) {
  const auto [m, n, k] = tiled_mma_shape(mma.instruction.atom, mma.atoms, mma.tile);
  return {.rows = letter == 'B' ? n : m, .columns = letter == 'C' ? n : k};
}

Layout operand_of(const TiledMma& mma, char letter) {
  const MmaOperand operand = letter == 'A'   ? MmaOperand::A
                             : letter == 'B' ? MmaOperand::B
                                             : MmaOperand::C;
  return tiled_mma(mma.instruction.atom, mma.atoms, mma.tile, operand);
}

/// Copies side by side: `tile` maps (thread, value) of the registers to the tile's elements.
struct TiledCopy {
  CopyInstruction copy;
  Layout tile;
};

Layout side_of(const TiledCopy& tiled, char side) {
  const CopyAtom& atom = tiled.copy.atom;
  return tiled_copy(atom, side == 'S' ? atom.source : atom.destination, tiled.tile);
}

TiledCopy read_tiled_copy(std::string_view word, const TextReading& reading);

// The (thread, value) layout of the argument `letter` says: an operand of a tiled MMA, or a side of
// a tiled copy.
Layout followed(char letter, const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  const LayoutToken word = lexer.take();
  if (letter == 'S' || letter == 'D') {
    if (word.text.substr(0, 15) == "make_tiled_copy") {
      return side_of(read_tiled_copy(word.text, reading), letter);
    }
    throw lexer.fail_at(word.column, format("'{}' is not a tiled copy: write make_tiled_copy_tv("
                                            "make_copy_atom(CopyUniversalOp(), Float16), (32,8), "
                                            "(1,8))",
                                            word.text));
  }
  if (const auto mma = tiled_mma_behind(word.text, reading)) return operand_of(*mma, letter);
  throw lexer.fail_at(
      word.column,
      format("'{}' is not a tiled MMA: write make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{{}}, "
             "Layout<Shape<_2,_2,_1>>{{}}, Tile<_32,_32,_16>{{}})",
             word.text));
}

// "make_tiled_copy_A(COPY, MMA)", "make_tiled_copy_S(COPY, TILED_COPY)".
TiledCopy copy_like(std::string_view word, const TextReading& reading) {
  const char letter = word.back();
  TiledCopy made;
  const bool of_copy = letter == 'S' || letter == 'D';
  reading.lexer.expect('(', "before the arguments");
  read_arguments(reading.lexer, word, ')',
                 {{"atom", [&] { made.copy = read_copy_instruction(reading); }, true, "copy_atom"},
                  {of_copy ? "tiled_copy" : "tiled_mma",
                   [&] { made.tile = followed(letter, reading); }, true, "mma"}});
  return made;
}

// CuTe C++ makes a tiled copy from the layouts of threads and values; CuTe DSL's make_tiled_copy()
// from that of (thread, value) and the extents of the tile.
Layout tile_of_copy(const std::optional<LayoutValue>& first, const LayoutValue& second) {
  Layout threads = as_plain_layout(*first, "the layout of threads");
  const auto* const shape = std::get_if<IntTuple>(&second);
  const auto* const tiler = std::get_if<Tiler>(&second);
  const bool by_tile = std::holds_alternative<ComposedLayout>(*first) && rank(threads) == 2 &&
                       (tiler != nullptr || (shape != nullptr && shape->is_tuple() &&
                                             product(*shape) == size(threads)));
  if (by_tile) return threads;
  return thread_value_tile(threads, as_plain_layout(second, "the layout of values"));
}

// "make_tiled_copy(COPY, THREADS, VALUES)".
TiledCopy copy_of_threads(std::string_view word, const TextReading& reading) {
  TiledCopy made;
  std::optional<LayoutValue> threads;
  LayoutValue values = ComposedLayout{};
  reading.lexer.expect('(', "before the arguments");
  read_arguments(reading.lexer, word, ')',
                 {{"atom", [&] { made.copy = read_copy_instruction(reading); }, true, "copy_atom"},
                  {"thr_layout", [&] { threads = reading.next(); }, true, "layout_tv"},
                  {"val_layout", [&] { values = reading.next(); }, false, "tiler_mn"}});
  made.tile = word == "make_tiled_copy"
                  ? tile_of_copy(threads, values)
                  : thread_value_tile(as_plain_layout(*threads, "the layout of threads"),
                                      as_plain_layout(values, "the layout of values"));
  return made;
}

struct CopyCall {
  std::string_view name;
  TiledCopy (*read)(std::string_view, const TextReading&);
};
constexpr std::array kCopyCalls = {
    CopyCall{"make_tiled_copy", copy_of_threads}, CopyCall{"make_tiled_copy_tv", copy_of_threads},
    CopyCall{"make_tiled_copy_A", copy_like},     CopyCall{"make_tiled_copy_B", copy_like},
    CopyCall{"make_tiled_copy_C", copy_like},     CopyCall{"make_tiled_copy_S", copy_like},
    CopyCall{"make_tiled_copy_D", copy_like}};

TiledCopy read_tiled_copy(std::string_view word, const TextReading& reading) {
  std::vector<std::string_view> names;
  for (const CopyCall& call : kCopyCalls) {
    if (call.name == word) return call.read(word, reading);
    names.push_back(call.name);
  }
  throw reading.lexer.fail(format("{} is not read; {} are", word, join_words(names, "and")));
}

LayoutValue layout_of_threads(const TextReading& reading) {
  Layout threads;
  Layout values;
  reading.lexer.expect('(', "before the arguments");
  read_arguments(
      reading.lexer, "make_layout_tv", ')',
      {{"thr_layout", [&] { threads = as_plain_layout(reading.next(), "the layout of threads"); }},
       {"val_layout", [&] { values = as_plain_layout(reading.next(), "the layout of values"); }}});
  return ComposedLayout{{}, 0, thread_value_tile(threads, values)};
}

LayoutValue value_of(const TiledMma& mma, const TextReading& reading) {
  const std::optional<char> named = chosen(reading.lexer, kOperands);
  if (!named) {
    reading.warn("operand", format("threads and values of {}'s accumulator; append "
                                   ".get_layoutA_TV() or .get_layoutB_TV() for the operands",
                                   mma.instruction.name));
  }
  const char letter = named.value_or('C');
  if (reading.why != nullptr) reading.why->set_tile(tile_of(mma, letter));
  return ComposedLayout{{}, 0, operand_of(mma, letter)};
}

LayoutValue value_of(const TiledCopy& tiled, const TextReading& reading) {
  const std::optional<char> named = chosen(reading.lexer, kSides);
  if (!named && tiled.copy.atom.source != tiled.copy.atom.destination) {
    reading.warn("side", format("the destination of {}; append .get_layoutS_TV() for the source",
                                tiled.copy.name));
  }
  return ComposedLayout{{}, 0, side_of(tiled, named.value_or('D'))};
}

}  // namespace

std::optional<LayoutValue> read_tiled(std::string_view word, const TextReading& reading) {
  if (word == "make_layout_tv") return layout_of_threads(reading);
  if (word.substr(0, 15) == "make_tiled_copy") {
    return value_of(read_tiled_copy(word, reading), reading);
  }
  if (const auto mma = tiled_mma_behind(word, reading)) return value_of(*mma, reading);
  return std::nullopt;
}

}  // namespace tilewright
