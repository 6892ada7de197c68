#include "layout/algebra/composed_layout.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"

namespace tilewright {

ComposedLayout make_composed(std::optional<Swizzle> swizzle, int64_t offset, Layout layout) {
  if (swizzle && swizzle->bits == 0 && offset == 0) swizzle.reset();
  if (!swizzle && offset != 0) {
    throw usage_error(format("offset {} without a swizzle is not a layout", offset));
  }
  if (offset < 0) throw usage_error(format("offset {} below a swizzle is negative", offset));
  if (swizzle && has_basis(layout)) {
    throw usage_error(
        format("{} maps to coordinates, and a swizzle needs offsets", to_string(layout)));
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

namespace {

// Drops the bits that the swizzle reads above the domain, because they are never set.
Swizzle restrict_to_domain(const Swizzle& s, int64_t domain) {
  if (s.shift <= 0) return s;
  const int width = 64 - std::countl_zero(static_cast<uint64_t>(domain - 1));
  return {std::clamp(width - s.base - s.shift, 0, s.bits), s.base, s.shift};
}

std::optional<Swizzle> move_through(const Layout& a, const Swizzle& s) {
  try {
    const int64_t y = value_at(a, y_mask(s), false).value();
    return swizzle_of_masks(y, value_at(a, z_mask(s), false).value());
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Tests a(inner(i)) == outer(a(i)) on the whole domain, or on its first part and every power of
// two.
bool commutes(const Layout& a, const Swizzle& inner, const Swizzle& outer) {
  constexpr int64_t kMaxChecked = 65536;
  const auto holds_at = [&](int64_t i) {
    const int64_t swizzled = apply(inner, i);
    return value_at(a, swizzled, false).value() == apply(outer, value_at(a, i).value());
  };
  const int64_t domain = size(a);
  for (int64_t i = 0; i < std::min(domain, kMaxChecked); ++i) {
    if (!holds_at(i)) return false;
  }
  for (int64_t i = kMaxChecked; i < domain && i < domain / 2 + 1; i *= 2) {
    if (!holds_at(i)) return false;
  }
  return true;
}

}  // namespace

ComposedLayout composition(const Swizzle& a, const ComposedLayout& b) {
  if (!b.swizzle) return make_composed(a, 0, b.layout);
  return make_composed(composition(a, *b.swizzle), b.offset, b.layout);
}

ComposedLayout composition(const Layout& a, const Swizzle& b, Derivation* why) {
  if (!has_basis(a)) {
    for (const Swizzle& inner : {b, restrict_to_domain(b, size(a))}) {
      const std::optional<Swizzle> outer = move_through(a, inner);
      if (!outer || !commutes(a, inner, *outer)) continue;
      if (why != nullptr) {
        why->add_step(
            format("{} o {}: bits {:#x} read and {:#x} changed become {:#x} and {:#x}: {}",
                   to_string(a), to_string(b), y_mask(inner), z_mask(inner), y_mask(*outer),
                   z_mask(*outer), to_string(*outer)));
      }
      return make_composed(*outer, 0, a);
    }
  }
  throw usage_error(
      format("{} o {} is not a swizzled layout: the layout does not map the bits read and the bits "
             "changed to one run of bits each",
             to_string(a), to_string(b)));
}

ComposedLayout composition(const ComposedLayout& a, const ComposedLayout& b, Derivation* why) {
  ComposedLayout outer = a;
  if (b.swizzle) {
    if (b.offset != 0) {
      throw usage_error(
          format("composition: B = {} has offset {}, and a swizzle can be moved through A only at "
                 "offset 0",
                 to_string(b), b.offset));
    }
    const ComposedLayout inner = composition(a.layout, *b.swizzle, why);
    if (a.swizzle && inner.swizzle && a.offset != 0) {
      throw usage_error(
          format("composition: A = {} and B = {} are both swizzled and A has offset {}",
                 to_string(a), to_string(b), a.offset));
    }
    if (a.swizzle && inner.swizzle) outer.swizzle = composition(*a.swizzle, *inner.swizzle);
    if (!a.swizzle) outer.swizzle = inner.swizzle;
  }
  return make_composed(outer.swizzle, outer.offset, composition(a.layout, b.layout, why));
}

}  // namespace tilewright
