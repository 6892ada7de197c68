#include "layout/algebra/inverse.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/composed_layout.hpp"

namespace tilewright {

namespace {

constexpr int64_t kMostChecked = 65536;

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
      throw usage_error(format("{}: mode {} has a basis stride; only offsets are inverted", what,
                               to_string(one)));
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
      format("{}: {} has offset {}, and an inverse that subtracts it is no Sw o offset "
             "o layout",
             what, to_string(c), c.offset));
}

}  // namespace

Layout right_inverse(const Layout& layout, Derivation* why) {
  std::vector<Layout> taken = {Layout{}};
  int64_t reached = 1;
  bool skipped = false;
  for (const IndexedMode& one : modes_by_stride(layout, "right_inverse")) {
    const bool next = one.mode.stride.value() == reached;
    if (why != nullptr) {
      why->say(format("offsets below {} are reached; mode {} {}", reached, to_string(one.mode),
                      next ? format("goes on: {}:{}", one.mode.shape.value(), one.index_step)
                           : std::string("does not go on there: left out")));
    }
    if (next && skipped && why != nullptr) {
      why->warn("pycute-right-inverse",
                "pycute stops at the first mode that does not go on, and "
                "inverts less than CuTe C++ and this result");
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
      why->say(format("offset {} of mode {} stands for index {}", stride, to_string(one.mode),
                      one.index_step));
    }
  }
  extents.push_back(sorted.back().mode.shape);
  if (why != nullptr && size(layout) != cosize(layout)) {
    why->warn("pycute-left-inverse",
              "the layout leaves gaps, for which pycute's left_inverse gives "
              "other results than CuTe C++ and this one");
  }
  return coalesce(make_layout(IntTuple(std::move(extents)), IntTuple(std::move(strides))));
}

ComposedLayout right_inverse(const ComposedLayout& c, Derivation* why) {
  require_no_offset(c, "right_inverse");
  const Layout inverse = right_inverse(c.layout, why);
  if (!c.swizzle) return {{}, 0, inverse};
  ComposedLayout result = composition(inverse, *c.swizzle, why);
  const int64_t count = std::min(size(inverse), kMostChecked);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = offset_at(result, i);
    if (index < size(c.layout) && offset_at(c, index) == i) continue;
    throw usage_error(
        format("right_inverse: {} has none of the form Sw o 0 o layout: its swizzle "
               "moves offset {} away from the offsets that the layout reaches without "
               "gaps",
               to_string(c), i));
  }
  return result;
}

ComposedLayout left_inverse(const ComposedLayout& c, Derivation* why) {
  require_no_offset(c, "left_inverse");
  const Layout inverse = left_inverse(c.layout, why);
  if (!c.swizzle) return {{}, 0, inverse};
  ComposedLayout result = composition(inverse, *c.swizzle, why);
  const int64_t count = std::min(size(c.layout), kMostChecked);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t offset = offset_at(c, i);
    const int64_t plain = value_at(inverse, offset, false).value();
    const int64_t index = apply(*result.swizzle, plain);
    if (index < size(c.layout) && offset_at(c, index) == offset) continue;
    throw usage_error(
        format("left_inverse: {} has none of the form Sw o 0 o layout: it does not bring "
               "offset {} back to an index that lies there",
               to_string(c), offset));
  }
  return result;
}

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
