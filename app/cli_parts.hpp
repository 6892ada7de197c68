// What several verbs' command lines share. CLI11 itself stays in app/cli*.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "console.hpp"
#include "options.hpp"
#include "shell_files.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
class Option;
}  // namespace CLI

namespace tilewright {

/// The verb that the words named, with its options: what main runs.
using Action = std::function<ExitCode()>;

/// "a, b, c": the words that an option takes, for its help.
std::string listed(std::span<const std::string_view> words);
/// The option `name` that takes a whole number from `least` to `most`, and nothing else.
CLI::Option* add_whole(CLI::App& verb, const char* name, int64_t& value, int64_t least,
                       int64_t most, const char* help);
/// The option `name` that takes percent, with or without the sign.
void add_percent(CLI::App& verb, const char* name, std::optional<double>& value, const char* help);
void add_format(CLI::App& verb, Format& chosen, const char* table = "");
void add_device(CLI::App& verb, std::string& device);
void add_dtype(CLI::App& verb, std::string& dtype);
/// What a problem is beside its sizes: --dtype, --layout, --epilogue and others.
void add_kind(CLI::App& verb, KindOptions& kind);
/// What stands above the two examples.
inline constexpr std::string_view kExamplesTitle = "Examples:";
/// Two commands that the help ends with; a test runs them.
void add_examples(CLI::App& verb, const std::string& first, const std::string& second);
/// Lines that stand before the examples, which are there already.
void add_notes(CLI::App& verb, const std::string& lines);
/// --check, repeatable, with an example of what it takes.
void add_checks(CLI::App& subject, std::vector<std::string>& checks, const char* example);
/// --rounds of a measurement, and what it is by default.
void add_rounds(CLI::App& verb, int64_t& rounds, const char* help);
/// --shared: measures beside others.
void add_shared(CLI::App& verb, bool& shared);
/// --op, and where the addresses come from.
void add_accesses(CLI::App& subject, AccessOptions& o);
/// --title, --no-legend, --size and --theme of a picture.
void add_look(CLI::App& subject, PictureOptions& o);
/// --sweep, beside which `lists` of a single value may not stand, and its picture.
void add_sweep(CLI::App& subject, SweepOptions& o, const char* example, const char* parameters,
               std::initializer_list<const char*> lists);
/// What the program and everything below it takes; hidden words are left out.
Command command_tree(const CLI::App& app);
/// No option or argument of `app` and of what is below it takes an empty value.
void refuse_empty_values(CLI::App& app);
/// Throws a usage error for "--name=", which CLI11 would take its value from the next word for.
void refuse_empty_assignments(int argc, const char* const* argv);

}  // namespace tilewright
