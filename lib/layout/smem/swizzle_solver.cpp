#include "layout/smem/swizzle_solver.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {

namespace {

// The patterns by which warps access the tile.
std::vector<TilePattern> patterns_of(const SwizzleProblem& problem) {
  std::vector<TilePattern> patterns{problem.read};
  if (const TilePattern* const write = warps_of(problem.write)) patterns.push_back(*write);
  return patterns;
}

SwizzleSpelling spell_tma(const SharedTile& tile, const Swizzle& s) {
  const int64_t row_bytes = tile.cols * tile.element_bytes;
  if (s.bits == 0) return {"tma", "CU_TENSOR_MAP_SWIZZLE_NONE", ""};
  const Swizzle bytes = downcast(s, tile.element_bytes);
  if (bytes.base != 4 || bytes.shift != 3 || bytes.bits > 3) {
    return {"tma", "",
            format("in bytes it is {}, and the modes are Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3>",
                   to_string(bytes))};
  }
  const int64_t span = int64_t{16} << bytes.bits;
  if (row_bytes > span) {
    return {
        "tma", "",
        format(
            "rows of {} bytes are longer than the {} bytes of the mode: copy boxes of {} columns",
            row_bytes, span, span / tile.element_bytes)};
  }
  return {"tma", format("CU_TENSOR_MAP_SWIZZLE_{}B", span), ""};
}

// Bits of the largest offset in the tile.
int offset_bits(const SharedTile& tile) {
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(element_count(tile) - 1)));
}

// The number of elements that must stay contiguous.
int64_t widest_piece(const SwizzleProblem& problem) {
  int64_t widest = 1;
  for (const TilePattern& pattern : patterns_of(problem)) {
    widest = std::max(widest, elements_together(problem.tile, pattern));
  }
  return widest;
}

// What a tensor map asks of a box that is as wide as the rows.
void require_box(const SharedTile& tile) {
  constexpr int64_t kUnit = 16;         // bytes
  constexpr int64_t kMaxColumns = 256;  // elements
  if (tile.cols * tile.element_bytes % kUnit != 0) {
    throw usage_error(format("TMA writes rows of whole {} bytes, not of {}", kUnit,
                             tile.cols * tile.element_bytes));
  }
  if (tile.cols > kMaxColumns) {
    throw usage_error(
        format("TMA writes boxes of at most {} columns, not {}: use --tile {}x{}, a "
               "part of the tile",
               kMaxColumns, tile.cols, tile.rows, kMaxColumns));
  }
}

void require_sound(const SwizzleProblem& problem) {
  if (!is_power_of_two(problem.vector)) {
    throw usage_error(format("--vector {} is not a power of two elements", problem.vector));
  }
  if (is_tma(problem.write)) require_box(problem.tile);
  for (const TilePattern& pattern : patterns_of(problem)) {
    const int64_t elements = elements_together(problem.tile, pattern);
    if (elements > problem.vector) {
      throw usage_error(format("{} moves {} elements of {} bytes at once, more than --vector {}",
                               to_string(pattern), elements, problem.tile.element_bytes,
                               problem.vector));
    }
  }
  if (problem.tile.cols % problem.vector != 0) {
    throw usage_error(format("--vector {} does not divide rows of {} elements", problem.vector,
                             problem.tile.cols));
  }
}

// The instructions of the write and the read, computed once for all candidates.
class Walks {
 public:
  explicit Walks(const SwizzleProblem& problem)
      : problem_(problem),
        write_(warps_of(problem.write) == nullptr
                   ? std::vector<LaneElements>{}
                   : warp_accesses(problem.tile, *warps_of(problem.write))),
        read_(warp_accesses(problem.tile, problem.read)) {}

  // The number of warp instructions of both.
  int64_t length() const { return std::ssize(write_) + std::ssize(read_); }

  template <class Offset>
  AccessCosts costs(const Offset& offset) const {
    AccessCosts costs{.write = {}, .read = cost(problem_.read.op, read_, offset)};
    const TilePattern* const write = warps_of(problem_.write);
    if (write != nullptr) costs.write = cost(write->op, write_, offset);
    return costs;
  }

