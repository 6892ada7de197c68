#include "layout/algebra/codomain.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "base/interruption.hpp"
#include "base/math.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/layout_evaluator.hpp"

namespace tilewright {
namespace {

struct Step {
  int64_t extent;
  int64_t stride;  // positive
};

/// Two coordinates share an offset exactly where some differences k of their integers, |k| below
/// the extent and not all 0, sum to 0: a search from the largest stride down, cut off where the
/// smaller strides cannot make up for what is left.
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

  /// True where a collision exists; nothing where the search gave up.
  std::optional<bool> run() {
    const bool found = visit(0, 0, false);
    if (!found && visited_ > kMostVisited) return std::nullopt;
    return found;
  }

 private:
  static constexpr int64_t kMostVisited = 4'000'000;

  // NOLINTNEXTLINE(misc-no-recursion)
  bool visit(size_t i, int64_t rest, bool moved) {
    if (++visited_ > kMostVisited) return false;
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
  std::vector<int64_t> reach_;    // of the steps from i on
  std::vector<int64_t> divisor_;  // greatest common, of the strides from i on
  int64_t visited_ = 0;
};

// Modes whose stride is a multiple of the swizzle's period pass through it: their share of the
// range adds up, and only the others have to be tried.
void set_aside(const Layout& one, int64_t period, OffsetRange& passed, std::vector<Layout>& tried) {
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

std::optional<bool> is_injective(const ComposedLayout& c) {
  constexpr int64_t kMostReach = int64_t{1} << 60;
  if (cosize(c.layout) > kMostReach) return std::nullopt;
  // A swizzle is a bijection. Strides along different basis vectors are independent.
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
  constexpr int64_t kMostTried = int64_t{1} << 26;
  if (has_basis(c.layout)) return std::nullopt;
  const int64_t period = c.swizzle ? tilewright::period(*c.swizzle) : 1;
  OffsetRange passed;
  std::vector<Layout> tried;
  for (const Layout& one : flat_modes(coalesce(c.layout))) set_aside(one, period, passed, tried);
  const Layout rest = from_flat(tried);
  if (size(rest) > kMostTried) return std::nullopt;
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
