// `draw`: the subjects of analyze as pictures.

#include "access_subject.hpp"
#include "base/text.hpp"
#include "draw/access_diagram.hpp"
#include "draw/grid_diagram.hpp"
#include "draw/nested_diagram.hpp"
#include "draw/swizzle_diagram.hpp"
#include "grid_subject.hpp"
#include "nested_subject.hpp"
#include "picture_output.hpp"
#include "swizzle_subject.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

Scene draw_access(const AccessOptions& o) {
  if (o.space == "shared") return shared_access_diagram(read_accesses(o));
  if (o.space == "global") return global_access_diagram(read_accesses(o));
  throw usage_error(format("unknown space '{}': --space is shared or global", o.space));
}

}  // namespace

ExitCode run_draw_grid(const GridOptions& options, Console& console) {
  const auto make = [&] {
    const TileCoord grid = parse_grid(options.grid);
    std::optional<TileWindow> window;
    if (options.tiles.empty()) {
      require_drawable(grid);
    } else {
      window = parse_tile_window(options.tiles, grid);
    }
    std::optional<GridColor> color;
    if (!options.color.empty()) color = parse_grid_color(options.color);
    const GridReport report = report_grid(options);
    if (options.versus.empty()) return grid_diagram(report, color, window);
    GridOptions other = options;
    other.raster = options.versus;
    return grid_comparison(report, report_grid(other), color, window);
  };
  return write_scene(options.picture, make, console);
}

ExitCode run_draw_access(const AccessOptions& options, Console& console) {
  return write_scene(
      options.picture, [&] { return draw_access(options); }, console);
}

ExitCode run_draw_swizzle(const SwizzleOptions& options, Console& console) {
  const auto make = [&] { return swizzle_diagram(report_swizzle(options)); };
  return write_scene(options.picture, make, console);
}

ExitCode run_draw_nested(const NestedOptions& options, Console& console) {
  const auto make = [&] { return nested_diagram(report_nested(options)); };
  return write_scene(options.picture, make, console);
}

}  // namespace tilewright
