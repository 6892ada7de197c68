// The command line of the verbs that need only files.
#pragma once

#include <string>
#include <vector>

#include "cli/shared_options.hpp"
#include "host/console.hpp"
#include "request/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace tilewright {

/// Adds the verb to `app`. If the command line names it, `action` becomes a call of it.
void add_merge(CLI::App& app, MergeOptions& o, Action& action, Console& console);
void add_record(CLI::App& app, RecordOptions& o, Action& action, Console& console);
/// The words of the command line; of `record` without those behind "--", which become `behind`:
/// whatever they are, they belong to another program.
std::vector<const char*> without_command(int argc, const char* const* argv,
                                         std::vector<std::string>& behind);
void add_report(CLI::App& app, ReportOptions& o, Action& action, Console& console);

}  // namespace tilewright
