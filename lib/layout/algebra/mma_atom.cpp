#include "layout/algebra/mma_atom.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/inverse.hpp"

namespace tilewright {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Splits "F32F16F16F32" into its types; "E4M3" is one type.
std::vector<std::string_view> types_in(std::string_view text) {
  std::vector<std::string_view> types;
  size_t begin = 0;
  for (size_t i = 1; i <= text.size(); ++i) {
    const bool ends = i == text.size() || (!is_digit(text[i]) && is_digit(text[i - 1]));
    const bool inside_float = i + 1 < text.size() && i == begin + 2 && text[begin] == 'E' &&
                              text[i] == 'M' && is_digit(text[i + 1]);
    if (!ends || inside_float) continue;
    types.push_back(text.substr(begin, i - begin));
    begin = i;
  }
  return types;
}

int64_t bits_of(std::string_view type) {
  if (type.substr(0, 1) == "E") return type == "E4M3" || type == "E5M2" ? 8 : 0;
  const size_t digits = std::min(type.find_first_of("0123456789"), type.size());
  const std::string_view kind = type.substr(0, digits);
  constexpr std::string_view kKinds[] = {"F", "BF", "TF", "S", "U"};
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) return 0;
  return parse_count(type.substr(digits)).value_or(0);
}

// The fields of a name like "SM90_64x128x16_F32F16F16_SS".
std::optional<MmaOperation> parse_op(std::string_view text) {
  std::vector<std::string_view> parts = split(text, '_');
  if (parts.size() < 3) return std::nullopt;
  const bool of_gmma = parts[0] == "MMA";
  if (!of_gmma && parts[0].substr(0, 2) != "SM") return std::nullopt;
  const std::vector<std::string_view> shape = split_sizes(parts[1]);
  if (shape.size() != 3) return std::nullopt;
  const auto m = parse_count(shape[0]);
  const auto n = parse_count(shape[1]);
  const auto k = parse_count(shape[2]);
  const std::vector<std::string_view> types = types_in(parts[2]);
  if (!m || !n || !k || types.size() < 3) return std::nullopt;
  const bool warpgroup = of_gmma || parts[0] == "SM90";
  const bool in_shared = std::find(parts.begin() + 3, parts.end(), "SS") != parts.end();
  return MmaOperation{.m = *m,
                      .n = *n,
                      .k = *k,
                      .bits_a = bits_of(types[1]),
                      .bits_b = bits_of(types[2]),
                      .warpgroup = warpgroup && *m == 64,
                      .a_in_shared = in_shared};
}

// The number of adjacent elements along K in a 32-bit register.
int64_t neighbours(int64_t bits) {
  return std::max<int64_t>(1, 32 / bits);
}

// Warps along M, 16 rows each; 8 rows of 4 threads, then 8 rows more.
Layout rows_of_16(int64_t rows, int64_t k, int64_t bits) {
  const int64_t e = neighbours(bits);
  const IntTuple values({IntTuple(e), IntTuple(rows < 16 ? 1 : 2), IntTuple(k / (4 * e))});
  const IntTuple steps({IntTuple(rows), IntTuple(8), IntTuple(4 * e * rows)});
  if (rows <= 16) {
    return make_layout(IntTuple({IntTuple({4, 8}), values}),
                       IntTuple({IntTuple({e * rows, 1}), steps}));
  }
  return make_layout(IntTuple({IntTuple({4, 8, rows / 16}), values}),
                     IntTuple({IntTuple({e * rows, 1, 16}), steps}));
}

Layout accumulator(int64_t rows, int64_t n) {
  return rows_of_16(rows, n, 16);
}

Layout in_shared(int64_t rows, int64_t k) {
  return make_layout(IntTuple({IntTuple(128), IntTuple({rows, k})}),
                     IntTuple({IntTuple(0), IntTuple({1, rows})}));
}

// Known are mma.sync with 8 or 16 rows, 8 columns and registers that hold adjacent elements along
// K, and wgmma.
bool is_known(const MmaOperation& op) {
  if (op.bits_a < 4 || op.bits_b < 4 || op.bits_a > 64 || op.bits_b > 64) return false;
  if (op.k % (4 * neighbours(op.bits_a)) != 0 || op.k % (4 * neighbours(op.bits_b)) != 0) {
    return false;
  }
  if (op.warpgroup) return op.n % 8 == 0 && op.n >= 8 && op.n <= 256;
  return (op.m == 16 || (op.m == 8 && op.bits_a == 64)) && op.n == 8;
}

