#include "search/problem_assignment.hpp"

#include <algorithm>
#include <numeric>

#include "model/roofline.hpp"

namespace tilewright {
namespace {

// Fitted to the 54 problems of presets/problems/dense.yaml, which one H200 tuned in 8.4 minutes.
constexpr double kCompileSeconds = 7.5;
constexpr double kLaunches = 3500;

}  // namespace

double tuning_seconds(const Workload& workload, const DeviceSpec& device) {
  return kCompileSeconds + kLaunches * 1e-6 * least_us(roofline(workload, device));
}

std::vector<size_t> longest_first(std::span<const double> seconds) {
  std::vector<size_t> places(seconds.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&seconds](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  return places;
}

std::vector<int64_t> assign_problems(std::span<const double> seconds, int64_t tuner_count) {
  std::vector<int64_t> owners(seconds.size());
  std::vector<double> load(static_cast<size_t>(tuner_count));
  for (const size_t place : longest_first(seconds)) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += seconds[place];
    owners[place] = least - load.begin();
  }
  return owners;
}

}  // namespace tilewright
