// Options that several verbs share on the command line. Only app/cli uses CLI11 itself.
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
#include "cli/shell_files.hpp"
#include "host/console.hpp"
#include "request/options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's
class App;
class Option;
}  // namespace CLI

namespace tilewright {

/// A call of the verb that the command line names, with its options; main runs it.
using Action = std::function<ExitCode()>;

/// The forms of PROBLEM, for its help.
inline constexpr std::string_view kProblemForms =
    "MxNxK, or -m M -n N -k K; several separated by commas are one group, BxMxNxK a batch";

/// "a, b, c": the values of an option, for its help.
std::string listed(std::span<const std::string_view> words);
/// Adds the option `name`; the host passes its text to `take`.
CLI::Option* add_text(CLI::App& verb, const char* name,
                      const std::function<void(const std::string&)>& take, const std::string& help);
/// Adds the option `name`: `parse` turns its text into `value`, or throws a usage error.
template <class Value, class Parse>
CLI::Option* add_parsed(CLI::App& verb, const char* name, Value& value, Parse parse,
                        const std::string& help) {
  return add_text(
      verb, name, [&value, parse](const std::string& text) { value = parse(text); }, help);
}
/// Adds the option `name`, a whole number from `least` to `most`.
CLI::Option* add_whole(CLI::App& verb, const char* name, int64_t& value, int64_t least,
                       int64_t most, const char* help);
/// The options --scale-a, --scale-b and --accumulate.
void add_scales(CLI::App& verb, std::string& scale_a, std::string& scale_b,
                std::string& accumulate);
/// Adds the option `name`, a percentage with or without the sign.
void add_percent(CLI::App& verb, const char* name, std::optional<double>& value, const char* help);
void add_format(CLI::App& verb, Format& chosen, const char* table = "");
void add_device(CLI::App& verb, std::string& device);
void add_dtype(CLI::App& verb, std::string& dtype);
void add_dtype(CLI::App& verb, DataType& dtype);
/// The options --parallel and --gpus.
void add_parallel(CLI::App& verb, Collective& parallel, int64_t& gpus);
/// The option --sms.
void add_sms(CLI::App& verb, int64_t& sms);
/// Everything about a problem except its sizes: --dtype, --layout, --epilogue and others.
void add_kind(CLI::App& verb, KindOptions& kind);
/// The title above the two examples.
inline constexpr std::string_view kExamplesTitle = "Examples:";
/// Two commands at the end of the help; a test runs them.
void add_examples(CLI::App& verb, const std::string& first, const std::string& second);
/// Inserts lines before the examples. Call it after add_examples().
void add_notes(CLI::App& verb, const std::string& lines);
/// --check, repeatable, with an example of its value.
void add_checks(CLI::App& subject, std::vector<CheckExpression>& checks, const char* example);
/// --rounds of a measurement; `help` states the default.
void add_rounds(CLI::App& verb, int64_t& rounds, const char* help);
/// --shared: measures although other processes use the GPU or heat lowers its clock.
void add_shared(CLI::App& verb, bool& shared);
/// --op, and the options that give the addresses.
void add_accesses(CLI::App& subject, AccessOptions& o);
/// --space of an access; `condition` follows its values.
void add_space(CLI::App& subject, MemorySpace& space, const char* condition = "");
/// --title, --no-legend, --size and --theme of a picture.
void add_look(CLI::App& subject, PictureLook& look);
/// --sweep and its picture. The options `lists` list items for one value, so --sweep excludes them.
void add_sweep(CLI::App& subject, SweepOptions& o, const char* example, const char* parameters,
               std::initializer_list<const char*> lists);
/// The program with all its verbs, options and arguments; hidden ones are left out.
Command command_tree(const CLI::App& app);
/// Makes every option and argument of `app` and its subcommands refuse an empty value.
void refuse_empty_values(CLI::App& app);
/// The words with "-m 4096 -n 1024 -k 512", as BLAS names the sizes, as one word, 4096x1024x512,
/// that `problem` keeps. Words behind "--" belong to another program and stay. Throws a usage error
/// where a size is missing.
std::vector<const char*> with_problem(int argc, const char* const* argv, std::string& problem);
/// The words with a race's usual length behind every "--race" that no number follows.
std::vector<const char*> with_race_length(std::vector<const char*> words);
/// --race of a verb, 0 where it is not given.
void add_race(CLI::App& verb, int64_t& race);
/// Throws a usage error for "--name=": CLI11 would take the next word as its value.
void refuse_empty_assignments(int argc, const char* const* argv);

}  // namespace tilewright
