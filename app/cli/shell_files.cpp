#include "cli/shell_files.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/help_topics.hpp"

namespace tilewright {
namespace {

// Calls visit(words, command) for the program and all commands below it.
template <class Visit>
void for_each_command(const Command& command, const std::string& words, const Visit& visit) {
  visit(words, command);
  for (const Command& below : command.below) {
    for_each_command(below, words.empty() ? below.name : words + ' ' + below.name, visit);
  }
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Escapes text for a manual page: roff interprets backslashes, dashes and leading dots.
std::string roff(const std::string& text) {
  std::string safe = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (safe.rfind('.', 0) == 0 || safe.rfind('\'', 0) == 0) safe = "\\&" + safe;
  return replaced(safe, "\n.", "\n\\&.");
}

std::string man_options(const std::vector<CommandOption>& options) {
  std::string text;
  for (const CommandOption& option : options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(format("\\fB{}\\fR", roff(name)));
    const std::string value = option.value.empty() ? "" : format(" \\fI{}\\fR", roff(option.value));
    text += format(".TP\n{}{}\n{}\n", join(names, ", "), value,
                   option.help.empty() ? "\\&" : roff(option.help));
  }
  return text;
}

std::string man_page(const Command& program) {
  std::string text = format(
      ".TH TILEWRIGHT 1 \"\" \"tilewright {}\" \"User Commands\"\n.SH NAME\n"
      "tilewright \\- {}\n.SH SYNOPSIS\n.B tilewright\n.I VERB\n.RI [ SUBJECT ]\n.I ARGUMENTS\n"
      ".SH DESCRIPTION\n{}\n",
      roff(kVersion), roff(program.about), roff(program.about));
  text += man_options(program.options);
  for_each_command(program, "", [&text](const std::string& words, const Command& command) {
    if (words.empty()) return;
    const bool verb = words.find(' ') == std::string::npos;
    text += format("{} \"{}\"\n{}\n", verb ? ".SH" : ".SS", roff(words), roff(command.about));
    if (!command.notes.empty()) text += format(".PP\n.nf\n{}\n.fi\n", roff(command.notes));
    text += man_options(command.arguments) + man_options(command.options);
    if (command.examples.empty()) return;
    text += ".PP\nExamples:\n.nf\n";
    for (const std::string& example : command.examples) text += format("  {}\n", roff(example));
    text += ".fi\n";
  });
  text += format(".SH WORDS AND EXIT STATUS\n.nf\n{}.fi\n", roff(help_text("exit-codes")));
  for (const HelpTopic& topic : help_topics()) {
    if (topic.name == "exit-codes") continue;
    text += format(".SS {}\n.nf\n{}.fi\n", topic.name, roff(help_text(std::string(topic.name))));
  }
  return text +
         ".SH ENVIRONMENT\n.TP\n\\fBTILEWRIGHT_CACHE_DIR\\fR, \\fBXDG_CACHE_HOME\\fR\nthe folder "
         "of compiled kernels\n.TP\n\\fBNO_COLOR\\fR\nno colours\n";
}

// Each shell asks the program; where it has no answer, the shell completes names of files.
constexpr std::string_view kBash = R"(# Completion of tilewright for bash.
_tilewright() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _tilewright tilewright
)";

constexpr std::string_view kZsh = R"(#compdef tilewright
# Completion of tilewright for zsh.
local -a found=("${(@f)$("$words[1]" complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
if [[ -n $found ]]; then compadd -- $found; else _files; fi
)";

constexpr std::string_view kFish = R"(# Completion of tilewright for fish.
function __tilewright_words
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  set -l program $words[1]
  set -e words[1]
  $program complete $words "$last" 2> /dev/null
end
complete -c tilewright -n 'count (__tilewright_words) > /dev/null' -f -a '(__tilewright_words)'
)";

const CommandOption* option_named(const Command& command, std::string_view name) {
  for (const CommandOption& option : command.options) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
      return &option;
    }
  }
  return nullptr;
}

// Where the next word of a command line stands.
struct Place {
  const Command* command;
  const CommandOption* awaits = nullptr;  // its value comes next
  size_t arguments = 0;                   // the arguments of the command so far
  bool is_over = false;                   // behind "--", words are of another program
};

Place place_behind(const Command& program, std::span<const std::string> words) {
  Place place{&program};
  for (const std::string& word : words) {
    if (word == "--") place.is_over = true;
    if (place.awaits != nullptr) {
      if (word != "=") place.awaits = nullptr;  // bash divides "--option=value" there
    } else if (word.starts_with('-')) {
      const CommandOption* const option = option_named(*place.command, word);
      if (option != nullptr && !option->value.empty()) place.awaits = option;
    } else {
      const std::vector<Command>& below = place.command->below;
      const auto named = std::find_if(below.begin(), below.end(),
                                      [&word](const Command& one) { return one.name == word; });
      if (place.arguments > 0 || named == below.end()) {
        ++place.arguments;
      } else {
        place.command = &*named;
      }
    }
  }
  return place;
}

// The options of the command; or the commands below it, and the values of its next argument.
std::vector<std::string> words_at(const Place& place, bool options) {
  std::vector<std::string> words;
  if (options) {
    for (const CommandOption& option : place.command->options) {
      words.insert(words.end(), option.names.begin(), option.names.end());
    }
    return words;
  }
  if (place.arguments == 0) {
    for (const Command& below : place.command->below) words.push_back(below.name);
  }
  const std::vector<CommandOption>& arguments = place.command->arguments;
  if (!arguments.empty()) {
    const CommandOption& next = arguments[std::min(place.arguments, arguments.size() - 1)];
    words.insert(words.end(), next.choices.begin(), next.choices.end());
  }
  return words;
}

}  // namespace

std::string shell_file(const Command& program, std::string_view kind) {
  if (kind == "man") return man_page(program);
  if (kind == "bash") return std::string(kBash);
  if (kind == "zsh") return std::string(kZsh);
  if (kind == "fish") return std::string(kFish);
  constexpr std::string_view kKinds[] = {"man", "bash", "zsh", "fish"};
  throw usage_error(format("unknown file '{}'{}; the files are man, bash, zsh, fish", kind,
                           did_you_mean(kind, kKinds)));
}

std::vector<std::string> completions(const Command& program, std::span<const std::string> words) {
  std::string last = words.empty() ? "" : words.back();
  const Place place = place_behind(program, words.first(std::max<size_t>(words.size(), 1) - 1));
  if (place.is_over) return {};
  std::string option;  // of "--option=value", with the sign
  std::vector<std::string> all;
  if (place.awaits != nullptr) {
    if (last == "=") last.clear();
    all = place.awaits->choices;
  } else if (const size_t equals = last.find('='); last.starts_with("--") && equals != last.npos) {
    option = last.substr(0, equals + 1);
    const CommandOption* const named = option_named(*place.command, last.substr(0, equals));
    if (named != nullptr) all = named->choices;
  } else {
    all = words_at(place, last.starts_with('-'));
  }
  std::vector<std::string> found;
  for (const std::string& word : all) {
    if ((option + word).starts_with(last)) found.push_back(option + word);
  }
  return found;
}

}  // namespace tilewright
