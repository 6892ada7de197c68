#include "layout/text/tiled_text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "layout/algebra/copy_atom.hpp"
#include "layout/algebra/mma_atom.hpp"
#include "layout/algebra/recast.hpp"

namespace tilewright {
namespace {

/// The coordinate of a tile by mode; nullopt for "_".
using Slices = std::vector<std::optional<int64_t>>;

class TiledReader {
 public:
  TiledReader(LayoutLexer& lexer, const NextExpression& next, Derivation* why)
      : lexer_(lexer), next_(next), why_(why) {}

  std::optional<LayoutValue> read(std::string_view word) {
    if (word == "local_tile") return local_tile();
    if (word == "make_layout_tv") return copy_of_threads(word, std::nullopt);
    if (word.substr(0, 15) == "make_tiled_copy") return tiled_copy_of(word);
    if (word == "TiledMMA" || word == "make_tiled_mma") return tiled_mma_of();
    if (word == "MMA_Atom" || word == "MMA_Traits") {
      lexer_.expect('<', "before an instruction");
      const std::string name(lexer_.take().text);
      const MmaAtom atom = instruction(name);
      lexer_.expect('>', "after an instruction");
      return operand_of(name, atom, Layout{}, {});
    }
    const std::optional<MmaAtom> atom = mma_atom_named(word);
    if (!atom) return std::nullopt;
    skip_template();
    return operand_of(word, *atom, Layout{}, {});
  }

 private:
  // Skips template arguments such as "<GMMA::Major::K, GMMA::Major::MN>".
  void skip_template() {
    if (!lexer_.accept('<')) return;
    for (int depth = 1; depth > 0;) {
      if (lexer_.peek().kind == TokenKind::End) throw lexer_.fail("expected '>'");
      if (lexer_.at('<')) ++depth;
      if (lexer_.at('>')) --depth;
      lexer_.take();
    }
  }

  MmaAtom instruction(std::string_view name) {
    const std::optional<MmaAtom> atom = mma_atom_named(name);
    if (!atom) {
      throw lexer_.fail(
          format("'{}' is not a matrix instruction, such as SM80_16x8x16_F32F16F16F32_TN", name));
    }
    skip_template();
    return *atom;
  }

  // "make_tiled_mma(OP{}, ATOMS, TILE)" and "TiledMMA<MMA_Atom<OP>, ATOMS, TILE>".
  LayoutValue tiled_mma_of() {
    const char closing = lexer_.accept('<') ? '>' : ')';
    if (closing == ')') lexer_.expect('(', "or '<'");
    bool wrapped = lexer_.at_word("MMA_Atom");
    if (wrapped) {
      lexer_.take();
      lexer_.expect('<', "before an instruction");
    }
    const std::string name(lexer_.take().text);
    const MmaAtom atom = instruction(name);
    if (wrapped) lexer_.expect('>', "after an instruction");
    Layout atoms;
    std::vector<Tiler> tile;
    if (lexer_.accept(',')) {
      atoms = as_plain_layout(next_(), "the layout of instructions");
      if (lexer_.accept(',')) {
        const Tiler given = as_tiler(next_(), "the tile of instructions");
        tile = given.is_by_mode() ? given.modes : std::vector<Tiler>{given};
      }
    }
    lexer_.expect(closing, "after the instructions");
    return operand_of(name, atom, atoms, tile);
  }

  // The operand that ".get_layoutA_TV()" or "::ALayout" names, else the accumulator.
  LayoutValue operand_of(std::string_view name, const MmaAtom& atom, const Layout& atoms,
                         const std::vector<Tiler>& tile) {
    const std::optional<char> named = suffix("ABC");
    const char letter = named.value_or('C');
    if (!named && why_ != nullptr) {
      why_->warn("operand", format("threads and values of {}'s accumulator; append "
                                   ".get_layoutA_TV() or .get_layoutB_TV() for the operands",
                                   name));
    }
    const MmaOperand operand = letter == 'A'   ? MmaOperand::A
                               : letter == 'B' ? MmaOperand::B
                                               : MmaOperand::C;
    return ComposedLayout{{}, 0, tiled_mma(atom, atoms, tile, operand)};
  }

  std::optional<char> suffix(std::string_view letters) {
    if (lexer_.accept('.')) {
      const std::string_view word = lexer_.take().text;
      if (word.substr(0, 10) == "get_layout" && word.size() == 14 && word.substr(11) == "_TV" &&
          letters.find(word[10]) != std::string_view::npos) {
        lexer_.expect('(', "after a name");
        lexer_.expect(')', "after '('");
        return word[10];
      }
      throw lexer_.fail(format("'.{}' is not one of .get_layout{}_TV() and the like", word,
                               letters.substr(0, 1)));
    }
    if (letters != "ABC" || !lexer_.accept(':')) return std::nullopt;
    lexer_.expect(':', "after ':'");
    const std::string_view word = lexer_.take().text;
    if (word == "ALayout" || word == "BLayout" || word == "CLayout") return word[0];
    throw lexer_.fail(format("'::{}' is not one of ::ALayout, ::BLayout and ::CLayout", word));
  }

