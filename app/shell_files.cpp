#include "shell_files.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/version.hpp"
#include "help_topics.hpp"

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

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

// The words that may follow a command: subjects, options, values of an argument.
std::vector<std::string> words_after(const Command& command) {
  std::vector<std::string> words = names_of(command.below);
  for (const CommandOption& argument : command.arguments) {
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  }
  for (const CommandOption& option : command.options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return words;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Quotes a text with single quotes, for a POSIX shell.
std::string shell_quoted(const std::string& text) {
  return format("'{}'", replaced(text, "'", "'\\''"));
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

std::string bash_completion(const Command& program) {
  std::string cases;
  std::string values;
  for_each_command(program, "", [&](const std::string& words, const Command& command) {
    cases += format("    {}) words={} ;;\n", shell_quoted(words),
                    shell_quoted(join(words_after(command), " ")));
    for (const CommandOption& option : command.options) {
      if (option.value.empty()) continue;
      for (const std::string& name : option.names) {
        values +=
            format("    {}) words={}; known=1 ;;\n", shell_quoted(format("{}:{}", words, name)),
                   shell_quoted(join(option.choices, " ")));
      }
    }
  });
  std::string subjects;
  for (const Command& verb : program.below) {
    if (!verb.below.empty()) subjects += format(" {} ", verb.name);
  }
  return format(
      "# Completion of tilewright for bash.\n"
      "_tilewright() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local path='' words='' known=0\n"
      "  if ((COMP_CWORD > 1)); then path=${{COMP_WORDS[1]}}; fi\n"
      "  if ((COMP_CWORD > 2)) && [[ '{}' == *\" $path \"* && ${{COMP_WORDS[2]}} != -* ]]; then\n"
      "    path+=\" ${{COMP_WORDS[2]}}\"\n"
      "  fi\n"
      "  case \"$path:$before\" in\n{}  esac\n"
      "  if ((!known)); then\n    case \"$path\" in\n{}    esac\n  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      "}}\n"
      "complete -o default -F _tilewright tilewright\n",
      subjects, values, cases);
}

std::string zsh_completion(const Command& program) {
  const auto safe = [](const std::string& text) {
    std::string plain = replaced(replaced(text, "[", "("), "]", ")");
    return replaced(plain, ":", "\\:");
  };
  std::string functions;
  for_each_command(program, "", [&](const std::string& words, const Command& command) {
    functions += format("    {})\n      _arguments", shell_quoted(words));
    for (const CommandOption& option : command.options) {
      for (const std::string& name : option.names) {
        std::string spec = format("{}[{}]", name, safe(option.help));
        if (!option.value.empty()) {
          spec += format(
              ":{}:{}", option.value,
              option.choices.empty() ? "_files" : format("({})", safe(join(option.choices, " "))));
        }
        functions += format(" \\\n        {}", shell_quoted(spec));
      }
    }
    std::vector<std::string> next = names_of(command.below);
    for (const CommandOption& argument : command.arguments) {
      next.insert(next.end(), argument.choices.begin(), argument.choices.end());
    }
    functions +=
        format(" \\\n        {} ;;\n",
               shell_quoted(
                   format("*:word:{}", next.empty() ? "_files" : format("({})", join(next, " ")))));
  });
  std::string subjects;
  for (const Command& verb : program.below) {
    if (!verb.below.empty()) subjects += format(" {} ", verb.name);
  }
  return format(
      "#compdef tilewright\n"
      "# Completion of tilewright for zsh.\n"
      "_tilewright() {{\n"
      "  local path_words=''\n"
      "  ((CURRENT > 2)) && path_words=$words[2]\n"
      "  if ((CURRENT > 3)) && [[ '{}' == *\" $path_words \"* && $words[3] != -* ]]; then\n"
      "    path_words+=\" $words[3]\"\n"
      "  fi\n"
      "  case $path_words in\n{}  esac\n"
      "}}\n"
      "_tilewright \"$@\"\n",
      subjects, functions);
}

// Quotes a text with single quotes, for fish.
std::string fish_quoted(const std::string& text) {
  return format("'{}'", replaced(replaced(text, "\\", "\\\\"), "'", "\\'"));
}

// fish's condition for completing a command's own words and options.
std::string fish_place(const std::string& words) {
  if (words.empty()) return "__fish_use_subcommand";
  std::vector<std::string> seen;
  for (const std::string_view word : split(words, ' ')) {
    seen.push_back(format("__fish_seen_subcommand_from {}", word));
  }
  return join(seen, "; and ");
}

std::string fish_option(const CommandOption& option, const std::string& here) {
  std::string text = format("complete -c tilewright -n {}", fish_quoted(here));
  for (const std::string& name : option.names) {
    const bool is_long = name.rfind("--", 0) == 0;
    text += format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  if (!option.value.empty()) text += " -r";
  if (!option.choices.empty()) text += format(" -f -a {}", fish_quoted(join(option.choices, " ")));
  return text + format(" -d {}\n", fish_quoted(option.help));
}

std::string fish_command(const std::string& words, const Command& command) {
  const std::string here = fish_place(words);
  std::string first = here;
  if (!words.empty() && !command.below.empty()) {
    first += format("; and not __fish_seen_subcommand_from {}", join(names_of(command.below), " "));
  }
  std::string text;
  for (const Command& below : command.below) {
    text += format("complete -c tilewright -f -n {} -a {} -d {}\n", fish_quoted(first), below.name,
                   fish_quoted(below.about));
  }
  for (const CommandOption& option : command.options) text += fish_option(option, here);
  for (const CommandOption& argument : command.arguments) {
    if (argument.choices.empty()) continue;
    text += format("complete -c tilewright -f -n {} -a {}\n", fish_quoted(here),
                   fish_quoted(join(argument.choices, " ")));
  }
  return text;
}

std::string fish_completion(const Command& program) {
  std::string text = "# Completion of tilewright for fish.\n";
  for_each_command(program, "", [&text](const std::string& words, const Command& command) {
    text += fish_command(words, command);
  });
  return text;
}

}  // namespace

std::string shell_file(const Command& program, std::string_view kind) {
  if (kind == "man") return man_page(program);
  if (kind == "bash") return bash_completion(program);
  if (kind == "zsh") return zsh_completion(program);
  if (kind == "fish") return fish_completion(program);
  constexpr std::string_view kKinds[] = {"man", "bash", "zsh", "fish"};
  throw usage_error(format("unknown file '{}'{}; the files are man, bash, zsh, fish", kind,
                           did_you_mean(kind, kKinds)));
}

}  // namespace tilewright
