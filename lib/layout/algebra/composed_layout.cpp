#include "layout/algebra/composed_layout.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

ComposedLayout make_composed(std::optional<Swizzle> swizzle, int64_t offset, Layout layout) {
  if (swizzle && swizzle->bits == 0 && offset == 0) swizzle.reset();
  if (!swizzle && offset != 0) {
    throw usage_error(format("offset {} without a swizzle is no layout", offset));
  }
  if (offset < 0) throw usage_error(format("offset {} below a swizzle is negative", offset));
  if (swizzle && has_basis(layout)) {
    throw usage_error(
        format("{} maps to coordinates, and a swizzle takes offsets", to_string(layout)));
  }
  checked_add(offset, cosize(layout));
  return {swizzle, offset, std::move(layout)};
}

int64_t offset_at(const ComposedLayout& c, const IntTuple& coord) {
  const int64_t plain = checked_add(c.offset, offset_at(c.layout, coord));
  return c.swizzle ? apply(*c.swizzle, plain) : plain;
}

IntTuple value_at(const ComposedLayout& c, const IntTuple& coord) {
  if (has_basis(c.layout)) return value_at(c.layout, coord);
  return offset_at(c, coord);
}

std::string to_string(const ComposedLayout& c) {
  if (!c.swizzle) return to_string(c.layout);
  return format("{} o {} o {}", to_string(*c.swizzle), c.offset, to_string(c.layout));
}

}  // namespace tilewright
