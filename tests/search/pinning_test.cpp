#include "search/pinning.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.hpp"
#include "search/tuner.hpp"
#include "support/fake_runner.hpp"
#include "support/plans.hpp"

namespace tilewright {
namespace {

using testing::FakeRunner;

const Workload kProduct = workload_of({{1024, 1024, 1024}});

std::optional<LibraryPin> pin_with(FakeRunner& runner) {
  ProgressListener silent;
  return measure_pin(kProduct, testing::config_of_stages(4), runner, {.rounds = 40}, silent);
}

TEST_CASE("the pin is the fastest algorithm; its ratios are to our time in the same rounds") {
  for (const size_t fastest : {0U, 1U, 2U}) {
    FakeRunner runner;
    runner.reference_us = {120, 110, 130};
    runner.reference_us[fastest] = 90;
    const std::optional<LibraryPin> pin = pin_with(runner);
    REQUIRE(pin);
    CHECK(pin->version == 130100);
    CHECK(pin->algorithm == runner.library_algorithms().list[fastest]);
    CHECK(pin->name == runner.reference_contenders()[fastest].name);
    CHECK(pin->median_us == doctest::Approx(90).epsilon(0.02));
    CHECK(pin->ratio.ratio == doctest::Approx(0.9).epsilon(0.02));
    CHECK(pin->first_us == doctest::Approx(runner.reference_us[0]).epsilon(0.02));
    CHECK(pin->first_ratio.ratio == doctest::Approx(runner.reference_us[0] / 100).epsilon(0.02));
    CHECK(is_faster(pin->ratio));
    CHECK(is_faster(pin->first_ratio) == (fastest == 0));
  }
}

TEST_CASE("a reference without an algorithm, or not callable again, has no pin") {
  FakeRunner silent;
  silent.library_version = 0;
  CHECK(!pin_with(silent));
  FakeRunner without;
  without.reference_us.clear();
  CHECK(!pin_with(without));
  CHECK(without.timed.empty());
  FakeRunner wrong;
  wrong.is_wrong = [](const TileConfig&) { return true; };
  CHECK_THROWS_AS(pin_with(wrong), Error);
}

TEST_CASE("a tune pins the library time of its answer, unless its objective is energy") {
  for (const double library_us : {50.0, 500.0}) {
    FakeRunner runner;
    runner.reference_us = {library_us * 1.2, library_us};
    runner.joules = [](const Contender&) { return 0.5; };
    ProgressListener silent;
    TunePolicy policy{.kernels = 4, .rounds = 10};
    const TuneEntry entry = tune(kProduct, runner, policy, silent).entry;
    REQUIRE(entry.library_pins.size() == 1);
    const LibraryPin& pin = entry.library_pins.front();
    CHECK(pin.name == entry.reference->name);
    CHECK(pin.median_us == entry.reference->median_us);
    CHECK(pin.ratio == entry.reference->ratio);
    CHECK(pin.first_us == entry.references.front().median_us);
    CHECK(is_faster(pin.ratio) == (winner_of(entry) == Winner::Library));
    policy.objective = Objective::Energy;
    CHECK(tune(kProduct, runner, policy, silent).entry.library_pins.empty());
  }
}

}  // namespace
}  // namespace tilewright
