#include "layout/algebra/layout_value.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

namespace {

Error not_a(const LayoutValue& value, const std::string& what, const char* kind) {
  return usage_error(format("{} is {}, not {}", what, to_string(value), kind));
}

struct Printer {
  std::string operator()(const ComposedLayout& v) const { return to_string(v); }
  std::string operator()(const IntTuple& v) const { return to_string(v); }
  std::string operator()(const Tiler& v) const { return to_string(v); }
  std::string operator()(const Swizzle& v) const { return to_string(v); }
  std::string operator()(const PointerTag& v) const {
    return format("smem_ptr[{}b](unset)", v.element_bits);
  }
  std::string operator()(const CodomainValue& v) const { return to_string(v.value); }
  std::string operator()(const ModeOrder& v) const {
    return v.last_first ? "LayoutRight" : "LayoutLeft";
  }
  std::string operator()(const SliceCoordinate& v) const { return to_string(v); }
};

Tiler tiler_of(const SliceCoordinate& coordinate) {
  if (coordinate.index) return tiler_of(IntTuple(*coordinate.index));
  Tiler tiler;
  for (const SliceCoordinate& one : coordinate.modes) tiler.modes.push_back(tiler_of(one));
  return tiler;
}

SliceCoordinate coordinate_of(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return {tuple.value(), {}};
  SliceCoordinate coordinate;
  for (const IntTuple& item : tuple.items()) coordinate.modes.push_back(coordinate_of(item));
  return coordinate;
}

}  // namespace

std::string to_string(const LayoutValue& value) {
  return std::visit(Printer{}, value);
}

ComposedLayout as_layout(const LayoutValue& value, const std::string& what) {
  if (const auto* layout = std::get_if<ComposedLayout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return {{}, 0, compact_layout(*shape)};
  if (const auto* tiler = std::get_if<Tiler>(&value); tiler != nullptr && tiler->layout) {
    return {{}, 0, *tiler->layout};
  }
  throw not_a(value, what, "a layout");
}

Layout as_plain_layout(const LayoutValue& value, const std::string& what) {
  const ComposedLayout layout = as_layout(value, what);
  if (layout.swizzle) throw not_a(value, what, "a layout without a swizzle");
  return layout.layout;
}

Tiler as_tiler(const LayoutValue& value, const std::string& what) {
  if (const auto* tiler = std::get_if<Tiler>(&value)) return *tiler;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return tiler_of(*shape);
  if (const auto* slices = std::get_if<SliceCoordinate>(&value)) return tiler_of(*slices);
  if (const auto* layout = std::get_if<ComposedLayout>(&value);
      layout != nullptr && !layout->swizzle) {
    Tiler whole;
    whole.layout = layout->layout;
    return whole;
  }
  throw not_a(value, what, "a tiler");
}

SliceCoordinate as_coordinate(const LayoutValue& value, const std::string& what) {
  if (const auto* slices = std::get_if<SliceCoordinate>(&value)) return *slices;
  if (value == LayoutValue(Tiler{})) return {};
  const bool number =
      std::holds_alternative<IntTuple>(value) || std::holds_alternative<CodomainValue>(value);
  if (!number || has_basis(as_tuple(value, what))) throw not_a(value, what, "a coordinate");
  return coordinate_of(as_tuple(value, what));
}

IntTuple as_tuple(const LayoutValue& value, const std::string& what) {
  if (const auto* tuple = std::get_if<IntTuple>(&value)) return *tuple;
  if (const auto* found = std::get_if<CodomainValue>(&value)) return found->value;
  throw not_a(value, what, "a tuple of integers");
}

int64_t as_integer(const LayoutValue& value, const std::string& what) {
  const IntTuple tuple = as_tuple(value, what);
  if (tuple.is_tuple() || tuple.is_basis()) throw not_a(value, what, "an integer");
  return tuple.value();
}

}  // namespace tilewright
