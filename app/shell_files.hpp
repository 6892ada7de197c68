// The command line as files for a system: a manual page, and completions for shells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tilewright {

/// An option or an argument, as --help lists it.
struct CommandOption {
  std::vector<std::string> names;  // "-o", "--output"; of an argument its name in capitals
  std::string value;               // what stands for its value; empty: a flag
  std::string help;
  std::vector<std::string> choices;  // words that it takes, where these are known
};

/// A verb or a subject with all that it takes; the program itself has the empty name.
struct Command {
  std::string name;
  std::string about;
  std::vector<CommandOption> options;
  std::vector<CommandOption> arguments;
  std::string notes;  // lines that stand before the examples; mostly none
  std::vector<std::string> examples;
  std::vector<Command> below;
};

/// "man", "bash", "zsh" or "fish" of the program. Throws a usage error for another kind.
std::string shell_file(const Command& program, std::string_view kind);

}  // namespace tilewright
