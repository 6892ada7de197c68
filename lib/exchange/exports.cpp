#include "exchange/exports.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "search/rank.hpp"
#include "search/requirement.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

namespace {

std::string share_of(const MeasuredConfig& config) {
  const std::string interval = config.interval ? format(" (95 % interval {:.3f} to {:.3f})",
                                                        config.interval->low, config.interval->high)
                                               : "";
  return format("{:.3f} of the choice's time{}", config.ratio, interval);
}

// A message about the config that replaces the choice, among those timed at the answer's problem.
std::string substitution_text(Stack stack, const MeasuredConfig& config, const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  const std::string why = why_unsupported(stack, entry.problem, entry.choice);
  const std::string refusal = format("{} cannot express the choice, {} ({})", to_string(stack),
                                     to_string(entry.choice), why);
  if (!why_unsupported(stack, entry.problem, config.config).empty()) {
    const bool is_choice = config.config == entry.choice;
    return format(
        "{}, nor any other config that was timed at this product: {} is printed without the parts "
        "that it cannot express",
        refusal, is_choice ? "the choice" : format("its tie {}", to_string(config.config)));
  }
  const std::optional<LibraryLead> lead = library_lead(answer);
  const bool is_lead_here = lead && lead->at == entry.problem;
  const std::string library =
      is_lead_here ? format(", {:.3f} of the library's", config.ratio / lead->ratio.ratio) : "";
  return format("{}; the fastest config timed at this product that it can express takes {}{}: {}",
                refusal, share_of(config), library, to_string(config.config));
}

}  // namespace

std::vector<MeasuredConfig> measured_at(const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  std::vector<MeasuredConfig> measured = {{.config = entry.choice}};
  measured.reserve(1 + entry.ties.size() + entry.exports.size());
  for (const Tie& tie : entry.ties) measured.push_back({.config = tie.config, .ratio = tie.ratio});
  for (const ExportConfig& other : entry.exports) {
    measured.push_back(
        {.config = other.config, .ratio = other.ratio.ratio, .interval = other.ratio.interval});
  }
  if (answer.trial != nullptr) {
    const std::vector<Trial::Time>& times = answer.trial->times;
    const auto own = std::find_if(times.begin(), times.end(), [&entry](const Trial::Time& time) {
      return time.config == entry.choice;
    });
    for (const Trial::Time& time : times) {
      if (own == times.end() || time.config == entry.choice) continue;
      measured.push_back({.config = time.config, .ratio = time.us / own->us});
    }
  }
  std::stable_sort(
      measured.begin() + 1, measured.end(),
      [](const MeasuredConfig& a, const MeasuredConfig& b) { return a.ratio < b.ratio; });
  return measured;
}

std::optional<MeasuredConfig> config_for(Stack stack, const Dispatched& answer) {
  const Workload& problem = answer.entry.problem;
  if (!why_not_plain_product(problem).empty()) return std::nullopt;
  const std::vector<MeasuredConfig> measured = measured_at(answer);
  for (const MeasuredConfig& config : measured) {
    if (why_unsupported(stack, problem, config.config).empty()) return config;
  }
  for (const TileConfig& candidate : candidates_of(answer.entry)) {
    if (!why_no_kernel(stack, problem, candidate).empty()) continue;
    return *std::find_if(
        measured.begin(), measured.end(),
        [&candidate](const MeasuredConfig& config) { return config.config == candidate; });
  }
  return std::nullopt;
}

std::vector<TileConfig> candidates_of(const TuneEntry& entry) {
  std::vector<TileConfig> candidates = {entry.choice};
  candidates.reserve(1 + entry.ties.size());
  for (const Tie& tie : entry.ties) candidates.push_back(tie.config);
  return candidates;
}

Export empty_export(Stack stack, const TuneEntry& entry) {
  if (const std::string what = why_not_plain_product(entry.problem); !what.empty()) {
    return {.text = "", .unsupported = {format("{}: only one plain product is exported", what)}};
  }
  Export nothing;
  for (const TileConfig& config : candidates_of(entry)) {
    nothing.unsupported.push_back(
        format("{}: {}", to_string(config), why_no_kernel(stack, entry.problem, config)));
  }
  nothing.substitution = format(
      "no config that was timed at this product can be expressed for {0}: tune --require "
      "export:{0} searches only configs that can",
      to_string(stack));
  return nothing;
}

std::string cost_of_export(Stack stack, const TuneEntry& entry, const DeviceSpec& device) {
  const Workload& problem = entry.problem;
  if (!why_not_plain_product(problem).empty()) return "";
  const std::vector<SearchSpace> spaces = requested_spaces({});
  Ranking ranking;
  try {
    ranking = rank(problem, enumerate_required({.stack = stack}, problem, spaces, device), spaces,
                   device);
  } catch (const Error& error) {
    if (error.code() != ExitCode::No) throw;
    return format("no config of this product can be expressed for {}", to_string(stack));
  }
  const RankedConfig& first = ranking.kernels.front();
  const double own_us = estimate(make_plan(problem, entry.choice, device), device).us;
  return format(
      "with --require export:{}: {}, predicted {:.2f} us, {:.2f} times the choice's {:.2f}",
      to_string(stack), to_string(first.config), first.predicted.us, first.predicted.us / own_us,
      own_us);
}

std::string substitution_note(Stack stack, const MeasuredConfig& config, const Dispatched& answer) {
  const TuneEntry& entry = answer.entry;
  const bool is_supported = why_unsupported(stack, entry.problem, entry.choice).empty();
  return is_supported ? "" : substitution_text(stack, config, answer);
}

std::string role_text(const Export& made, const Dispatched& answer) {
  return made.substitution.empty() ? format("The choice: {}.", origin_text(answer))
                                   : format("{}. {}.", origin_text(answer), made.substitution);
}

std::string required_text(const TuneEntry& entry) {
  if (entry.required.empty()) return "";
  return format("found with --require {}, which excluded other configs: those may be faster",
                entry.required);
}

std::vector<std::string> note_lines(const Dispatched& answer, bool has_choice) {
  std::vector<std::string> lines;
  if (const std::optional<LibraryLead> lead = library_lead(answer)) {
    const char* const whose = has_choice ? kThisConfigs : "the choice's";
    lines.push_back(format("Note: {}.", lead_text(*lead, answer.entry.problem, whose)));
  }
  if (const std::string required = required_text(answer.entry); !required.empty()) {
    lines.push_back(format("Note: {}.", required));
  }
  return lines;
}

std::string commented(const std::vector<std::string>& lines, const std::string& prefix) {
  constexpr size_t kWidth = 100;
  std::string text;
  for (const std::string& line : lines) {
    for (const std::string& part : wrap(comment_text(line), kWidth - prefix.size())) {
      text += prefix + part + '\n';
    }
  }
  return text;
}

}  // namespace tilewright
