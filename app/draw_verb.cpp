// `draw`: the subjects of analyze as pictures.

#include "base/files.hpp"
#include "draw/cairo_painter.hpp"
#include "draw/grid_diagram.hpp"
#include "grid_subject.hpp"
#include "verbs.hpp"

namespace tilewright {

ExitCode run_draw_grid(const GridOptions& options, Console& console) {
  // The file's name is checked before the work.
  image_format_of(options.output);
  require_writable(options.output);
  require_drawable(parse_grid(options.grid));
  write_picture(grid_diagram(report_grid(options)), options.output);
  console.err << "wrote " << options.output << '\n';
  return ExitCode::Good;
}

}  // namespace tilewright
