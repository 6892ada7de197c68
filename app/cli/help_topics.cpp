#include "cli/help_topics.hpp"

#include <cctype>
#include <stdexcept>

#include "base/text.hpp"
#include "cli/help_marks.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kHeading = "## `";
constexpr std::string_view kCode = "    ";

// Without the backslashes that keep Markdown from reading a character as markup.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && i + 1 < text.size() &&
                         std::ispunct(static_cast<unsigned char>(text[i + 1])) != 0;
    plain += text[escapes ? ++i : i];
  }
  return plain;
}

// A file is "# NAME", a paragraph about the topic, and its words.
HelpTopic topic_of(const EmbeddedFile& file) {
  constexpr std::string_view kBreak = "\n\n";
  const std::string_view text = file.text;
  const std::string_view path = file.path;
  const size_t about = text.find(kBreak) + kBreak.size();
  const size_t body = text.find(kBreak, about);
  return {path.substr(0, path.find('.')), unescaped(text.substr(about, body - about)),
          text.substr(body)};
}

// The line with its marks filled. A mark that is filled with several lines stands behind blanks
// alone, and indents all of them.
std::string filled(std::string_view line) {
  std::string text;
  for (size_t at = 0; (at = line.find("{{")) != std::string_view::npos;) {
    const size_t end = line.find("}}", at);
    const std::string_view mark = line.substr(at + 2, end - at - 2);
    const std::string_view name = mark.substr(0, mark.find(' '));
    const std::string value = help_mark(name, std::string(trim(mark.substr(name.size()))));
    text += line.substr(0, at);
    for (const char c : std::string_view(value).substr(0, value.find_last_not_of('\n') + 1)) {
      text += c;
      if (c == '\n') text += line.substr(0, at);
    }
    line = line.substr(end + 2);
  }
  return text.append(line);
}

std::string indented(const std::string& text, size_t columns) {
  const std::string blank(columns, ' ');
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string& part : wrap(line, 80 - columns)) {
      // Keep the blanks of a drawing.
      const bool whole = part.size() >= trim(line).size();
      lines += line.empty() ? "" : format("{}{}\n", blank, whole ? std::string(line) : part);
    }
  }
  return lines;
}

}  // namespace

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = [] {
    std::vector<HelpTopic> read;
    for (const EmbeddedFile& file : help_files()) read.push_back(topic_of(file));
    return read;
  }();
  return topics;
}

std::vector<HelpEntry> help_entries(const HelpTopic& topic) {
  std::string body;
  for (const std::string_view line : split(topic.body, '\n')) body += filled(line) + '\n';
  std::vector<HelpEntry> entries;
  for (const std::string_view line : split(body, '\n')) {
    if (line.starts_with(kHeading)) {
      const std::string_view spelling = line.substr(kHeading.size());
      entries.push_back({std::string(spelling.substr(0, spelling.rfind('`'))), "", ""});
    } else if (entries.empty() && !line.empty()) {
      throw std::logic_error(format("help/{}.md: no heading precedes '{}'", topic.name, line));
    } else if (line.starts_with(kCode)) {
      entries.back().drawing += format("{}\n", line.substr(kCode.size()));
    } else if (!line.empty()) {
      std::string& meaning = entries.back().meaning;
      meaning += format("{}{}", meaning.empty() ? "" : "\n", unescaped(line));
    }
  }
  return entries;
}

std::string help_text(const std::string& name) {
  std::vector<std::string_view> names;
  for (const HelpTopic& topic : help_topics()) {
    names.push_back(topic.name);
    if (topic.name != name) continue;
    std::string text = format("{}: {}\n", topic.name, topic.about);
    for (const HelpEntry& entry : help_entries(topic)) {
      text += format("\n{}\n{}{}", entry.spelling, indented(entry.meaning, 2),
                     indented(entry.drawing, 6));
    }
    return text;
  }
  if (!name.empty()) {
    throw usage_error(format("no help topic '{}'{}; the topics are {}", name,
                             did_you_mean(name, names),
                             join(std::vector<std::string>(names.begin(), names.end()), ", ")));
  }
  std::string text = "tilewright help TOPIC explains the words of\n";
  for (const HelpTopic& topic : help_topics()) {
    const std::string_view about = split(topic.about, '\n').front();
    text += format("  {:<16}{}\n", topic.name, about);
  }
  return text + "tilewright VERB --help lists the options of a verb.\n";
}

ExitCode run_help(const std::string& topic, Console& console) {
  console.out << help_text(topic);
  return ExitCode::Good;
}

}  // namespace tilewright
