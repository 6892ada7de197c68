// `draw layout`: coordinates and offsets as a picture.

#include "base/files.hpp"
#include "base/text.hpp"
#include "draw/cairo_painter.hpp"
#include "draw/layout_diagram.hpp"
#include "layout/layout_expression.hpp"
#include "layout/tile_pattern.hpp"
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

Scene scene_of(const DrawLayoutOptions& o) {
  const ComposedLayout layout = parse_layout(o.expression);
  const LayoutView view = view_of(o);
  if (o.versus.empty()) return layout_diagram(layout, view);
  return layout_comparison(layout, parse_layout(o.versus), view);
}

}  // namespace

ExitCode run_draw_layout(const DrawLayoutOptions& options, Console& console) {
  // The file's name is checked before the work.
  image_format_of(options.output);
  require_writable(options.output);
  write_picture(scene_of(options), options.output);
  console.err << "wrote " << options.output << '\n';
  return ExitCode::Good;
}

}  // namespace tilewright
