#include "layout/algebra/recast.hpp"

#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"
#include "layout/algebra/map_modes.hpp"
#include "map/element_type.cuh"

namespace tilewright {

namespace {

Layout upcast_mode(const Layout& one, int64_t factor, Derivation* why) {
  const int64_t stride = one.stride.value();
  if (stride == 0) return one;
  const int64_t reach = checked_abs(stride);
  if (one.stride.is_basis() || (reach % factor != 0 && factor % reach != 0)) {
    throw usage_error(format(
        "recast: mode {} does not divide: neither its stride nor the factor {} divides the other",
        to_string(one), factor));
  }
  const int64_t merged = ceil_div(factor, reach);
  const int64_t extent = one.shape.value();
  if (extent % merged != 0 && why != nullptr) {
    why->warn("recast-rounds-up", format("{} elements of mode {} make one new element, and {} does "
                                         "not divide its extent",
                                         merged, to_string(one), merged));
  }
  return {ceil_div(extent, merged), (stride < 0 ? -1 : 1) * ceil_div(reach, factor)};
}

ComposedLayout upcast(const ComposedLayout& c, int64_t factor, Derivation* why) {
  if (c.offset % factor != 0) {
    throw usage_error(
        format("recast: {} does not divide the offset {} of {}", factor, c.offset, to_string(c)));
  }
  std::optional<Swizzle> swizzle;
  if (c.swizzle) swizzle = upcast(*c.swizzle, factor);
  const Layout layout = upcast(c.layout, factor, why);
  if (swizzle && swizzle->bits == 0 && c.offset != 0) {
    throw usage_error(format("recast: the swizzle of {} vanishes and its offset {} remains",
                             to_string(c), c.offset));
  }
  return make_composed(swizzle, c.offset / factor, layout);
}

ComposedLayout downcast(const ComposedLayout& c, int64_t factor) {
  std::optional<Swizzle> swizzle;
  if (c.swizzle) swizzle = downcast(*c.swizzle, factor);
  return make_composed(swizzle, checked_mul(c.offset, factor), downcast(c.layout, factor));
}

constexpr std::array<std::pair<std::string_view, int64_t>, 24> kTypes = {{
    {"f16", 16}, {"bf16", 16}, {"f32", 32}, {"tf32", 32}, {"f64", 64}, {"e4m3", 8},
    {"e5m2", 8}, {"e2m1", 4},  {"i4", 4},   {"i8", 8},    {"i16", 16}, {"i32", 32},
    {"i64", 64}, {"s8", 8},    {"s32", 32}, {"u4", 4},    {"u8", 8},   {"u16", 16},
    {"u32", 32}, {"u64", 64},  {"b8", 8},   {"b16", 16},  {"b32", 32}, {"b128", 128},
}};

}  // namespace

Layout upcast(const Layout& layout, int64_t factor, Derivation* why) {
  return map_modes(layout, [&](const Layout& one) { return upcast_mode(one, factor, why); });
}

Layout downcast(const Layout& layout, int64_t factor) {
  bool contiguous = false;
  Layout result = map_modes(layout, [&](const Layout& one) -> Layout {
    if (one.stride.is_basis()) {
      throw usage_error(format("recast: mode {} has a basis stride", to_string(one)));
    }
    contiguous = contiguous || one.stride.value() == 1;
    if (checked_abs(one.stride.value()) == 1) {
      return {checked_mul(one.shape.value(), factor), one.stride};
    }
    return {one.shape, checked_mul(one.stride.value(), factor)};
  });
  if (!contiguous) {
    throw usage_error(
        format("recast: {} has no mode of stride 1, so the parts of an element belong to no mode",
               to_string(layout)));
  }
  return result;
}

ComposedLayout recast(const ComposedLayout& c, int64_t from_bits, int64_t to_bits,
                      Derivation* why) {
  if (from_bits < 1 || to_bits < 1) {
    throw usage_error(
        format("recast: from {} to {} bits: both must be positive", from_bits, to_bits));
  }
  const int64_t common = std::gcd(from_bits, to_bits);
  const int64_t up = to_bits / common;
  const int64_t down = from_bits / common;
  if (why != nullptr) {
    why->add_step(
        format("new elements are {}/{} of the old ones: {}", up, down,
               up > 1 ? "strides shrink, or neighbours merge" : "strides and neighbours grow"));
  }
  const ComposedLayout larger = up > 1 ? upcast(c, up, why) : c;
  return down > 1 ? downcast(larger, down) : larger;
}

int64_t element_bits(std::string_view type) {
  const std::string_view own = short_type_name(type);
  std::vector<std::string_view> names;
  for (const auto& [name, bits] : kTypes) {
    if (name == own) return bits;
    names.push_back(name);
  }
  // Names by which problems have them, too.
  for (const tw::ElementRecord& record : tw::kElements) {
    if (*record.other != 0 && own == record.other) return int64_t{8} * record.bytes;
  }
  const std::vector<std::string> known(names.begin(), names.end());
  for (const std::string_view name : long_type_names()) names.push_back(name);
  throw usage_error(format("unknown element type '{}'{}; the types are {}", type,
                           did_you_mean(type, names), join(known, ", ")));
}

}  // namespace tilewright
