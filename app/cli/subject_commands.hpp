// The command line of the subjects of `analyze` and `draw`.
#pragma once

#include "cli/shared_options.hpp"
#include "host/console.hpp"
#include "request/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace tilewright {

/// The options of every subject of analyze.
struct AnalyzeOptions {
  GridOptions grid;
  AccessOptions access;
  LayoutOptions layout;
  NestedOptions nested;
  ScheduleOptions schedule;
  SwizzleOptions swizzle;
  PadOptions pad;
};

/// The options of every subject of draw.
struct DrawOptions {
  GridOptions grid;
  AccessOptions access;
  DrawLayoutOptions layout;
  DrawScheduleOptions schedule;
  SwizzleOptions swizzle;
  NestedOptions nested;
  DrawTraceOptions trace;
};

/// Adds the verb with all its subjects. `action` becomes a call of the one that the command line
/// names.
void add_analyze(CLI::App& app, AnalyzeOptions& o, Action& action, Console& console);
void add_draw(CLI::App& app, DrawOptions& o, Action& action, Console& console);

}  // namespace tilewright