Layout layout_of_operand(const MmaAtom& atom, MmaOperand operand) {
  if (operand == MmaOperand::A) return atom.a;
  return operand == MmaOperand::B ? atom.b : atom.c;
}

// Instructions along M, N and K.
std::array<int64_t, 3> counts_of(const Layout& atoms) {
  std::array<int64_t, 3> count = {1, 1, 1};
  for (size_t d = 0; d < std::min<size_t>(rank(atoms), 3); ++d) count[d] = size(mode(atoms, d));
  return count;
}

Tiler permutation_of(const std::vector<Tiler>& tile, size_t dimension) {
  return dimension < tile.size() ? tile[dimension] : Tiler{};
}

}  // namespace

MmaAtom mma_atom(const MmaOperation& op, std::string_view name) {
  if (!is_known(op)) {
    throw usage_error(format(
        "the layouts of {} are not known, only those of mma.sync of 16x8 (fp64: also 8x8) and "
        "of wgmma, such as SM80_16x8x16_F32F16F16F32_TN and SM90_64x128x16_F32F16F16_SS",
        name));
  }
  return {.m = op.m,
          .n = op.n,
          .k = op.k,
          .a = op.a_in_shared ? in_shared(op.m, op.k) : rows_of_16(op.m, op.k, op.bits_a),
          .b = op.warpgroup ? in_shared(op.n, op.k) : rows_of_16(op.n, op.k, op.bits_b),
          .c = accumulator(op.m, op.n)};
}

std::optional<MmaAtom> mma_atom_named(std::string_view text) {
  const Layout one = make_layout(IntTuple({1, 1}), IntTuple({0, 0}));
  if (text == "UniversalFMA") return MmaAtom{1, 1, 1, one, one, one};
  const std::optional<MmaOperation> op = parse_op(text);
  if (!op) return std::nullopt;
  return mma_atom(*op, text);
}

std::array<int64_t, 3> tiled_mma_shape(const MmaAtom& atom, const Layout& atoms,
                                       const std::vector<Tiler>& tile) {
  const std::array<int64_t, 3> instruction = {atom.m, atom.n, atom.k};
  const std::array<int64_t, 3> count = counts_of(atoms);
  std::array<int64_t, 3> shape = {};
  for (size_t d = 0; d < shape.size(); ++d) {
    const Tiler given = permutation_of(tile, d);
    const int64_t least = instruction[d] * count[d];
    shape[d] = given.layout ? size(*given.layout) : least;
    if (shape[d] % least != 0) {
      throw usage_error(format("{} along {} are not a multiple of {} instructions of {}", shape[d],
                               "MNK"[d], count[d], instruction[d]));
    }
  }
  return shape;
}

Layout tiled_mma(const MmaAtom& atom, const Layout& atoms, const std::vector<Tiler>& tile,
                 MmaOperand operand) {
  const std::array<int64_t, 3> instruction = {atom.m, atom.n, atom.k};
  const size_t row = operand == MmaOperand::B ? 1 : 0;
  const size_t column = operand == MmaOperand::C ? 1 : 2;
  const std::array<int64_t, 3> count = counts_of(atoms);
  const std::array<int64_t, 3> shape = tiled_mma_shape(atom, atoms, tile);
  const Layout whole = compact_layout(IntTuple({shape[row], shape[column]}));
  const Layout ordered =
      logical_divide(whole, Tiler{{}, {permutation_of(tile, row), permutation_of(tile, column)}});
  const Layout cut =
      zipped_divide(ordered, tiler_of(IntTuple({instruction[row], instruction[column]})));
  const Layout held = composition(mode(cut, 0), layout_of_operand(atom, operand));
  const Layout dealt = zipped_divide(mode(cut, 1), tiler_of(IntTuple({count[row], count[column]})));
  // Thread modes: the threads of an instruction, then the instructions along M, N and K; the
  // operand does not depend on one of these.
  std::vector<Layout> threads = {mode(held, 0)};
  for (size_t d = 0; d < 3; ++d) {
    threads.push_back(d == row      ? mode(mode(dealt, 0), 0)
                      : d == column ? mode(mode(dealt, 0), 1)
                                    : make_layout(IntTuple(count[d]), IntTuple(0)));
  }
  const Layout numbers = tiled_product(compact_layout(IntTuple(size(mode(held, 0)))),
                                       Tiler{.layout = atoms, .modes = {}});
  return join_modes({composition(join_modes(threads), right_inverse(numbers)),
                     join_modes({mode(held, 1), mode(dealt, 1)})});
}

}  // namespace tilewright
