// Statistics of repeated measurements: pure functions of the numbers.
#pragma once

#include <cstdint>
#include <span>

namespace tilewright {

/// An interval of estimates: whether its ends are included does not matter.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// The middle value (mean of the two middle ones); NaN for an empty sample.
double median(std::span<const double> sample);

/// Percentile bootstrap interval of the median, 95 %, `resamples` draws from a generator seeded
/// with `seed`: the same input gives the same interval. {NaN, NaN} for an empty sample.
Interval median_interval(std::span<const double> sample, int resamples = 1000, uint64_t seed = 1);

/// A median of paired ratios a[i] / b[i] with its interval.
struct PairedRatio {
  double ratio = 0;
  Interval interval;
  bool operator==(const PairedRatio&) const = default;
};

/// Ratio of samples taken in the same rounds; both have the same length.
PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b);

/// Interval of the median between two values of the sample, for any distribution: it contains the
/// distribution's median with at least this confidence. Infinite where the sample is too small.
Interval rank_interval(std::span<const double> sample, double confidence);

/// The paired ratio with the rank interval of that confidence. It can be computed often, and from
/// few rounds.
PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b, double confidence);

/// exp of the mean logarithm; NaN for an empty sample. Values are positive.
double geometric_mean(std::span<const double> sample);

}  // namespace tilewright
