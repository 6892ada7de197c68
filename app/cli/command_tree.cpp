// Describes the command line, for manual pages and completions.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "cli/help_topics.hpp"
#include "cli/shared_options.hpp"
#include "draw/picture.hpp"
#include "draw/schedule_diagram.hpp"
#include "layout/text/layout_dialect.hpp"
#include "request/bench_request.hpp"
#include "search/requirement.hpp"
#include "search/result.hpp"
#include "search/strategy.hpp"
#include "store/device_preset.hpp"
#include "tile/config/decomposition.hpp"
#include "tile/config/group_schedule.hpp"
#include "tile/config/raster.hpp"
#include "tile/workload/product_kind.hpp"
#include "tile/workload/workload.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

std::vector<std::string> strings(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

// The accepted values of an option, where they are known in advance.
std::vector<std::string> choices_of(const std::string& name) {
  if (name == "--format") return strings(kFormats);
  if (name == "--theme") return strings(kThemes);
  if (name == "--space") return strings(kSpaces);
  if (name == "--op") return strings(op_names());
  if (name == "--uplo") return strings(kUplos);
  if (name == "--parallel") return strings(collective_names());
  if (name == "--layout") return strings(kMatrixLayouts);
  if (name == "--mode") return strings(kGateModes);
  if (name == "--view") return strings(kScheduleViews);
  if (name == "--against") return strings(reference_library_names());
  if (name == "--beside") return strings(kBesideKinds);
  if (name == "--annotations") return strings(kAnnotations);
  if (name == "--strategy") return strings(kStrategies);
  if (name == "--objective") return strings(kObjectives);
  if (name == "--require") return requirement_names();
  if (name == "--export") return strings(kExports);
  if (name == "--group-schedule") return strings(kGroupSchedules);
  if (name == "--problem-order") return strings(kProblemOrders);
  if (name == "--dialect") return strings(layout_dialect_names());
  if (name == "--decomposition") return strings(decomposition_names());
  if (name == "ACTION") return strings(kDeviceActions);
  if (name == "TOPIC") {
    std::vector<std::string> topics;
    for (const HelpTopic& topic : help_topics()) topics.emplace_back(topic.name);
    return topics;
  }
  if (name == "--device" || name == "NAME") {
    std::vector<std::string> devices = device_preset_names();
    devices.insert(devices.end(), {"auto", "cuda:0"});
    return devices;
  }
  if (name == "--raster") {
    std::vector<std::string> rasters;
    for (const tw::RasterRecord& record : tw::kRasters) {
      rasters.push_back(format("{}{}", record.name, record.most_factors > 0 ? ":" : ""));
    }
    return rasters;
  }
  return {};
}

CommandOption option_of(const CLI::Option& option) {
  CommandOption found{.names = {}, .value = {}, .help = option.get_description(), .choices = {}};
  if (option.get_positional()) {
    found.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) found.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) found.names.push_back("--" + name);
    if (option.get_type_size_max() != 0) found.value = option.get_type_name();
  }
  found.choices = choices_of(found.names.back());
  return found;
}

}  // namespace

Command command_tree(const CLI::App& app) {
  Command command{.name = app.get_name(),
                  .about = app.get_description(),
                  .options = {},
                  .arguments = {},
                  .notes = {},
                  .examples = {},
                  .below = {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? command.arguments : command.options).push_back(option_of(*option));
  }
  const std::string footer = app.get_footer();
  const size_t examples = std::min(footer.find(kExamplesTitle), footer.size());
  command.notes = trim(footer.substr(0, examples));
  const std::vector<std::string_view> lines =
      split(std::string_view(footer).substr(examples), '\n');
  for (size_t i = 1; i < lines.size(); ++i) command.examples.emplace_back(trim(lines[i]));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_group().empty()) command.below.push_back(command_tree(*below));
  }
  return command;
}

}  // namespace tilewright
