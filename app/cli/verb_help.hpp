// The look of `--help`: options under headings, those that verbs share as names.
#pragma once

#include <memory>
#include <vector>

#include "cli/shell_files.hpp"
#include "host/console.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
class FormatterBase;
}  // namespace CLI

namespace tilewright {

/// Prints names beside their meanings, wrapped at the terminal's width or at 80 columns.
std::shared_ptr<CLI::FormatterBase> help_formatter(const Console& console);

/// Puts the options of `app` and of its subcommands under the headings.
void group_options(CLI::App& app);

/// The options of several verbs, which `--help` only names and `help options` explains.
std::vector<CommandOption> shared_options();

}  // namespace tilewright
