// `tilewright help TOPIC`: the words of the command line, each with its meaning and a drawing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"

namespace tilewright {

/// One word: its spelling, its meaning in one or two lines, and a drawing, which may be empty.
struct HelpEntry {
  std::string spelling;
  std::string meaning;
  std::string drawing;
};

/// A topic and its words. They come from the tables that the parser reads.
struct HelpTopic {
  std::string_view name;
  std::string_view about;
  std::vector<HelpEntry> (*entries)();
};

/// All topics.
const std::vector<HelpTopic>& help_topics();

/// A title, and commands that show the uses of an artefact, one per line. It is for the help of
/// verbs that write or read artefacts; a test runs the commands.
std::string artefact_uses();

/// The topic as text of at most 80 columns; for an empty name the list of topics. Throws a usage
/// error for an unknown name.
std::string help_text(const std::string& topic);

/// Prints help_text().
ExitCode run_help(const std::string& topic, Console& console);

}  // namespace tilewright
