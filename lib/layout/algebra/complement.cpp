#include "layout/algebra/complement.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/coalesce.hpp"

namespace tilewright {
namespace {

void require_plain(const Layout& layout) {
  for (const Layout& one : flat_modes(layout)) {
    if (one.stride.is_basis()) {
      throw usage_error(
          format("complement: mode {} has a basis stride; only offsets have a "
                 "complement",
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

}  // namespace

Layout complement(const Layout& layout, const IntTuple& target, Derivation* why) {
  require_plain(layout);
  for (const IntTuple& extent : leaves(target)) {
    if (extent.value() < 1 || extent.is_basis()) {
      throw usage_error(format("complement: target {} is not a positive size", to_string(target)));
    }
  }
  const Layout kept = filter(layout);
  if (kept.stride == IntTuple(0)) return coalesce(make_layout(product(target), 1));
  std::vector<Layout> sorted = flat_modes(kept);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Layout& a, const Layout& b) {
    return a.stride.value() < b.stride.value();
  });
  if (why != nullptr && sorted.size() > 1) {
    why->say(format("modes by stride: {}", to_string(from_flat(sorted))));
  }
  std::vector<Layout> gaps;
  int64_t covered = 1;
  for (const Layout& one : sorted) {
    require_gap(one, covered);
    gaps.push_back({one.stride.value() / covered, covered});
    if (why != nullptr && one.stride.value() % covered != 0) {
      why->warn("complement-gap",
                format("{} does not divide the stride of mode {}: the complement, as "
                       "CuTe has it, leaves offsets out",
                       covered, to_string(one)));
    }
    if (why != nullptr) {
      why->say(format("up to mode {} every {} repeats {} times: {}", to_string(one), covered,
                      one.stride.value() / covered, to_string(gaps.back())));
    }
    covered = checked_mul(one.stride.value(), one.shape.value());
  }
  const int64_t rest = product(ceil_div(target, IntTuple(covered)));
  gaps.push_back({rest, covered});
  if (why != nullptr) {
    why->say(format("beyond, {} of {} fill the target {}: {}", rest, covered, to_string(target),
                    to_string(gaps.back())));
  }
  const Layout result = coalesce(from_flat(gaps));
  return make_layout(result.shape, result.stride);
}

}  // namespace tilewright
