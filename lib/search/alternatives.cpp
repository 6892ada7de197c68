#include "search/alternatives.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Every legal config that differs from `config` only in keys of its group's schedule.
std::vector<TileConfig> legal_schedules(const Workload& workload, const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces,
                                        const DeviceSpec& device) {
  std::vector<TileConfig> legal;
  if (!is_group(workload)) return legal;
  for (const SearchSpace& space : spaces) {
    if (space.family != config.family) continue;
    for (const TileConfig& other :
         with_candidate_values({config}, config.family, space.named, KeyScope::Groups)) {
      if (other != config && !reject_workload(workload, other, device)) legal.push_back(other);
    }
  }
  return legal;
}

// The same, plus whole tiles if the spaces leave that open: only the host's table deals out parts.
std::vector<TileConfig> schedules_and_whole(const Workload& workload, const TileConfig& config,
                                            const std::vector<SearchSpace>& spaces,
                                            const DeviceSpec& device) {
  std::vector<TileConfig> all = legal_schedules(workload, config, spaces, device);
  TileConfig whole = config;
  whole.decomposition = DataParallel{};
  const bool open = std::any_of(spaces.begin(), spaces.end(), [&config](const SearchSpace& space) {
    return space.family == config.family && !names_key(space.named, "decomposition");
  });
  if (!is_group(workload) || whole == config || !open) return all;
  if (!reject_workload(workload, whole, device)) all.push_back(whole);
  for (const TileConfig& other : legal_schedules(workload, whole, spaces, device)) {
    all.push_back(other);
  }
  return all;
}

// A launch as its CTAs see it: the schedule, and each worker's entries by the user's problems.
struct Dealt {
  GroupSchedule schedule;
  std::vector<std::vector<tw::TableEntry>> of_worker;
  bool operator==(const Dealt&) const = default;
};

Dealt dealt(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  const Plan plan = make_plan(workload, config, device);
  Dealt launch{config.group_schedule, schedule_table(plan).of_worker};
  for (std::vector<tw::TableEntry>& entries : launch.of_worker) {
    for (tw::TableEntry& entry : entries) {
      entry.problem = plan.order[static_cast<size_t>(entry.problem)];
    }
  }
  return launch;
}

const RaceEntry* find(const std::vector<RaceEntry>& entries, const TileConfig& config) {
  const auto found =
      std::find_if(entries.begin(), entries.end(),
                   [&config](const RaceEntry& entry) { return entry.contender.config == config; });
  return found == entries.end() ? nullptr : &*found;
}

std::string text_of(const std::vector<ChangedKey>& changes) {
  std::vector<std::string> assignments;
  assignments.reserve(changes.size());
  for (const ChangedKey& change : changes) {
    assignments.push_back(format("{}={}", change.name, change.value));
  }
  return join(assignments, ",");
}

}  // namespace

std::vector<TileConfig> other_schedules(const Workload& workload, const TileConfig& config,
                                        const std::vector<SearchSpace>& spaces,
                                        const DeviceSpec& device) {
  std::vector<TileConfig> others;
  std::vector<Dealt> known;
  for (const TileConfig& other : legal_schedules(workload, config, spaces, device)) {
    if (known.empty()) known.push_back(dealt(workload, config, device));
    Dealt launch = dealt(workload, other, device);
    if (std::find(known.begin(), known.end(), launch) != known.end()) continue;
    known.push_back(std::move(launch));
    others.push_back(other);
  }
  return others;
}

std::vector<Alternative> schedule_alternatives(const Workload& workload, const TileConfig& choice,
                                               const std::vector<SearchSpace>& spaces,
                                               const DeviceSpec& device) {
  using Value = std::pair<std::string, std::string>;
  std::map<Value, std::vector<ChangedKey>> fewest;  // changes that set a key to its value
  std::map<Value, TileConfig> configs;
  for (const TileConfig& other : schedules_and_whole(workload, choice, spaces, device)) {
    const std::vector<ChangedKey> changes = changed_keys(other, choice);
    for (const ChangedKey& change : changes) {
      const Value value(change.name, change.value);
      if (configs.count(value) == 1 && fewest[value].size() <= changes.size()) continue;
      fewest[value] = changes;
      configs[value] = other;
    }
  }
  std::vector<Alternative> alternatives;
  for (const auto& [value, config] : configs) {
    Alternative made{
        .config = config, .change = text_of(fewest[value]), .ratio = {}, .same_launch = {}};
    const auto is_made = [&made](const Alternative& a) { return a.config == made.config; };
    if (std::any_of(alternatives.begin(), alternatives.end(), is_made)) continue;
    made.same_launch = dealt(workload, config, device) == dealt(workload, choice, device);
    if (made.same_launch) made.ratio = PairedRatio{.ratio = 1, .interval = {.low = 1, .high = 1}};
    alternatives.push_back(std::move(made));
  }
  return alternatives;
}

std::vector<TileConfig> configs_of(const std::vector<Alternative>& alternatives) {
  std::vector<TileConfig> configs;
  for (const Alternative& alternative : alternatives) {
    if (!alternative.same_launch) configs.push_back(alternative.config);
  }
  return configs;
}

std::vector<Alternative> timed(std::vector<Alternative> alternatives,
                               const Confirmation& confirmation) {
  for (Alternative& alternative : alternatives) {
    if (alternative.same_launch) continue;
    const RaceEntry* entry = find(confirmation.entries, alternative.config);
    if (entry == nullptr) entry = find(confirmation.observers, alternative.config);
    if (entry == nullptr) continue;
    alternative.ratio = paired_ratio(entry->samples_us, confirmation.choice->samples_us);
  }
  std::erase_if(alternatives, [](const Alternative& a) { return !a.ratio; });
  return alternatives;
}

}  // namespace tilewright
