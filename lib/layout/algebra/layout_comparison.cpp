#include "layout/algebra/layout_comparison.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/layout_evaluator.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxCompared = int64_t{1} << 28;

std::optional<int64_t> differing_offset(const ComposedLayout& a, const ComposedLayout& b,
                                        int64_t count) {
  constexpr size_t kChunk = 4096;
  const LayoutEvaluator first(a);
  const LayoutEvaluator second(b);
  std::array<int64_t, kChunk> x{};
  std::array<int64_t, kChunk> y{};
  for (int64_t begin = 0; begin < count; begin += static_cast<int64_t>(kChunk)) {
    throw_if_interrupted();
    const size_t part = std::min(kChunk, static_cast<size_t>(count - begin));
    first.fill(begin, std::span(x.data(), part));
    second.fill(begin, std::span(y.data(), part));
    const auto end = x.begin() + static_cast<std::ptrdiff_t>(part);
    const auto [at, other] = std::mismatch(x.begin(), end, y.begin());
    if (at != end) return begin + (at - x.begin());
  }
  return std::nullopt;
}

std::optional<int64_t> differing_value(const ComposedLayout& a, const ComposedLayout& b,
                                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    throw_if_interrupted();
    if (value_at(a, i) != value_at(b, i)) return i;
  }
  return std::nullopt;
}

}  // namespace

LayoutComparison compare(const ComposedLayout& a, const ComposedLayout& b) {
  const int64_t size_a = size(a.layout);
  const int64_t size_b = size(b.layout);
  const int64_t count = std::min(size_a, size_b);
  const bool alike =
      a.swizzle == b.swizzle && a.offset == b.offset && coalesce(a.layout) == coalesce(b.layout);
  if (alike) return {.equal = true, .reason = {}, .difference = {}};
  if (count > kMaxCompared) {
    throw usage_error(
        format("{} elements are more than the {} that can be compared", count, kMaxCompared));
  }
  const bool coordinates = has_basis(a.layout) || has_basis(b.layout);
  const std::optional<int64_t> at =
      coordinates ? differing_value(a, b, count) : differing_offset(a, b, count);
  if (at) {
    const LayoutDifference found{*at, coordinate_at(a.layout.shape, *at), value_at(a, *at),
                                 value_at(b, *at)};
    return {false,
            format("at {} the first gives {} and the second {}", to_string(found.coordinate),
                   to_string(found.first), to_string(found.second)),
            found};
  }
  if (size_a == size_b) return {.equal = true, .reason = {}, .difference = {}};
  return {false, format("the sizes differ, {} and {}; the common part is equal", size_a, size_b),
          std::nullopt};
}

}  // namespace tilewright
