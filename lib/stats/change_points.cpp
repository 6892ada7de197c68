#include "stats/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/sample.hpp"

namespace tilewright {
namespace {

constexpr size_t kMinLevel = 3;    // values that form a level; fewer are outliers
constexpr size_t kMinSeries = 10;  // values needed to estimate the spread

// The least difference of two means, in standard errors, that counts as a change. None of 200 quiet
// series of 200 normal values passes it (tests/stats/change_points_test.cpp), although every place
// is tested with every value. With few values the spread is known badly, so the limit is higher.
double least_errors(size_t count) {
  return 5.2 + 60.0 / static_cast<double>(count);
}

// Estimates the standard deviation from the median absolute difference of neighbours.
double spread_of(std::span<const double> series) {
  constexpr double kMedianOfNormal = 0.6744897501960817;
  std::vector<double> differences;
  differences.reserve(series.size());
  for (size_t i = 1; i < series.size(); ++i) {
    differences.push_back(std::abs(series[i] - series[i - 1]));
  }
  return median(differences) / kMedianOfNormal / std::sqrt(2.0);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Split {
  size_t at = 0;
  double errors = 0;  // difference of the means, in standard errors for a spread of one
};

// The place that best separates two means, with at least `least` values on either side.
Split best_split(std::span<const double> values, size_t least) {
  Split best;
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  double sum = 0;
  for (size_t at = 1; at + least <= values.size(); ++at) {
    sum += values[at - 1];
    if (at < least) continue;
    const auto first = static_cast<double>(at);
    const auto rest = static_cast<double>(values.size() - at);
    const double difference = std::abs((total - sum) / rest - sum / first);
    const double errors = difference * std::sqrt(first * rest / (first + rest));
    if (errors > best.errors) best = {at, errors};
  }
  return best;
}

// Replaces values that lie far from the median of five neighbours by that median. The first value
// of a level of three or more stays.
std::vector<double> without_outliers(std::span<const double> series, double spread) {
  constexpr double kFar = 4;
  constexpr size_t kReach = 2;
  std::vector<double> kept(series.begin(), series.end());
  for (size_t i = 0; i < series.size(); ++i) {
    const size_t begin = i - std::min(i, kReach);
    const size_t end = std::min(i + kReach + 1, series.size());
    const double middle = median(series.subspan(begin, end - begin));
    if (std::abs(series[i] - middle) > kFar * spread) kept[i] = middle;
  }
  return kept;
}

// Moves each change to the place that separates best between its neighbours, and sets both levels.
void settle(std::vector<ChangePoint>& changes, std::span<const double> series) {
  size_t begin = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    ChangePoint& change = changes[i];
    const size_t end = i + 1 < changes.size() ? changes[i + 1].at : series.size();
    const std::span<const double> both = series.subspan(begin, end - begin);
    const size_t at = best_split(both, 1).at;
    change.at = begin + at;
    change.before = mean(both.first(at));
    change.after = mean(both.subspan(at));
    begin = change.at;
  }
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> series, double resolution) {
  std::vector<ChangePoint> changes;
  if (series.size() < kMinSeries) return changes;
  size_t begin = 0;
  for (size_t end = kMinSeries; end <= series.size(); ++end) {
    const std::span<const double> known = series.first(end);
    const double spread = std::max(spread_of(known), resolution);
    const std::vector<double> kept = without_outliers(known, spread);
    const std::span<const double> level = std::span(kept).subspan(begin);
    if (level.size() < 2 * kMinLevel) continue;
    const Split found = best_split(level, kMinLevel);
    if (!(found.errors > spread * least_errors(end))) continue;
    changes.push_back({begin + best_split(level, 1).at, end - 1});
    begin = changes.back().at;
  }
  settle(changes, without_outliers(series, std::max(spread_of(series), resolution)));
  return changes;
}

}  // namespace tilewright
