#include "layout/algebra/inverse.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/layout_evaluator.hpp"

namespace tilewright {

namespace {

constexpr int64_t kMaxChecked = 65536;

/// A mode and the index, in the layout, of its second coordinate.
struct IndexedMode {
  Layout mode;
  int64_t index_step;
};

std::vector<IndexedMode> modes_by_stride(const Layout& layout, const char* what) {
  std::vector<IndexedMode> sorted;
  int64_t step = 1;
  for (const Layout& one : flat_modes(coalesce(layout))) {
    if (one.stride.is_basis()) {
      throw usage_error(format("{}: mode {} has a basis stride, and only offsets can be inverted",
                               what, to_string(one)));
    }
    sorted.push_back({one, step});
    step = checked_mul(step, one.shape.value());
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const IndexedMode& a, const IndexedMode& b) {
    return a.mode.stride.value() < b.mode.stride.value();
  });
  return sorted;
}

void require_no_offset(const ComposedLayout& c, const char* what) {
  if (c.offset == 0) return;
  throw usage_error(
      format("{}: {} has offset {}, and an inverse that subtracts it is not Sw o offset o layout",
             what, to_string(c), c.offset));
}

void require_plain(const Layout& layout) {
  for (const Layout& one : flat_modes(layout)) {
    if (one.stride.is_basis()) {
      throw usage_error(
          format("complement: mode {} has a basis stride, and only offsets have a complement",
                 to_string(one)));
    }
    if (one.stride.value() < 0) {
      throw usage_error(format("complement: mode {} has a negative stride", to_string(one)));
    }
  }
}

void require_gap(const Layout& one, int64_t covered) {
  if (one.stride.value() >= covered) return;
  throw usage_error(
      format("complement: the layout is not injective: mode {} steps by {}, and the modes of "
             "smaller stride already cover {}",
             to_string(one), one.stride.value(), covered));
}

struct Step {
  int64_t extent;
  int64_t stride;  // positive
};

/// Two coordinates share an offset if and only if some differences k of their integers, |k| below
/// the extent and not all 0, sum to 0. This searches them from the largest stride down and stops
/// where the smaller strides cannot compensate for the rest.
class CollisionSearch {
 public:
  explicit CollisionSearch(std::vector<Step> steps) : steps_(std::move(steps)) {
    std::sort(steps_.begin(), steps_.end(),
              [](const Step& a, const Step& b) { return a.stride > b.stride; });
    reach_.assign(steps_.size() + 1, 0);
    divisor_.assign(steps_.size() + 1, 0);
    for (size_t i = steps_.size(); i > 0; --i) {
      const Step& step = steps_[i - 1];
      reach_[i - 1] = reach_[i] + (step.extent - 1) * step.stride;
      divisor_[i - 1] = std::gcd(divisor_[i], step.stride);
    }
  }

  /// True if a collision exists; nothing if the search gave up.
  std::optional<bool> run() {
    const bool found = visit(0, 0, false);
    if (!found && visited_ > kMaxVisited) return std::nullopt;
    return found;
  }

 private:
  static constexpr int64_t kMaxVisited = 4'000'000;

  // NOLINTNEXTLINE(misc-no-recursion)
  bool visit(size_t i, int64_t rest, bool moved) {
    if (++visited_ > kMaxVisited) return false;
    if (i == steps_.size()) return rest == 0 && moved;
    if (divisor_[i] != 0 && rest % divisor_[i] != 0) return false;
    const Step& step = steps_[i];
    const int64_t reach = reach_[i + 1];
    // All k with |rest + k * stride| <= reach; the first difference is positive by symmetry.
    const int64_t low = -reach - rest;
    const int64_t high = reach - rest;
    int64_t k = low < 0 ? low / step.stride : ceil_div(low, step.stride);
    const int64_t last = high < 0 ? -ceil_div(-high, step.stride) : high / step.stride;
    k = std::max(k, moved ? 1 - step.extent : int64_t{0});
    for (; k <= std::min(last, step.extent - 1); ++k) {
      if (visit(i + 1, rest + k * step.stride, moved || k != 0)) return true;
    }
    return false;
  }

