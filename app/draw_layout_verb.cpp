// `draw layout`: coordinates and offsets as a picture.

#include "base/text.hpp"
#include "draw/layout_diagram.hpp"
#include "draw/thread_value_diagram.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/text/layout_expression.hpp"
#include "picture_output.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

// "3,5" as well as "(3,5)" and an index.
IntTuple parse_element(const std::string& text) {
  const bool bare = text.find(',') != std::string::npos && text.front() != '(';
  return parse_int_tuple(bare ? format("({})", text) : text);
}

LayoutView view_of(const DrawLayoutOptions& o) {
  LayoutView view;
  if (!o.dtype.empty()) view.element_bytes = parse_element_bytes(o.dtype);
  if (!o.color.empty()) {
    view.color = parse_cell_color(o.color);
  } else if (!o.dtype.empty()) {
    view.color = CellColor::Bank;
  }
  if (!o.element.empty()) view.element = parse_element(o.element);
  return view;
}

Scene thread_values(const DrawLayoutOptions& o) {
  if (!o.versus.empty() || !o.element.empty() || !o.dtype.empty()) {
    throw usage_error("--tv draws one layout by thread: leave --versus, --element and --dtype out");
  }
  OwnershipView view;
  if (o.thread >= 0) view.thread = o.thread;
  if (!o.color.empty()) {
    const CellColor color = parse_cell_color(o.color);
    if (color == CellColor::Bank) throw usage_error("--tv has no banks: --color value or thread");
    view.by_value = color == CellColor::Value;
  }
  return thread_value_diagram(parse_layout(o.expression), parse_thread_value_tile(o.tv), view);
}

Scene scene_of(const DrawLayoutOptions& o) {
  if (!o.tv.empty()) return thread_values(o);
  if (o.thread >= 0) throw usage_error("--thread goes with --tv MxN, such as --tv 16x8");
  const ComposedLayout layout = parse_layout(o.expression);
  const LayoutView view = view_of(o);
  if (o.versus.empty()) return layout_diagram(layout, view);
  return layout_comparison(layout, parse_layout(o.versus), view);
}

}  // namespace

ExitCode run_draw_layout(const DrawLayoutOptions& options, Console& console) {
  return write_scene(
      options.picture, [&] { return scene_of(options); }, console);
}

}  // namespace tilewright
