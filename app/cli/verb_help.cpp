#include "cli/verb_help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/shared_options.hpp"
#include "request/options.hpp"

namespace tilewright {
namespace {

// A heading and its options. Options of no group are everyday ones, under "Options".
struct OptionGroup {
  std::string heading;
  std::vector<std::string_view> names;
  bool is_shared = false;  // the help of a verb only names them
};

const std::vector<OptionGroup>& option_groups() {
  static const std::vector<OptionGroup> groups = {
      {"Mapping",
       {"raster", "cluster", "ctas", "k", "decomposition", "group-schedule", "problem-order",
        "plain", "emulate", "from-harness"}},
      {"Search",
       {"incumbent", "strategy", "objective", "require", "seed", "dry-run", "replay", "dispatch",
        "pin-library"}},
      {"Measurement",
       {"rounds", "regime", "beside", "shared", "counters", "no-counters", "mode", "self-check",
        "threshold"}},
      {"Output",
       {"format", "top", "store", "resume", "overwrite", "rank", "junit", "summary", "annotations",
        "history", "assignments", "table", "order", "offsets", "explain", "linear", "levels",
        "show"}},
      {"Product",
       {"layout", "out-dtype", "op", "uplo", "parallel", "gpus", "bias", "epilogue", "scale-a",
        "scale-b", "accumulate", "scale-d", "absmax"},
       true},
      {"Picture", {"title", "no-legend", "size", "theme"}, true}};
  return groups;
}

constexpr std::string_view kEveryday = "Options";

// "Product (tilewright help options)".
std::string title_of(const OptionGroup& group) {
  return group.heading + (group.is_shared ? " (tilewright help options)" : "");
}

class WrappedHelp : public CLI::Formatter {
 public:
  explicit WrappedHelp(size_t width) : width_(width) {}
  std::string make_option(const CLI::Option* option, bool positional) const override {
    // Exclusions are left out here; the error message reports them.
    const std::string takes = make_option_opts(option);
    return line(make_option_name(option, positional) + takes.substr(0, takes.find(" Excludes:")),
                make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return line(verb->get_name(), verb->get_description());
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
           groups(app) + make_subcommands(app, mode) + '\n' + make_footer(app);
  }

 private:
  std::string groups(const CLI::App* app) const {
    std::string text = make_group(std::string(kEveryday), false, options_of(app, kEveryday));
    for (const OptionGroup& group : option_groups()) {
      const std::vector<const CLI::Option*> options = options_of(app, group.heading);
      if (options.empty()) continue;
      text += group.is_shared ? format("\n{}:\n{}", title_of(group), names_of(options))
                              : make_group(group.heading, false, options);
    }
    return text;
  }

  static std::vector<const CLI::Option*> options_of(const CLI::App* app, std::string_view group) {
    return app->get_options([group](const CLI::Option* option) {
      return option->nonpositional() && option->get_group() == group;
    });
  }

  // "--layout=tn --op=gemm --bias".
  std::string names_of(const std::vector<const CLI::Option*>& options) const {
    std::vector<std::string> words;
    for (const CLI::Option* const option : options) {
      const std::string& value = option->get_default_str();
      words.push_back(
          format("--{}{}{}", option->get_lnames().front(), value.empty() ? "" : "=", value));
    }
    std::string text;
    for (const std::string& part : wrap(join(words, " "), width_ - 2)) text += "  " + part + '\n';
    return text;
  }

  std::string line(const std::string& name, const std::string& meaning) const {
    constexpr size_t kNames = 28;
    std::string text = format("  {:<{}}", name, kNames - 2);
    if (meaning.empty()) return "  " + name + '\n';
    bool beside = name.size() + 2 < kNames;
    for (const std::string& part : wrap(meaning, width_ - kNames)) {
      text += beside ? part : '\n' + std::string(kNames, ' ') + part;
      beside = false;
    }
    return text + '\n';
  }

  size_t width_;  // columns
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(const Console& console) {
  constexpr int kMin = 50;
  constexpr int kMax = 80;
  const int width = console.terminal_out ? std::clamp(console.width, kMin, kMax) : kMax;
  return std::make_shared<WrappedHelp>(static_cast<size_t>(width));
}

void group_options(CLI::App& app) {
  for (const OptionGroup& group : option_groups()) {
    for (const std::string_view name : group.names) {
      CLI::Option* const option = app.get_option_no_throw(format("--{}", name));
      // A required one is an everyday one, such as --op of an access.
      if (option != nullptr && !option->get_required()) option->group(group.heading);
    }
  }
  for (CLI::App* const below : app.get_subcommands([](const CLI::App*) { return true; })) {
    group_options(*below);
  }
}

std::vector<CommandOption> shared_options() {
  CLI::App verb;
  KindOptions kind;
  PictureLook look;
  add_kind(verb, kind);
  add_look(verb, look);
  group_options(verb);
  std::vector<CommandOption> options = command_tree(verb).options;
  std::erase_if(options, [&verb](const CommandOption& option) {
    return verb.get_option(option.names.back())->get_group() == kEveryday;
  });
  return options;
}

}  // namespace tilewright