  std::vector<Step> steps_;
  std::vector<int64_t> reach_;    // greatest sum of the steps from i on
  std::vector<int64_t> divisor_;  // greatest common divisor of the strides from i on
  int64_t visited_ = 0;
};

// The swizzle does not change a mode with a stride that is a multiple of the swizzle's period: the
// mode's share of the range can be added, and only the other modes must be tried.
void split_unswizzled(const Layout& one, int64_t period, OffsetRange& passed,
                      std::vector<Layout>& tried) {
  const int64_t extent = one.shape.value();
  const int64_t stride = one.stride.value();
  // Steps until the swizzle repeats; the period is a power of two.
  const int64_t repeat = stride == 0 ? 1 : std::max<int64_t>(period / (stride & -stride), 1);
  if (extent % repeat != 0 && extent > repeat) {
    tried.push_back(one);
    return;
  }
  const int64_t inner = std::min(extent, repeat);
  if (inner > 1) tried.push_back({inner, stride});
  const int64_t passes = (extent / inner - 1) * inner * stride;
  (passes < 0 ? passed.least : passed.most) += passes;
}

}  // namespace

Layout right_inverse(const Layout& layout, Derivation* why) {
  std::vector<Layout> taken = {Layout{}};
  int64_t reached = 1;
  bool skipped = false;
  for (const IndexedMode& one : modes_by_stride(layout, "right_inverse")) {
    const bool next = one.mode.stride.value() == reached;
    if (why != nullptr) {
      why->add_step(format("offsets below {} are reached; mode {} {}", reached, to_string(one.mode),
                           next ? format("continues: {}:{}", one.mode.shape.value(), one.index_step)
                                : std::string("does not continue there: omitted")));
    }
    if (next && skipped && why != nullptr) {
      why->warn("pycute-right-inverse",
                "pycute stops at the first mode that does not continue, and inverts less than CuTe "
                "C++ and this result");
    }
    skipped = skipped || !next;
    if (!next) continue;
    taken.push_back({one.mode.shape, one.index_step});
    reached = checked_mul(reached, one.mode.shape.value());
  }
  return coalesce(join_modes(taken));
}

Layout left_inverse(const Layout& layout, Derivation* why) {
  std::vector<IntTuple> extents;
  std::vector<IntTuple> strides = {0};
  int64_t covered = 1;
  const std::vector<IndexedMode> sorted = modes_by_stride(layout, "left_inverse");
  for (const IndexedMode& one : sorted) {
    const int64_t stride = one.mode.stride.value();
    if (stride == 0) continue;
    if (stride < 0 || stride % covered != 0) {
      throw usage_error(
          format("left_inverse: mode {} does not divide: its stride must be a positive multiple of "
                 "{}, the next smaller stride",
                 to_string(one.mode), covered));
    }
    extents.emplace_back(stride / covered);
    strides.emplace_back(one.index_step);
    covered = stride;
    if (why != nullptr) {
      why->add_step(
          format("offset {} of mode {} is index {}", stride, to_string(one.mode), one.index_step));
    }
  }
  extents.push_back(sorted.back().mode.shape);
  if (why != nullptr && size(layout) != cosize(layout)) {
    why->warn("pycute-left-inverse",
              "the layout has gaps, and for such layouts pycute's left_inverse differs from CuTe "
              "C++ and from this result");
  }
  return coalesce(make_layout(IntTuple(std::move(extents)), IntTuple(std::move(strides))));
}

ComposedLayout right_inverse(const ComposedLayout& c, Derivation* why) {
  require_no_offset(c, "right_inverse");
  const Layout inverse = right_inverse(c.layout, why);
  if (!c.swizzle) return {{}, 0, inverse};
  ComposedLayout result = composition(inverse, *c.swizzle, why);
  const int64_t count = std::min(size(inverse), kMaxChecked);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = offset_at(result, i);
    if (index < size(c.layout) && offset_at(c, index) == i) continue;
    throw usage_error(
        format("right_inverse: {} has no inverse of the form Sw o 0 o layout: its swizzle moves "
               "offset {} away from the offsets that the layout reaches without gaps",
               to_string(c), i));
  }
  return result;
}

ComposedLayout left_inverse(const ComposedLayout& c, Derivation* why) {
  require_no_offset(c, "left_inverse");
  const Layout inverse = left_inverse(c.layout, why);
  if (!c.swizzle) return {{}, 0, inverse};
  ComposedLayout result = composition(inverse, *c.swizzle, why);
  const int64_t count = std::min(size(c.layout), kMaxChecked);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t offset = offset_at(c, i);
    const int64_t plain = value_at(inverse, offset, false).value();
    const int64_t index = apply(*result.swizzle, plain);
    if (index < size(c.layout) && offset_at(c, index) == offset) continue;
    throw usage_error(
        format("left_inverse: {} has no inverse of the form Sw o 0 o layout: it does not map "
               "offset {} back to its index",
               to_string(c), offset));
  }
  return result;
}

