// The gate and its subcommands on the command line.
#pragma once

#include "cli_parts.hpp"
#include "console.hpp"
#include "options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
}  // namespace CLI

namespace tilewright {

/// Adds the verb with `trend` and `bisect`; the named one becomes `action`.
void add_gate(CLI::App& app, GateOptions& o, Action& action, Console& console);

}  // namespace tilewright
