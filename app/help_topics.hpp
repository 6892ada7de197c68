// `tilewright help TOPIC`: the words of the command line, each with what it means and a drawing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"

namespace tilewright {

/// One word: how it is spelt, what it means in one or two lines, and a drawing, which may be empty.
struct HelpEntry {
  std::string spelling;
  std::string meaning;
  std::string drawing;
};

/// A topic's words. Words come from the tables that the program itself reads.
struct HelpTopic {
  std::string_view name;
  std::string_view about;
  std::vector<HelpEntry> (*entries)();
};

/// All topics.
const std::vector<HelpTopic>& help_topics();

/// A title, and what an artefact is for as commands, a line each: for the help of those who write
/// or read one. A test runs them.
std::string artefact_uses();

/// The topic as text of at most 80 columns; without a name the list of topics. Throws a usage error
/// for another name.
std::string help_text(const std::string& topic);

/// Prints help_text().
ExitCode run_help(const std::string& topic, Console& console);

}  // namespace tilewright
