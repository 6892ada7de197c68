#include "stats/sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/random.hpp"

namespace tilewright {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted(std::span<const double> sample) {
  std::vector<double> values(sample.begin(), sample.end());
  std::sort(values.begin(), values.end());
  return values;
}

double median_of_sorted(const std::vector<double>& values) {
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// The median of one resample. It draws ranks instead of values, so that the selection compares
// small integers.
double resampled_median(const std::vector<double>& values, std::vector<uint32_t>& ranks,
                        Random& random) {
  for (uint32_t& rank : ranks) rank = random.below(static_cast<uint32_t>(values.size()));
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
  std::nth_element(ranks.begin(), middle, ranks.end());
  if (ranks.size() % 2 == 1) return values[*middle];
  return 0.5 * (values[*std::max_element(ranks.begin(), middle)] + values[*middle]);
}

std::vector<double> ratios_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> ratios(std::min(a.size(), b.size()));
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] = a[i] / b[i];
  return ratios;
}

}  // namespace

double median(std::span<const double> sample) {
  return sample.empty() ? kNaN : median_of_sorted(sorted(sample));
}

Interval median_interval(std::span<const double> sample, int resamples, uint64_t seed) {
  if (sample.empty() || resamples < 1) return {kNaN, kNaN};
  const std::vector<double> values = sorted(sample);
  std::vector<uint32_t> ranks(values.size());
  std::vector<double> medians(static_cast<size_t>(resamples));
  Random random(seed);
  for (double& m : medians) m = resampled_median(values, ranks, random);
  std::sort(medians.begin(), medians.end());
  const auto last = static_cast<double>(medians.size() - 1);
  return {medians[static_cast<size_t>(std::floor(0.025 * last))],
          medians[static_cast<size_t>(std::ceil(0.975 * last))]};
}

PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> ratios = ratios_of(a, b);
  return {median(ratios), median_interval(ratios)};
}

Interval rank_interval(std::span<const double> sample, double confidence) {
  const std::vector<double> values = sorted(sample);
  const size_t n = values.size();
  // Cuts at each end the most values such that n throws of a fair coin give fewer heads with at
  // most the allowed probability.
  double probability = std::pow(0.5, static_cast<double>(n));
  double outside = 2 * probability;
  size_t cut = 0;
  while (2 * cut < n && outside <= 1 - confidence) {
    probability *= static_cast<double>(n - cut) / static_cast<double>(cut + 1);
    outside += 2 * probability;
    ++cut;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (cut == 0) return {-kInfinity, kInfinity};
  return {values[cut - 1], values[n - cut]};
}

PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b, double confidence) {
  const std::vector<double> ratios = ratios_of(a, b);
  return {median(ratios), rank_interval(ratios, confidence)};
}

double geometric_mean(std::span<const double> sample) {
  if (sample.empty()) return kNaN;
  double sum = 0;
  for (const double value : sample) sum += std::log(value);
  return std::exp(sum / static_cast<double>(sample.size()));
}

}  // namespace tilewright
