// The command line as files to install: a manual page, and completions for shells.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tilewright {

/// An option or an argument, as --help lists it.
struct CommandOption {
  std::vector<std::string> names;  // "-o", "--output"; an argument's name in capitals
  std::string value;               // placeholder of its value; empty: a flag
  std::string help;
  std::vector<std::string> choices;  // the words it accepts, where these are known
};

/// A verb or a subject with its options and arguments; the program itself has the empty name.
struct Command {
  std::string name;
  std::string about;
  std::vector<CommandOption> options;
  std::vector<CommandOption> arguments;
  std::string notes;  // lines before the examples; mostly none
  std::vector<std::string> examples;
  std::vector<Command> below;
};

/// A "man", "bash", "zsh" or "fish" file for the program. Throws a usage error for another kind.
std::string shell_file(const Command& program, std::string_view kind);

/// What the last of the words behind the program's name may become: options behind a dash, else
/// commands and the known values of an option or an argument. Empty where the shell completes names
/// of files.
std::vector<std::string> completions(const Command& program, std::span<const std::string> words);

}  // namespace tilewright
