#include "gpu/measure/launch_metrics.hpp"

#include <algorithm>

namespace tilewright {
namespace {

double sum(size_t column, std::span<const std::vector<double>> kernels) {
  double total = 0;
  for (const std::vector<double>& values : kernels) total += values[column];
  return total;
}

// Step by step, so that the mean of one value is that value to the last bit. A kernel of weight 0
// has no rate: its value may be no number.
double weighted_mean(size_t column, size_t weight, std::span<const std::vector<double>> kernels) {
  double mean = 0;
  double total = 0;
  for (const std::vector<double>& values : kernels) {
    if (!(values[weight] > 0)) continue;
    total += values[weight];
    mean += (values[column] - mean) * (values[weight] / total);
  }
  return mean;
}

}  // namespace

std::vector<std::string> collected_metrics(std::span<const LaunchMetric> metrics) {
  std::vector<std::string> names;
  for (const LaunchMetric& metric : metrics) names.push_back(metric.name);
  for (const LaunchMetric& metric : metrics) {
    const bool is_new = std::find(names.begin(), names.end(), metric.weight) == names.end();
    if (!metric.weight.empty() && is_new) names.push_back(metric.weight);
  }
  return names;
}

std::vector<double> combine_kernels(std::span<const LaunchMetric> metrics,
                                    std::span<const std::vector<double>> kernels) {
  const std::vector<std::string> names = collected_metrics(metrics);
  std::vector<double> values;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const auto weight = std::find(names.begin(), names.end(), metrics[i].weight);
    values.push_back(weight == names.end()
                         ? sum(i, kernels)
                         : weighted_mean(i, static_cast<size_t>(weight - names.begin()), kernels));
  }
  return values;
}

std::vector<LaunchMetric> counter_metrics() {
  return {
      {"dram__bytes_read.sum", ""},
      {"dram__bytes_write.sum", ""},
      {"lts__t_sector_hit_rate.pct", "lts__t_sectors.sum"},
      {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "sm__cycles_elapsed.max"},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", ""}};
}

Counters counters_of(std::span<const double> values, int passes) {
  return {.dram_read_bytes = values[0],
          .dram_write_bytes = values[1],
          .l2_hit_pct = values[2],
          .tensor_active_pct = values[3],
          .shared_wavefronts = values[4],
          .passes = passes};
}

}  // namespace tilewright
