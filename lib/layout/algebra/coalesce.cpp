#include "layout/algebra/coalesce.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

bool runs_on(const Layout& low, const Layout& high) {
  const IntTuple& d = low.stride;
  return d.basis() == high.stride.basis() &&
         checked_mul(low.shape.value(), d.value()) == high.stride.value();
}

// From the last mode to the first, as CuTe does: a merged mode has a known stride at its front.
std::vector<Layout> merge(const std::vector<Layout>& modes, Layout last, Derivation* why) {
  std::vector<Layout> merged = {std::move(last)};  // back to front
  for (size_t i = modes.size() - 1; i > 0; --i) {
    const Layout& next = modes[i - 1];
    Layout& front = merged.back();
    if (next.shape == IntTuple(1)) {
      if (why != nullptr)
        why->say(format("mode {} {} has size 1: dropped", i - 1, to_string(next)));
    } else if (front.shape == IntTuple(1)) {
      front = next;
    } else if (runs_on(next, front)) {
      const Layout both{checked_mul(next.shape.value(), front.shape.value()), next.stride};
      if (why != nullptr) {
        why->say(format("{} and {} run on ({} * {} = {}): {}", to_string(next), to_string(front),
                        next.shape.value(), to_string(next.stride), to_string(front.stride),
                        to_string(both)));
      }
      front = both;
    } else {
      merged.push_back(next);
    }
  }
  std::reverse(merged.begin(), merged.end());
  return merged;
}

}  // namespace

Layout coalesce(const Layout& layout, Derivation* why) {
  const std::vector<Layout> modes = flat_modes(layout);
  const std::vector<Layout> merged = merge(modes, modes.back(), why);
  if (merged.size() == 1 && merged[0].shape == IntTuple(1)) return {};
  return from_flat(merged);
}

Layout coalesce(const Layout& layout, const IntTuple& profile, Derivation* why) {
  if (!profile.is_tuple()) return coalesce(layout, why);
  if (profile.rank() > rank(layout)) {
    throw usage_error(format("coalesce: profile {} has {} modes and {} has {}", to_string(profile),
                             profile.rank(), to_string(layout), rank(layout)));
  }
  std::vector<Layout> done;
  for (size_t i = 0; i < rank(layout); ++i) {
    done.push_back(i < profile.rank() ? coalesce(mode(layout, i), profile[i], why)
                                      : mode(layout, i));
  }
  return join_modes(done);
}

Layout filter(const Layout& layout) {
  std::vector<Layout> modes = flat_modes(layout);
  for (Layout& one : modes) {
    if (one.stride == IntTuple(0)) one.shape = 1;
  }
  return coalesce(from_flat(modes));
}

std::vector<Layout> coalesce_beyond(const Layout& layout) {
  const std::vector<Layout> modes = flat_modes(layout);
  Layout last = modes.back();
  if (last.shape == IntTuple(1)) last.shape = 2;
  return merge(modes, std::move(last), nullptr);
}

}  // namespace tilewright
