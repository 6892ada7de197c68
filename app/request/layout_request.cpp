#include "request/layout_request.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "request/sweep_request.hpp"

namespace tilewright {
namespace {

// The value of a layout at a coordinate has no memory to access.
void require_layout(const LayoutOptions& o) {
  if (o.equal.empty() && !o.linear && !o.show && o.access.empty() && !o.as_wgmma) return;
  throw usage_error(
      format("'{}' is a value, not a layout: --equal, --access, --as-wgmma, --linear and "
             "--show need a layout",
             o.expression));
}

RequestedAccess parse_access(const LayoutOptions& o) {
  RequestedAccess access{.pattern = parse_tile_pattern(o.access), .threads = {}};
  if (o.threads.empty()) return access;
  if (access.pattern.down_columns) {
    throw usage_error("--threads defines where lanes run: omit '@col'");
  }
  access.threads = as_layout(read_layout(o.threads), "--threads").layout;
  return access;
}

void read_access(const LayoutOptions& o, LayoutRequest& request) {
  if (o.access.empty() && !o.threads.empty()) throw usage_error("--threads needs --access OP");
  if (o.access.empty() && !o.as_wgmma) return;
  if (o.dtype.empty()) {
    throw usage_error("--access and --as-wgmma count bytes: add --dtype, such as --dtype f16");
  }
  request.element_bytes = parse_element_bytes(o.dtype);
  if (!o.access.empty()) request.access = parse_access(o);
}

Extents parse_extents(const std::string& text) {
  Extents shape;
  for (const std::string_view part : split_sizes(text)) {
    const std::optional<int64_t> extent = parse_count(part);
    if (!extent) throw usage_error(format("--shape '{}' is not MxN, such as 64x64", text));
    shape.push_back(*extent);
  }
  return shape;
}

std::optional<NestedCopy> read_copy(const NestedOptions& o) {
  if (o.access.empty()) {
    if (o.element_bytes == 0) return std::nullopt;
    throw usage_error("--dtype is the element type for --access: add --access");
  }
  if (o.element_bytes == 0) {
    throw usage_error("--access counts bytes: add --dtype, such as --dtype f16");
  }
  return NestedCopy{
      .op = parse_access_op(o.access), .element_bytes = o.element_bytes, .space = o.space};
}

}  // namespace

ComposedLayout read_drawn_layout(const std::string& text, std::optional<ThreadValueTile>& tile) {
  Derivation why;
  ComposedLayout drawn = as_layout(read_layout(text, &why), "the layout");
  const std::optional<CoveredTile>& covered = why.tile();
  const bool covers = covered && rank(drawn.layout) == 2 && !drawn.swizzle &&
                      cosize(drawn.layout) == covered->rows * covered->columns;
  tile.reset();
  if (covers) tile = {covered->rows, covered->columns};
  return drawn;
}

LayoutRequest read_layout_options(const LayoutOptions& o) {
  require_sweep(o.sweep, "layout", o.format);
  LayoutRequest request;
  static_cast<LayoutSettings&>(request) = o;
  request.report = report_layout(
      o.expression, o.dialect.empty() ? LayoutDialect::Canonical : parse_layout_dialect(o.dialect),
      request.why);
  if (!o.dtype.empty()) request.element_bits = element_bits(o.dtype);
  if (request.report.value) {
    require_layout(o);
  } else {
    if (!o.equal.empty()) request.equal = as_layout(read_layout(o.equal), "--equal");
    read_access(o, request);
  }
  return request;
}

NestedRequest read_nested_request(const NestedOptions& o) {
  require_sweep(o.sweep, "nested", o.format);
  NestedRequest request;
  static_cast<NestedSettings&>(request) = o;
  request.layout = parse_nested_layout(o.text);
  if (!o.shape.empty()) require_shape(request.layout, parse_extents(o.shape));
  request.copy = read_copy(o);
  return request;
}

}  // namespace tilewright
