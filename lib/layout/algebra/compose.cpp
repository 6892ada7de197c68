#include "layout/algebra/compose.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"

namespace tilewright {

namespace {

IntTuple scale(const IntTuple& stride, int64_t factor) {
  return IntTuple::scaled_basis(checked_mul(stride.value(), factor), stride.basis());
}

/// Applies one mode s:d of B to the modes of A, one mode of A after the other.
class ModeComposer {
 public:
  ModeComposer(const std::vector<Layout>& a, const Layout& b_mode, Derivation* why)
      : a_(a),
        b_mode_(b_mode),
        why_(why),
        rest_(b_mode.shape.value()),
        step_(b_mode.stride.value()) {}

  Layout composed() {
    for (size_t i = 0; i + 1 < a_.size() && rest_ > 1; ++i) pass(i);
    if (taken_.empty() || rest_ > 1) {
      const IntTuple stride = scale(a_.back().stride, step_);
      if (!taken_.empty() || rest_ > 1) {
        add_step(format("the last mode {} takes the remaining {} at stride {} * {}: {}:{}",
                        to_string(a_.back()), rest_, step_, to_string(a_.back().stride), rest_,
                        to_string(stride)));
      }
      taken_.push_back({rest_, stride});
    }
    return from_flat(taken_);
  }

 private:
  void add_step(const std::string& line) {
    if (why_ != nullptr) why_->add_step(line);
  }

  void pass(size_t i) {
    const int64_t extent = a_[i].shape.value();
    const int64_t reach = checked_abs(step_);
    require_stride(i, extent, reach);
    const int64_t sign = step_ < 0 ? -1 : 1;
    const int64_t next_step = ceil_div(reach, extent) * sign;
    const int64_t fit = ceil_div(extent, reach);
    if (fit == 1) {
      add_step(format("mode {} of A, {}: stride {} steps over it, {} left of the stride", i,
                      to_string(a_[i]), step_, next_step));
      if (why_ != nullptr) {
        why_->warn("cute-cpp-dynamic", format("with dynamic integers CuTe C++ keeps a mode of size "
                                              "1 where mode {} of B steps over mode {} of A, {}",
                                              to_string(b_mode_), i, to_string(a_[i])));
      }
      step_ = next_step;
      return;
    }
    const int64_t take = std::min(fit, rest_);
    require_extent(i, take);
    const Layout part{take, scale(a_[i].stride, step_)};
    add_step(format("mode {} of A, {}: {} of {} fit at stride {} * {}: {}", i, to_string(a_[i]),
                    take, rest_, step_, to_string(a_[i].stride), to_string(part)));
    taken_.push_back(part);
    rest_ /= take;
    step_ = next_step;
  }

  void require_stride(size_t i, int64_t extent, int64_t reach) const {
    if (reach < extent || reach % extent == 0) return;
    throw usage_error(format(
        "composition: mode {} of B does not divide: its stride is {} where mode {} of A, {}, "
        "has extent {}, and neither divides the other",
        to_string(b_mode_), reach, i, to_string(a_[i]), extent));
  }

  void require_extent(size_t i, int64_t take) const {
    if (rest_ % take == 0) return;
    throw usage_error(format(
        "composition: mode {} of B does not divide: {} elements of mode {} of A, {}, fit its "
        "stride, and {} does not divide the extent {}",
        to_string(b_mode_), take, i, to_string(a_[i]), take, rest_));
  }