 private:
  template <class Offset>
  TileCost cost(const AccessOp& op, const std::vector<LaneElements>& accesses,
                const Offset& offset) const {
    return cost_of_accesses(op, accesses, problem_.tile.element_bytes, offset);
  }

  const SwizzleProblem& problem_;
  std::vector<LaneElements> write_;
  std::vector<LaneElements> read_;
};

bool stays_inside(const SharedTile& tile, const Swizzle& swizzle) {
  const int64_t count = element_count(tile);
  if (is_power_of_two(count)) return z_mask(swizzle) < count;
  for (int64_t i = 0; i < count; ++i) {
    if (apply(swizzle, i) >= count) return false;
  }
  return true;
}

bool is_writable(const SwizzleProblem& problem, const Swizzle& swizzle) {
  return !is_tma(problem.write) || spell_tma(problem.tile, swizzle).why_not.empty();
}

// All swizzles that keep vectors contiguous, read at least one bit of an offset in the tile, stay
// inside the tile, and can be written.
std::vector<Swizzle> swizzles_in_range(const SwizzleProblem& problem) {
  const int bits = offset_bits(problem.tile);
  std::vector<Swizzle> swizzles{{.bits = 0, .base = 0, .shift = 0}};
  for (int base = log2_of(problem.vector); base < bits; ++base) {
    for (int distance = 1; base + distance < bits; ++distance) {
      throw_if_interrupted();
      for (int count = 1; count <= distance; ++count) {
        for (const int shift : {distance, -distance}) {
          const Swizzle swizzle{.bits = count, .base = base, .shift = shift};
          if (is_writable(problem, swizzle) && stays_inside(problem.tile, swizzle)) {
            swizzles.push_back(swizzle);
          }
        }
      }
    }
  }
  return swizzles;
}

std::vector<PaddingCandidate> solve_padding(const SwizzleProblem& problem, const Walks& walks) {
  const SharedTile& tile = problem.tile;
  const int64_t most = std::max(problem.vector, kBankRowBytes / tile.element_bytes);
  std::vector<PaddingCandidate> candidates;
  for (int64_t pad = 0; pad <= most; pad += problem.vector) {
    candidates.push_back(
        {.elements = pad,
         .extra_bytes = pad * tile.rows * tile.element_bytes,
         .costs = walks.costs([&](int64_t i) { return i + i / tile.cols * pad; })});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const PaddingCandidate& a, const PaddingCandidate& b) {
                     return total(a.costs) < total(b.costs);
                   });
  return candidates;
}

// The share of the wavefronts that a tile without conflicts would not need.
double share_of(const TileCost& cost) {
  return cost.total == 0 ? 0
                         : static_cast<double>(conflicts(cost)) / static_cast<double>(cost.total);
}

auto rank_of(const SwizzleCandidate& c) {
  const Swizzle& s = c.swizzle;
  return std::tuple(total(c.costs), s.bits > 0, !c.is_rule, s.bits, std::abs(s.shift), s.base,
                    s.shift < 0);
}

// "Column of vectors ^= row / rows_a_phase % phases", in the terms that Triton and IREE share.
struct RowXor {
  int64_t vector = 1;        // elements
  int64_t rows_a_phase = 1;  // adjacent rows with the same XOR
  int64_t phases = 1;
  std::string why_not;  // if not empty, there is no such form
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
  if (s.bits == 0) return {"iree", "", "without a swizzle no attribute is needed"};
  const int64_t width = form.vector * form.phases;
  if (width == tile.cols && form.rows_a_phase == 1) {
    return {"iree", format("#iree_codegen.xor_shuffle<{}, {}>", width, form.vector), ""};
  }
  return {"iree",
          format("#iree_codegen.xor_shuffle<{}, {}, {}, {}>", width, form.vector, tile.cols,
                 form.rows_a_phase),
          ""};
}

}  // namespace

