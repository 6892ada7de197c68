#include "stats/change_points.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tilewright {
namespace {

constexpr int kSeries = 200;
constexpr size_t kNights = 200;
constexpr double kResolution = 1e-6;

// Nightly values of a ratio that vary by 0.3 % from one to the next.
std::vector<double> quiet_nights(uint64_t seed, double spread = 0.003) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, spread);
  std::vector<double> nights(kNights);
  for (double& ratio : nights) ratio = 1.02 * (1 + noise(random));
  return nights;
}

// True where the nights up to `last` suffice to find a change at `at`.
bool is_named(std::span<const double> nights, size_t at, size_t last) {
  for (const ChangePoint& change : change_points(nights.first(last + 1), kResolution)) {
    if (change.at == at) return true;
  }
  return false;
}

TEST_CASE("quiet nights raise at most one false alarm in 200 series of 200 nights each") {
  size_t alarms = 0;
  for (uint64_t seed = 0; seed < kSeries; ++seed) {
    alarms += change_points(quiet_nights(seed), kResolution).size();
  }
  MESSAGE(alarms << " false alarms in " << kSeries << " series of " << kNights << " nights");
  CHECK(alarms <= 1);
}

TEST_CASE("a young case, whose spread is hardly known, raises no more false alarms") {
  size_t alarms = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const std::vector<double> nights = quiet_nights(5000 + seed);
    alarms += change_points(std::span(nights).first(30), kResolution).size();
  }
  MESSAGE(alarms << " false alarms in 1000 series of 30 nights");
  CHECK(alarms <= 6);  // one in 200 nights and series would be 150
}

TEST_CASE("a step of 1.5 % is dated exactly, within 5 nights, in 95 % of 200 series") {
  for (const double step : {-0.015, 0.015}) {
    int named = 0;
    for (uint64_t seed = 0; seed < kSeries; ++seed) {
      std::vector<double> nights = quiet_nights(1000 + seed);
      const size_t at = 30 + seed % 140;
      for (size_t i = at; i < kNights; ++i) nights[i] *= 1 + step;
      named += is_named(nights, at, at + 4);
    }
    MESSAGE("a step of " << 100 * step << " %: " << named << " of " << kSeries);
    CHECK(named >= 190);
  }
}

TEST_CASE("a drift of 0.3 % a week is found within 40 nights in 80 % of 200 series") {
  int found = 0;
  for (uint64_t seed = 0; seed < kSeries; ++seed) {
    std::vector<double> nights = quiet_nights(2000 + seed);
    const size_t from = 30 + seed % 120;
    for (size_t i = from; i < kNights; ++i) {
      nights[i] *= 1 - 0.003 / 7 * static_cast<double>(i - from);
    }
    const auto changes = change_points(nights, kResolution);
    found += !changes.empty() && changes.front().at + 5 >= from &&
             changes.front().detected_at < from + 40;
  }
  MESSAGE("a drift: " << found << " of " << kSeries);
  CHECK(found >= 160);
}

TEST_CASE("later nights do not revoke a known change") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<double> nights = quiet_nights(seed);
    for (size_t i = 60; i < kNights; ++i) nights[i] *= 0.97;
    for (size_t i = 120; i < kNights; ++i) nights[i] *= 1.02;
    const auto all = change_points(nights, kResolution);
    REQUIRE(all.size() == 2);
    CHECK(all[0].at == 60);
    CHECK(all[1].at == 120);
    CHECK(all[0].before == doctest::Approx(1.02).epsilon(0.002));
    CHECK(all[1].after == doctest::Approx(1.02 * 0.97 * 1.02).epsilon(0.002));
    const auto early = change_points(std::span(nights).first(all[0].detected_at + 1), kResolution);
    REQUIRE(early.size() == 1);
    CHECK(std::max(early[0].at, all[0].at) - std::min(early[0].at, all[0].at) <= 1);
    CHECK(early[0].detected_at == all[0].detected_at);
  }
}

TEST_CASE("one or two outlying nights are no change") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<double> nights = quiet_nights(3000 + seed);
    nights[40 + seed] *= 1.2;
    nights[150] *= 0.9;
    CAPTURE(seed);
    const auto with = change_points(nights, kResolution);
    const auto without = change_points(quiet_nights(3000 + seed), kResolution);
    CHECK(with.size() == without.size());
  }
}

TEST_CASE("exact numbers change where they change, and a constant series does not") {
  std::vector<double> exact(40, 5.0);
  CHECK(change_points(exact, kResolution).empty());
  for (size_t i = 17; i < exact.size(); ++i) exact[i] = 5.01;
  const auto changes = change_points(exact, kResolution);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].at == 17);
  CHECK(changes[0].detected_at <= 19);
  CHECK(change_points(std::vector<double>{1, 1, 1, 1, 9, 9, 9, 9, 9}, kResolution).empty());
  CHECK(change_points({}, kResolution).empty());
}

}  // namespace
}  // namespace tilewright
