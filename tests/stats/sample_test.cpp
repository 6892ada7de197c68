#include "stats/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/random.hpp"

namespace tilewright {
namespace {

// Skewed like kernel times: a least time, and a tail of slow ones. `median_of_law` is exact.
constexpr double kFloor = 10;
double draw(Random& random) {
  return kFloor - std::log(1 - random.uniform());
}
const double kMedianOfLaw = kFloor + std::log(2.0);

std::vector<double> draw_sample(Random& random, size_t count) {
  std::vector<double> sample(count);
  for (double& value : sample) value = draw(random);
  return sample;
}

TEST_CASE("the interval covers the law's median about 95 times of 100") {
  for (const size_t count : {25U, 60U}) {
    Random random(count);
    int covered = 0;
    constexpr int kSamples = 600;
    for (int i = 0; i < kSamples; ++i) {
      const Interval interval =
          median_interval(draw_sample(random, count), 500, static_cast<uint64_t>(i));
      covered += interval.low <= kMedianOfLaw && kMedianOfLaw <= interval.high;
    }
    CHECK(covered >= kSamples * 92 / 100);
    CHECK(covered <= kSamples * 98 / 100);
  }
}

TEST_CASE("the interval narrows with the root of the sample's size") {
  Random random(3);
  double narrow = 0;
  double wide = 0;
  for (int i = 0; i < 40; ++i) {
    const Interval a = median_interval(draw_sample(random, 25));
    const Interval b = median_interval(draw_sample(random, 400));
    wide += a.high - a.low;
    narrow += b.high - b.low;
  }
  CHECK(wide / narrow == doctest::Approx(4).epsilon(0.25));
}

TEST_CASE("two samples of one law: the ratio's interval contains 1, and a real gap shows") {
  Random random(4);
  int same = 0;
  int slower = 0;
  constexpr int kPairs = 300;
  for (int i = 0; i < kPairs; ++i) {
    const std::vector<double> a = draw_sample(random, 40);
    const std::vector<double> b = draw_sample(random, 40);
    std::vector<double> c = b;
    for (double& value : c) value *= 1.2;
    const Interval aa = paired_ratio(a, b).interval;
    same += aa.low <= 1 && 1 <= aa.high;
    slower += paired_ratio(c, a).interval.low > 1;
  }
  CHECK(same >= kPairs * 91 / 100);
  CHECK(slower == kPairs);
}

TEST_CASE("a round's common disturbance cancels in the paired ratio only") {
  Random random(5);
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 50; ++i) {
    const double heat = 1 + random.uniform();
    a.push_back(1.01 * heat);
    b.push_back(heat);
  }
  CHECK(paired_ratio(a, b).ratio == doctest::Approx(1.01));
  CHECK(paired_ratio(a, b).interval.low > 1.0);
  const Interval alone = median_interval(a);
  CHECK(alone.high / alone.low > 1.05);
}

TEST_CASE("the median and its interval do not depend on the order of the sample") {
  Random random(6);
  for (const size_t count : {1U, 2U, 5U, 10U, 33U}) {
    std::vector<double> sample = draw_sample(random, count);
    const double before = median(sample);
    const Interval interval = median_interval(sample);
    shuffle(std::span<double>(sample), random);
    CHECK(median(sample) == before);
    CHECK(median_interval(sample) == interval);
    CHECK(interval.low <= before);
    CHECK(before <= interval.high);
    const auto below = std::count_if(sample.begin(), sample.end(),
                                     [before](double value) { return value < before; });
    CHECK(static_cast<size_t>(below) <= count / 2);
  }
}

TEST_CASE("examples: odd, even and empty samples") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(median(std::vector<double>{4, 1, 2, 3}) == 2.5);
  CHECK(std::isnan(median({})));
  CHECK(std::isnan(median_interval({}).low));
  CHECK(geometric_mean(std::vector<double>{1, 4}) == doctest::Approx(2));
  CHECK(std::isnan(geometric_mean({})));
}

TEST_CASE("the same seed gives the same interval, another seed another") {
  Random random(7);
  const std::vector<double> sample = draw_sample(random, 200);
  CHECK(median_interval(sample, 100, 1) == median_interval(sample, 100, 1));
  CHECK(median_interval(sample, 100, 1) != median_interval(sample, 100, 2));
}

TEST_CASE("a rank interval covers the median as often as stated, also for a skewed law") {
  for (const double confidence : {0.9, 0.99}) {
    for (const size_t count : {8U, 15U, 60U}) {
      Random random(count);
      int covered = 0;
      constexpr int kSamples = 4000;
      for (int i = 0; i < kSamples; ++i) {
        const Interval interval = rank_interval(draw_sample(random, count), confidence);
        covered += interval.low <= kMedianOfLaw && kMedianOfLaw <= interval.high;
      }
      CAPTURE(confidence);
      CAPTURE(count);
      CHECK(covered >= kSamples * (confidence - 0.015));
      // The interval is no wider than whole ranks require.
      CHECK(covered <= kSamples * (confidence < 0.95 ? 0.985 : 1));
    }
  }
}

TEST_CASE("a rank interval equals the one found by counting all coin throws") {
  // By brute force: all 2^n ways to lie above or below the median.
  for (int n = 1; n <= 12; ++n) {
    std::vector<double> sample;
    for (int i = 1; i <= n; ++i) sample.push_back(i);
    for (const double confidence : {0.5, 0.9, 0.99, 0.999}) {
      int cut = 0;
      for (int tried = 1; 2 * tried <= n; ++tried) {
        int beyond = 0;
        for (int throws = 0; throws < 1 << n; ++throws) {
          const int heads = __builtin_popcount(static_cast<unsigned>(throws));
          beyond += heads < tried || n - heads < tried;
        }
        if (beyond <= (1 - confidence) * (1 << n)) cut = tried;
      }
      const Interval interval = rank_interval(sample, confidence);
      CAPTURE(n);
      CAPTURE(confidence);
      CHECK(std::isinf(interval.low) == (cut == 0));
      if (cut > 0) CHECK(interval.low == cut);
      if (cut > 0) CHECK(interval.high == n + 1 - cut);
    }
  }
}

}  // namespace
}  // namespace tilewright