double conflict_share(const AccessCosts& costs) {
  return std::max(share_of(costs.write), share_of(costs.read));
}

double conflicts_remaining(const AccessCosts& costs, const AccessCosts& plain) {
  const auto both = [](const AccessCosts& c) {
    return static_cast<double>(conflicts(c.write) + conflicts(c.read));
  };
  return both(costs) / std::max(both(plain), 1.0);
}

SwizzleRule rule_of_thumb(const SharedTile& tile, int64_t vector) {
  SwizzleRule rule;
  const int64_t in_bank_row = kBankRowBytes / tile.element_bytes;
  if (!is_power_of_two(tile.cols)) {
    rule.why_not = format("a row of {} elements is not a power of two", tile.cols);
    return rule;
  }
  const int base = log2_of(vector);
  const int shift = log2_of(tile.cols) - base;
  const int bits = log2_of(in_bank_row) - base;
  rule.text = to_string(Swizzle{.bits = bits, .base = base, .shift = shift});
  if (bits < 0) {
    rule.why_not = format("a vector of {} elements is wider than 128 bytes", vector);
  } else if (std::abs(shift) < bits) {
    rule.why_not = format(
        "its formula gives {}, no swizzle: S < B, as rows are shorter than 128 bytes", rule.text);
  } else {
    rule.swizzle = make_swizzle(bits, base, shift);
  }
  return rule;
}

AccessCosts swizzled_costs(const SwizzleProblem& problem, const Swizzle& swizzle) {
  require_sound(problem);
  const int64_t whole = widest_piece(problem);
  if (swizzle.bits > 0 && (z_mask(swizzle) & (whole - 1)) != 0) {
    throw usage_error(format("{} separates the {} elements that one access needs to be contiguous",
                             to_string(swizzle), whole));
  }
  if (!is_writable(problem, swizzle)) {
    throw usage_error(format("TMA does not write {}: {}", to_string(swizzle),
                             spell_tma(problem.tile, swizzle).why_not));
  }
  if (!stays_inside(problem.tile, swizzle)) {
    throw usage_error(format("{} moves elements out of the tile of {} elements", to_string(swizzle),
                             element_count(problem.tile)));
  }
  return Walks(problem).costs([&](int64_t i) { return apply(swizzle, i); });
}

SwizzleSolution solve_swizzle(const SwizzleProblem& problem) {
  require_sound(problem);
  const Walks walks(problem);
  SwizzleSolution solution;
  solution.rule = rule_of_thumb(problem.tile, problem.vector);
  solution.plain = walks.costs([](int64_t i) { return i; });
  const std::vector<Swizzle> swizzles = swizzles_in_range(problem);
  if (std::ssize(swizzles) * walks.length() > kMaxWalked) {
    throw usage_error(
        format("{} swizzles of a tile of {} elements are more than the search can cost ({} warp "
               "instructions): use a smaller tile or a larger --vector, or cost one with --swizzle",
               swizzles.size(), element_count(problem.tile), kMaxWalked));
  }
  for (const Swizzle& swizzle : swizzles) {
    solution.candidates.push_back(
        {.swizzle = swizzle,
         .costs = walks.costs([&](int64_t i) { return apply(swizzle, i); }),
         .is_rule = swizzle == solution.rule.swizzle});
  }
  std::sort(
      solution.candidates.begin(), solution.candidates.end(),
      [](const SwizzleCandidate& a, const SwizzleCandidate& b) { return rank_of(a) < rank_of(b); });
  if (!is_tma(problem.write)) solution.paddings = solve_padding(problem, walks);
  return solution;
}

std::vector<SwizzleSpelling> spell_swizzle(const SharedTile& tile, const Swizzle& swizzle) {
  return {cute_cpp(tile, swizzle), cute_dsl(tile, swizzle), triton(tile, swizzle),
          iree(tile, swizzle), spell_tma(tile, swizzle)};
}

}  // namespace tilewright
