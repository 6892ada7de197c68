// `tilewright help TOPIC`: the words of the command line, from the Markdown files of app/help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/compile/embedded_kernels.hpp"
#include "host/console.hpp"

namespace tilewright {

/// The files of app/help, one for each topic, in the order of the list of topics. `{{NAME}}` and
/// `{{NAME ARGUMENT}}` are marks, which help_mark() fills.
std::span<const EmbeddedFile> help_files();

/// One word: its spelling, its meaning in one or more lines, and a drawing, which may be empty.
struct HelpEntry {
  std::string spelling;
  std::string meaning;
  std::string drawing;
};

/// A topic: its name, what it is about in one or more lines, and the Markdown of its words.
struct HelpTopic {
  std::string_view name;
  std::string about;
  std::string_view body;
};

/// All topics.
const std::vector<HelpTopic>& help_topics();

/// The words of a topic: a heading of the file with the text and the code below it, or what a mark
/// inserts.
std::vector<HelpEntry> help_entries(const HelpTopic& topic);

/// The topic as text of at most 80 columns; for an empty name the list of topics. Throws a usage
/// error for an unknown name.
std::string help_text(const std::string& topic);

/// Prints help_text().
ExitCode run_help(const std::string& topic, Console& console);

}  // namespace tilewright