  const std::vector<Layout>& a_;
  const Layout& b_mode_;
  Derivation* why_;
  int64_t rest_;
  int64_t step_;
  std::vector<Layout> taken_;
};

std::string text_of(const std::vector<Layout>& modes) {
  return to_string(from_flat(modes));
}

Layout compose_mode(const Layout& a, const Layout& b_mode, Derivation* why) {
  Layout part = a;
  for (const int i : b_mode.stride.basis()) {
    if (static_cast<size_t>(i) >= rank(part)) {
      throw usage_error(
          format("composition: mode {} of B selects mode {} of {}, which has {} modes",
                 to_string(b_mode), i, to_string(part), rank(part)));
    }
    part = mode(part, static_cast<size_t>(i));
  }
  if (why != nullptr) why->add_step(format("mode {} of B", to_string(b_mode)));
  const DerivationLevel level(why);
  if (b_mode.stride.value() == 0) {
    if (why != nullptr) why->add_step("stride 0 stays");
    return {b_mode.shape, 0};
  }
  const std::vector<Layout> flat = coalesce_beyond(part);
  if (!b_mode.stride.basis().empty() && why != nullptr) {
    why->add_step(format("acts on mode {} of A", to_string(part)));
  }
  return ModeComposer(flat, b_mode, why).composed();
}

// The rules above treat each mode of B alone. If a step does not divide an extent, or if several
// modes of B together leave an extent, CuTe's result is not A(B(c)).
void warn_if_different(const Layout& a, const Layout& b, const Layout& result, Derivation& why) {
  constexpr int64_t kMaxChecked = 4096;
  if (has_basis(b)) return;
  for (int64_t i = 0; i < std::min(size(b), kMaxChecked); ++i) {
    const IntTuple wanted = value_at(a, offset_at(b, i), false);
    const IntTuple found = value_at(result, i);
    if (wanted == found) continue;
    why.warn("composition-differs", format("{} o {} = {} in CuTe C++, which is not A(B(c)): at c = "
                                           "{} that is {}, and the result is {}",
                                           to_string(a), to_string(b), to_string(result), i,
                                           to_string(wanted), to_string(found)));
    return;
  }
}

Layout compose(const Layout& a, const Layout& b, Derivation* why) {
  if (!b.shape.is_tuple()) return compose_mode(a, b, why);
  std::vector<Layout> done;
  for (const Layout& one : modes(b)) done.push_back(compose(a, one, why));
  return join_modes(done);
}

bool is_contiguous_with(const Layout& low, const Layout& high) {
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
        why->add_step(format("mode {} {} has size 1: dropped", i - 1, to_string(next)));
    } else if (front.shape == IntTuple(1)) {
      front = next;
    } else if (is_contiguous_with(next, front)) {
      const Layout both{checked_mul(next.shape.value(), front.shape.value()), next.stride};
      if (why != nullptr) {
        why->add_step(format("{} and {} are contiguous ({} * {} = {}): {}", to_string(next),
                             to_string(front), next.shape.value(), to_string(next.stride),
                             to_string(front.stride), to_string(both)));
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

Layout composition(const Layout& a, const Layout& b, Derivation* why) {
  if (why != nullptr) {
    const std::string flat = text_of(coalesce_beyond(a));
    if (!has_basis(b) && flat != to_string(a)) why->add_step(format("A coalesces to {}", flat));
    if (!has_basis(b) && cosize(b) > size(a)) {
      why->warn("out-of-domain", format("composition: B = {} reaches index {}, and A = {} has {} "
                                        "elements: A's last mode continues beyond its extent",
                                        to_string(b), cosize(b) - 1, to_string(a), size(a)));
    }
  }
  Layout result = compose(a, b, why);
  result = make_layout(std::move(result.shape), std::move(result.stride));
  if (why != nullptr) warn_if_different(a, b, result, *why);
  return result;
}

Layout composition(const Layout& a, const Tiler& tiler, Derivation* why) {
  if (tiler.layout) return composition(a, *tiler.layout, why);
  if (!tiler.is_by_mode()) return a;
  require_modes(a, tiler, "composition");
  std::vector<Layout> done;
  for (size_t i = 0; i < tiler.modes.size(); ++i) {
    if (why != nullptr) {
      why->add_step(
          format("mode {}: {} o {}", i, to_string(mode(a, i)), to_string(tiler.modes[i])));
    }
    const DerivationLevel level(why);
    done.push_back(composition(mode(a, i), tiler.modes[i], why));
  }
  return join_modes(done);
}

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
