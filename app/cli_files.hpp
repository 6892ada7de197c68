// The verbs that need nothing but files, on the command line.
#pragma once

#include "cli_parts.hpp"
#include "console.hpp"
#include "options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace tilewright {

/// Adds the verb, which becomes `action` where it is named.
void add_merge(CLI::App& app, MergeOptions& o, Action& action, Console& console);
void add_report(CLI::App& app, ReportOptions& o, Action& action, Console& console);

}  // namespace tilewright
