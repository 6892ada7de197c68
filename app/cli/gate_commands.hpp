// The command line of the gate and its subcommands.
#pragma once

#include "cli/shared_options.hpp"
#include "host/console.hpp"
#include "request/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace tilewright {

/// Adds the verb with `trend` and `bisect`. `action` becomes a call of the one that the command
/// line names.
void add_gate(CLI::App& app, GateOptions& o, Action& action, Console& console);

}  // namespace tilewright
