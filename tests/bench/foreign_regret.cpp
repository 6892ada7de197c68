// foreign_regret MANIFEST TIMES PICKS [DEVICE]: how much is lost by a search that measures eight
// configs of a manifest of cubins.
//
// TIMES is what tests/record/foreign_times wrote, PICKS what tests/record/autotuned did. For each
// problem: the time of the fastest config; by how many percent the best of eight is slower, in
// random order (median of 1,000 orders), in the order of the least time of the mapping alone, and
// in the order of `tune` (both the mean of 1,000 orders, as configs of equal rank come in random
// order); and the same of the configs that triton.autotune picked. DEVICE is a preset, default
// h100.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/cubin_plan.hpp"
#include "search/foreign_order.hpp"
#include "stats/random.hpp"
#include "store/cubin_manifest_file.hpp"
#include "store/device_preset.hpp"

namespace tilewright {
namespace {

constexpr int kOrders = 1000;
constexpr size_t kMeasured = 8;

// Times by problem and contender, in the order of the file.
struct Times {
  std::vector<std::string> problems;
  std::map<std::string, std::map<std::string, double>> us;
};

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  const std::string text = read_file(file);
  for (const std::string_view line : split(std::string_view(text), '\n')) {
    if (line.empty() || line.front() == '#') continue;
    rows.emplace_back();
    for (const std::string_view part : split(line, ';')) rows.back().emplace_back(part);
  }
  return rows;
}

Times read_times(const std::string& file) {
  Times times;
  for (const auto& row : rows_of(file)) {
    if (!times.us.contains(row.at(0))) times.problems.push_back(row[0]);
    times.us[row[0]][row.at(1)] = std::stod(row.at(2));
  }
  return times;
}

std::vector<AxisValue> values_of(std::string_view contender) {
  std::vector<AxisValue> values;
  for (const std::string_view part : split(contender.substr(contender.find(':') + 1), ',')) {
    const size_t equals = part.find('=');
    values.push_back(
        {std::string(part.substr(0, equals)), parse_count(part.substr(equals + 1)).value_or(0)});
  }
  return values;
}

Workload workload_named(const std::string& problem) {
  const auto sizes = split(problem, 'x');
  Problem product;
  product.shape = {*parse_count(sizes.at(0)), *parse_count(sizes.at(1)), *parse_count(sizes.at(2))};
  return workload_of(product);
}

struct Config {
  double us = 0;          // measured
  double mapping_us = 0;  // the least time of its mapping
  ForeignRank rank;
};

// By how much the best of the first configs is slower than the best of all, in ascending order, a
// number for each of many random orders that `arrange` arranges.
template <class Arrange>
std::vector<double> regrets(std::vector<Config> configs, const Arrange& arrange) {
  double best = configs.front().us;
  for (const Config& config : configs) best = std::min(best, config.us);
  std::vector<double> found;
  Random random(1);
  for (int i = 0; i < kOrders; ++i) {
    shuffle(std::span<Config>(configs), random);
    const std::vector<size_t> order = arrange(configs);
    double least = configs[order[0]].us;
    for (size_t j = 1; j < std::min(kMeasured, order.size()); ++j) {
      least = std::min(least, configs[order[j]].us);
    }
    found.push_back(least / best - 1);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<size_t> as_shuffled(const std::vector<Config>& configs) {
  std::vector<size_t> order(configs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

std::vector<size_t> by_least_time(const std::vector<Config>& configs) {
  std::vector<size_t> order = as_shuffled(configs);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return configs[a].mapping_us < configs[b].mapping_us;
  });
  return order;
}

std::vector<size_t> as_tune(const std::vector<Config>& configs) {
  std::vector<ForeignRank> ranks;
  for (const Config& config : configs) ranks.push_back(config.rank);
  return running_order(ranks);
}

double mean_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double one : numbers) sum += one;
  return sum / static_cast<double>(numbers.size());
}

std::vector<Config> configs_of(const CubinManifest& manifest, const std::string& problem,
                               const std::map<std::string, double>& us, const DeviceSpec& device) {
  std::vector<Config> configs;
  const Workload workload = workload_named(problem);
  for (const auto& [name, one] : us) {
    if (!name.starts_with(manifest.description.name + ":")) continue;
    ForeignMapping mapping = mapping_of(manifest, workload, values_of(name));
    Config config;
    config.us = one;
    config.mapping_us = rank_of(mapping, problem_of(workload, 0), device).cost;
    mapping.cta = cta_needs(plan_cubins(manifest, workload, values_of(name)));
    config.rank = rank_of(mapping, problem_of(workload, 0), device);
    configs.push_back(config);
  }
  return configs;
}

int print_table(std::span<char*> given) {
  const CubinManifest manifest = load_cubin_manifest(given[1]);
  const Times times = read_times(given[2]);
  std::map<std::string, std::vector<std::string>> picks;
  for (const auto& row : rows_of(given[3])) picks[row.at(0)].push_back(row.at(1));
  const DeviceSpec device = load_device_preset(given.size() > 4 ? given[4] : "h100");
  std::printf(
      "| problem | best of 80 | worst | cuBLASLt over best | random, %% | mapping, %% | "
      "tune, %% | autotune |\n|---|---|---|---|---|---|---|---|\n");
  double logs[3] = {};
  for (const std::string& problem : times.problems) {
    const auto& us = times.us.at(problem);
    const std::vector<Config> configs = configs_of(manifest, problem, us, device);
    double best = configs.front().us;
    double worst = 0;
    for (const Config& config : configs) {
      best = std::min(best, config.us);
      worst = std::max(worst, config.us);
    }
    const double shares[3] = {regrets(configs, as_shuffled)[kOrders / 2],
                              mean_of(regrets(configs, by_least_time)),
                              mean_of(regrets(configs, as_tune))};
    std::printf("| %s | %.1f | %.0f | %.2f |", problem.c_str(), best, worst,
                us.at("cublaslt") / best);
    for (int i = 0; i < 3; ++i) {
      std::printf(" %.1f |", 100 * shares[i]);
      logs[i] += std::log1p(shares[i]) / static_cast<double>(times.problems.size());
    }
    for (const std::string& pick : picks[problem]) {
      std::printf(" %s %.1f;", pick.substr(0, pick.find(':')).c_str(),
                  100 * (us.at(pick) / best - 1));
    }
    std::printf(" |\n");
  }
  std::printf("geometric mean: random %.2f %%, mapping %.2f %%, tune %.2f %%\n",
              100 * std::expm1(logs[0]), 100 * std::expm1(logs[1]), 100 * std::expm1(logs[2]));
  return 0;
}

}  // namespace
}  // namespace tilewright

int main(int count, char** given) {
  if (count < 4) {
    std::fprintf(stderr, "foreign_regret MANIFEST TIMES PICKS [DEVICE]\n");
    return 2;
  }
  try {
    return tilewright::print_table({given, static_cast<size_t>(count)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "foreign_regret: %s\n", error.what());
    return 1;
  }
}
