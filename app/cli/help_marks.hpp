// The parts of the help that come from the program's tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// The names of all marks.
std::vector<std::string_view> help_mark_names();

/// The Markdown that replaces the mark `{{name argument}}`. Throws std::logic_error for an unknown
/// mark.
std::string help_mark(std::string_view name, const std::string& argument);

/// A title, and commands that show the uses of an artefact, one per line. It is for the help of
/// verbs that write or read artefacts; a test runs the commands.
std::string artefact_uses();

}  // namespace tilewright