Layout complement(const Layout& layout, const IntTuple& target, Derivation* why) {
  require_plain(layout);
  for (const IntTuple& extent : leaves(target)) {
    if (extent.value() < 1 || extent.is_basis()) {
      throw usage_error(format("complement: target {} is not positive", to_string(target)));
    }
  }
  const Layout kept = filter(layout);
  if (kept.stride == IntTuple(0)) return coalesce(make_layout(product(target), 1));
  std::vector<Layout> sorted = flat_modes(kept);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Layout& a, const Layout& b) {
    return a.stride.value() < b.stride.value();
  });
  if (why != nullptr && sorted.size() > 1) {
    why->add_step(format("modes by stride: {}", to_string(from_flat(sorted))));
  }
  std::vector<Layout> gaps;
  int64_t covered = 1;
  for (const Layout& one : sorted) {
    require_gap(one, covered);
    gaps.push_back({one.stride.value() / covered, covered});
    if (why != nullptr && one.stride.value() % covered != 0) {
      why->warn("complement-gap", format("{} does not divide the stride of mode {}: the "
                                         "complement, as in CuTe, misses offsets",
                                         covered, to_string(one)));
    }
    if (why != nullptr) {
      why->add_step(format("up to mode {} every {} repeats {} times: {}", to_string(one), covered,
                           one.stride.value() / covered, to_string(gaps.back())));
    }
    covered = checked_mul(one.stride.value(), one.shape.value());
  }
  const int64_t rest = product(ceil_div(target, IntTuple(covered)));
  gaps.push_back({rest, covered});
  if (why != nullptr) {
    why->add_step(format("beyond, {} of {} fill the target {}: {}", rest, covered,
                         to_string(target), to_string(gaps.back())));
  }
  const Layout result = coalesce(from_flat(gaps));
  return make_layout(result.shape, result.stride);
}

std::optional<bool> is_injective(const ComposedLayout& c) {
  constexpr int64_t kMaxReach = int64_t{1} << 60;
  if (cosize(c.layout) > kMaxReach) return std::nullopt;
  // The swizzle is a bijection, so it does not matter. Strides along different basis vectors are
  // independent.
  std::map<std::vector<int>, std::vector<Step>> axes;
  for (const Layout& one : flat_modes(c.layout)) {
    if (one.shape == IntTuple(1)) continue;
    if (one.stride.value() == 0) return false;
    axes[one.stride.basis()].push_back({one.shape.value(), checked_abs(one.stride.value())});
  }
  for (auto& [axis, steps] : axes) {
    const std::optional<bool> collides = CollisionSearch(std::move(steps)).run();
    if (!collides) return std::nullopt;
    if (*collides) return false;
  }
  return true;
}

std::optional<OffsetRange> offset_range(const ComposedLayout& c) {
  constexpr int64_t kMaxTried = int64_t{1} << 26;
  if (has_basis(c.layout)) return std::nullopt;
  const int64_t period = c.swizzle ? tilewright::period(*c.swizzle) : 1;
  OffsetRange passed;
  std::vector<Layout> tried;
  for (const Layout& one : flat_modes(coalesce(c.layout)))
    split_unswizzled(one, period, passed, tried);
  const Layout rest = from_flat(tried);
  if (size(rest) > kMaxTried) return std::nullopt;
  const LayoutEvaluator evaluate(ComposedLayout{c.swizzle, c.offset, rest});
  OffsetRange range{evaluate(0), evaluate(0)};
  std::array<int64_t, 1024> offsets{};
  for (int64_t first = 0; first < size(rest); first += static_cast<int64_t>(offsets.size())) {
    throw_if_interrupted();
    const auto count = std::min<int64_t>(size(rest) - first, offsets.size());
    const std::span<int64_t> part(offsets.data(), static_cast<size_t>(count));
    evaluate.fill(first, part);
    const auto [least, most] = std::minmax_element(part.begin(), part.end());
    range = {std::min(range.least, *least), std::max(range.most, *most)};
  }
  return OffsetRange{range.least + passed.least, range.most + passed.most};
}

std::optional<int64_t> footprint(const ComposedLayout& c) {
  const std::optional<OffsetRange> range = offset_range(c);
  if (!range) return std::nullopt;
  return range->most - std::min<int64_t>(range->least, 0) + 1;
}

}  // namespace tilewright