  // "make_tiled_copy(Copy_Atom<OP, TYPE>{}, THREADS, VALUES)".
  std::optional<LayoutValue> tiled_copy_of(std::string_view word) {
    if (word != "make_tiled_copy" && word != "make_tiled_copy_tv") return std::nullopt;
    lexer_.expect('(', "before the copy");
    if (!lexer_.at_word("Copy_Atom")) throw lexer_.fail("expected Copy_Atom<OPERATION, TYPE>");
    lexer_.take();
    lexer_.expect('<', "before an operation");
    const std::string name(lexer_.take().text);
    skip_template();
    lexer_.expect(',', "before the type of an element");
    const std::string type(lexer_.take().text);
    lexer_.expect('>', "after the type of an element");
    const bool moves_matrices = name.find("SM_") != std::string::npos;
    const auto atom = copy_atom_named(name, moves_matrices ? element_bits(type) : 8);
    if (!atom) {
      throw lexer_.fail(
          format("'{}' is not a copy whose threads are known: UniversalCopy, cp.async, "
                 "SM75_U32x4_LDSM_N and SM90_U32x4_STSM_N and their variants are",
                 name));
    }
    lexer_.expect(',', "before the layout of threads");
    return copy_of_threads(name, atom);
  }

  LayoutValue copy_of_threads(std::string_view name, const std::optional<CopyAtom>& atom) {
    if (!atom) lexer_.expect('(', "before the layout of threads");
    const Layout threads = as_plain_layout(next_(), "the layout of threads");
    lexer_.expect(',', "before the layout of values");
    const Layout values = as_plain_layout(next_(), "the layout of values");
    lexer_.expect(')', "after the layout of values");
    const Layout tile = thread_value_tile(threads, values);
    if (!atom) return ComposedLayout{{}, 0, tile};
    const std::optional<char> named = suffix("SD");
    const bool one_side = atom->source == atom->destination;
    if (!named && !one_side && why_ != nullptr) {
      why_->warn("side",
                 format("the destination of {}; append .get_layoutS_TV() for the source", name));
    }
    const Layout& side = named.value_or('D') == 'S' ? atom->source : atom->destination;
    return ComposedLayout{{}, 0, tiled_copy(*atom, side, tile)};
  }

  // "(0, _)", "make_coord(0, _)", "Step<_1, X, _1>" or "(1, None, 1)", perhaps behind "name =".
  Slices slices() {
    while (lexer_.peek().kind == TokenKind::Word || lexer_.at('=')) lexer_.take();
    const char closing = lexer_.accept('<') ? '>' : ')';
    if (closing == ')') lexer_.expect('(', "before a coordinate");
    Slices found;
    do {
      const bool whole = lexer_.peek().kind == TokenKind::Underscore || lexer_.at_word("X") ||
                         lexer_.at_word("None");
      if (whole) {
        lexer_.take();
        found.emplace_back(std::nullopt);
      } else {
        found.emplace_back(lexer_.expect_number("a coordinate, '_', X or None"));
      }
    } while (lexer_.accept(',') && !lexer_.at(closing));
    lexer_.expect(closing, "after a coordinate");
    return found;
  }

  // "local_tile(L, TILER, COORDINATE, PROJECTION)".
  LayoutValue local_tile() {
    lexer_.expect('(', "before a layout");
    const ComposedLayout whole = as_layout(next_(), "the operand of a tiling");
    lexer_.expect(',', "before a tiler");
    if (lexer_.at_word("tiler")) {
      lexer_.take();
      lexer_.expect('=', "after the name of an argument");
    }
    Tiler tiler = as_tiler(next_(), "a tiler");
    lexer_.expect(',', "before the coordinate of a tile");
    Slices coordinate = slices();
    if (lexer_.accept(',') && !lexer_.at(')')) {
      const Slices kept = slices();
      if (kept.size() != coordinate.size() || kept.size() != tiler.modes.size()) {
        throw lexer_.fail(format("tiler, coordinate and projection have {}, {} and {} modes",
                                 tiler.modes.size(), coordinate.size(), kept.size()));
      }
      Tiler projected;
      Slices place;
      for (size_t i = 0; i < kept.size(); ++i) {
        if (!kept[i]) continue;
        projected.modes.push_back(tiler.modes[i]);
        place.push_back(coordinate[i]);
      }
      tiler = std::move(projected);
      coordinate = std::move(place);
    }
    lexer_.expect(')', "after the coordinate of a tile");
    return slice(whole, zipped_divide(whole.layout, tiler), coordinate);
  }

  LayoutValue slice(const ComposedLayout& whole, const Layout& cut, const Slices& coordinate) {
    std::vector<Layout> kept = modes(mode(cut, 0));
    const Layout rest = mode(cut, 1);
    if (coordinate.size() != rank(rest)) {
      throw lexer_.fail(format("a coordinate of {} modes among tiles of {}: {}", coordinate.size(),
                               rank(rest), to_string(rest)));
    }
    int64_t offset = 0;
    for (size_t i = 0; i < coordinate.size(); ++i) {
      if (coordinate[i]) {
        offset = checked_add(offset, offset_at(mode(rest, i), *coordinate[i]));
      } else {
        kept.push_back(mode(rest, i));
      }
    }
    if (whole.swizzle) {
      return make_composed(whole.swizzle, checked_add(whole.offset, offset), join_modes(kept));
    }
    if (offset != 0 && why_ != nullptr) {
      why_->warn("tile-offset",
                 format("the tile begins at offset {} of {}", offset, to_string(whole.layout)));
    }
    return ComposedLayout{{}, 0, join_modes(kept)};
  }

  LayoutLexer& lexer_;
  const NextExpression& next_;
  Derivation* why_;
};

}  // namespace

std::optional<LayoutValue> read_tiled(std::string_view word, LayoutLexer& lexer,
                                      const NextExpression& next, Derivation* why) {
  return TiledReader(lexer, next, why).read(word);
}

}  // namespace tilewright
