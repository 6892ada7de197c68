// The command line of the verbs that need only files.
#pragma once

#include "cli/shared_options.hpp"
#include "host/console.hpp"
#include "request/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace tilewright {

/// Adds the verb to `app`. If the command line names it, `action` becomes a call of it.
void add_merge(CLI::App& app, MergeOptions& o, Action& action, Console& console);
void add_report(CLI::App& app, ReportOptions& o, Action& action, Console& console);

}  // namespace tilewright
