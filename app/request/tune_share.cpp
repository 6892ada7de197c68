#include "request/tune_share.hpp"

#include <filesystem>

#include "search/problem_assignment.hpp"
#include "store/device_preset.hpp"

namespace tilewright {
namespace {

// The indices of this rank's problems. All ranks must compute the same division, so the estimated
// times are for one fixed device, whatever GPU this host has.
std::vector<size_t> indices_of(const std::vector<Workload>& problems, const Rank& rank) {
  std::vector<double> seconds;
  seconds.reserve(problems.size());
  const DeviceSpec reference_device = load_device_preset("h200");
  for (const Workload& problem : problems) {
    seconds.push_back(rank.size == 1 ? 1 : tuning_seconds(problem, reference_device));
  }
  const std::vector<int64_t> owners = assign_problems(seconds, rank.size);
  std::vector<size_t> indices;
  for (size_t i = 0; i < problems.size(); ++i) {
    if (owners[i] == rank.rank) indices.push_back(i);
  }
  return indices;
}

}  // namespace

TuneShare share_of(const std::vector<Workload>& problems, const Rank& rank) {
  return {.problems = problems, .indices = indices_of(problems, rank), .rank = rank};
}

std::vector<Workload> grouped_problems(const TuneShare& share) {
  std::vector<Workload> problems;
  problems.reserve(share.indices.size());
  for (const size_t index : share.indices) problems.push_back(share.problems[index]);
  return problems;
}

std::vector<std::string> stores_of_others(const std::string& store_of_all, const std::string& own) {
  std::vector<std::string> stores = files_of_ranks(store_of_all);
  const std::filesystem::path name = std::filesystem::path(own).filename();
  std::erase_if(stores, [&name](const std::filesystem::path& s) { return s.filename() == name; });
  return stores;
}

}  // namespace tilewright
