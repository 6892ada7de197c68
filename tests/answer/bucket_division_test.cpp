#include "answer/bucket_division.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "stats/random.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

TileConfig config_of_rows(int rows) {
  TileConfig config = config_of(parse_config(
      "family=sm90,cta=128x256x64,cluster=1x1,stages=4,schedule=cooperative,raster=row,"
      "l2_promotion=128,decomposition=data-parallel"));
  config.cta.m = rows;
  return config;
}

Workload product(int64_t m, int64_t n, int64_t k) {
  return workload_of({.shape = {m, n, k}});
}

TuneEntry winner(const Workload& problem, int rows) {
  TuneEntry entry;
  entry.problem = problem;
  entry.choice = config_of_rows(rows);
  return entry;
}

// Gives every config a time at every product.
using World = std::function<double(const GemmShape& shape, int rows)>;

Trial trial_of(const Workload& problem, const World& world, const std::vector<int>& rows,
               int predicted) {
  Trial trial;
  trial.problem = problem;
  trial.date = "2026-11-23";
  trial.predicted = config_of_rows(predicted);
  for (const int r : rows) {
    trial.times.push_back({config_of_rows(r), world(problem.shapes.front(), r)});
  }
  return trial;
}

// Tiles of 64 rows win below 700 rows of D, tiles of 128 rows above.
double line_world(const GemmShape& shape, int rows) {
  const double away = std::log2(static_cast<double>(shape.m) / 700);
  return 100 + (rows == 64 ? std::max(0.0, 8 * away) : std::max(0.0, -8 * away));
}

TEST_CASE("along one size, buckets meet where the faster winner changes and end at tuned sizes") {
  const TuneEntry entries[] = {winner(product(128, 512, 512), 64),
                               winner(product(4096, 512, 512), 128)};
  std::vector<Trial> trials;
  for (const int64_t m : std::initializer_list<int64_t>{256, 384, 512, 1024, 1536, 2048}) {
    trials.push_back(trial_of(product(m, 512, 512), line_world, {64, 128, 192}, 192));
  }
  for (Trial& trial : trials) trial.times.back().us = 130;  // the time of the model's answer
  const std::vector<Bucket> buckets = buckets_of(entries, trials);
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].m == SizeRange{128, 725, 1});  // sqrt(512 * 1024)
  CHECK(buckets[1].m == SizeRange{725, 4097, 1});
  CHECK(buckets[0].n == SizeRange{512, 513, 64});
  CHECK(buckets[0].choice == entries[0].choice);
  CHECK(buckets[1].from == entries[1].problem.shapes[0]);
  for (const Bucket& bucket : buckets) {
    CHECK(!bucket.by_model);
    CHECK(bucket.worst_regret == doctest::Approx(0));
    CHECK(bucket.trials == 3);
    CHECK(bucket.date == "2026-11-23");
  }
  CHECK(find_bucket(buckets, product(724, 512, 512)) == &buckets[0]);
  CHECK(find_bucket(buckets, product(725, 512, 512)) == &buckets[1]);
  Workload other = product(725, 512, 512);
  other.kind.layout = MatrixLayout::NN;
  for (const Workload& outside : {product(127, 512, 512), product(725, 513, 512),
                                  product(725, 512, 511), product(4097, 512, 512), other}) {
    CHECK(find_bucket(buckets, outside) == nullptr);
  }
}

TEST_CASE("the model answers where no winner was timed or all are far slower") {
  const TuneEntry entries[] = {winner(product(128, 512, 512), 64)};
  const auto far_behind = [](const GemmShape&, int rows) { return rows == 64 ? 120.0 : 100.0; };
  for (const std::vector<int>& timed : {std::vector<int>{192}, std::vector<int>{64, 192}}) {
    std::vector<Trial> trials;
    for (const int64_t m : std::initializer_list<int64_t>{256, 512}) {
      trials.push_back(trial_of(product(m, 512, 512), far_behind, timed, 192));
    }
    const std::vector<Bucket> buckets = buckets_of(entries, trials);
    REQUIRE(buckets.size() == 1);
    CHECK(buckets[0].by_model);
    CHECK(buckets[0].worst_regret == 0);
    CHECK(buckets[0].trials == 2);
  }
}

TEST_CASE("a bucket's only trial is no evidence: the model answers, with its own regret") {
  const TuneEntry entries[] = {winner(product(128, 512, 512), 64)};
  for (const double us : {104.0, 100.0, 90.0}) {
    Trial trial = trial_of(product(256, 512, 512), line_world, {64, 192}, 192);
    trial.times[0].us = us;
    trial.times[1].us = 100;
    const std::vector<Bucket> buckets = buckets_of(entries, {&trial, 1});
    REQUIRE(buckets.size() == 1);
    CHECK(buckets[0].by_model);
    CHECK(buckets[0].worst_regret == doctest::Approx(100 / std::min(us, 100.0) - 1));
  }
}

TEST_CASE("a winner answers only if it beats the model at the trial that was left out") {
  const TuneEntry entries[] = {winner(product(128, 512, 512), 64)};
  for (const double us : {104.0, 100.0, 99.0, 90.0}) {
    std::vector<Trial> trials;
    for (const int64_t m : std::initializer_list<int64_t>{256, 384, 512}) {
      trials.push_back(trial_of(product(m, 512, 512), line_world, {64, 192}, 192));
      trials.back().times[0].us = m == 384 ? us : 90;
      trials.back().times[1].us = 100;
    }
    // Only the middle one is in a bucket of the other two.
    const std::vector<Bucket> buckets = buckets_of(entries, trials);
    REQUIRE(buckets.size() == 1);
    CHECK(buckets[0].by_model == (us >= 100));
  }
}

// Random products, winners and times.
struct RandomWorld {
  std::vector<TuneEntry> entries;
  std::vector<Trial> trials;
};

RandomWorld random_world(uint64_t seed) {
  Random random(seed);
  RandomWorld world;
  const auto size = [&random] { return int64_t{64} << random.below(7); };
  const std::vector<int> rows = {64, 128, 192, 256};
  for (const int r : rows) {
    if (r != 256) world.entries.push_back(winner(product(size(), size(), size()), r));
  }
  for (uint32_t i = 0; i < 24; ++i) {
    std::vector<int> timed = {256};
    for (const int r : rows) {
      if (r != 256 && random.below(8) > 0) timed.push_back(r);
    }
    const auto noise = [&random](const GemmShape& shape, int r) {
      const double fit = std::abs(std::log2(static_cast<double>(shape.m) / (8.0 * r)));
      return 100 * (1 + 0.04 * fit + 0.01 * random.uniform());
    };
    world.trials.push_back(trial_of(product(size() + 8, size(), size()), noise, timed, 256));
  }
  return world;
}

TEST_CASE("buckets are disjoint, hold each trial at most once and state their worst regret") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomWorld world = random_world(seed);
    const std::vector<Bucket> buckets = buckets_of(world.entries, world.trials);
    std::vector<int64_t> inside(buckets.size(), 0);
    std::vector<double> worst(buckets.size(), 0);
    for (const Trial& trial : world.trials) {
      double least = 1e9;
      for (const Trial::Time& time : trial.times) least = std::min(least, time.us);
      size_t found = 0;
      for (size_t b = 0; b < buckets.size(); ++b) {
        if (find_bucket({&buckets[b], 1}, trial.problem) == nullptr) continue;
        ++found;
        ++inside[b];
        const TileConfig& answer = buckets[b].by_model ? trial.predicted : buckets[b].choice;
        const auto timed =
            std::find_if(trial.times.begin(), trial.times.end(),
                         [&answer](const Trial::Time& time) { return time.config == answer; });
        REQUIRE(timed != trial.times.end());
        worst[b] = std::max(worst[b], timed->us / least - 1);
      }
      CHECK(found == 1);
    }
    for (size_t b = 0; b < buckets.size(); ++b) {
      CHECK(buckets[b].trials == inside[b]);
      CHECK(buckets[b].worst_regret == doctest::Approx(worst[b]));
      CHECK(buckets[b].held_out >= buckets[b].worst_regret - 1e-12);
      if (!buckets[b].by_model) CHECK(buckets[b].worst_regret <= kMaxRegret);
    }
  }
}

TEST_CASE("sizes more than a factor of 3 apart share no bucket") {
  const TuneEntry entries[] = {winner(product(64, 512, 512), 64)};
  std::vector<Trial> trials;
  for (const int64_t m : std::initializer_list<int64_t>{64, 128, 512, 1024}) {
    trials.push_back(trial_of(
        product(m, 512, 512), [](const GemmShape&, int r) { return 100.0 + r / 64; }, {64, 128},
        128));
  }
  const std::vector<Bucket> buckets = buckets_of(entries, trials);
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].m == SizeRange{64, 129, 1});
  CHECK(buckets[1].m == SizeRange{512, 1025, 1});
  CHECK(find_bucket(buckets, product(256, 512, 512)) == nullptr);
  trials[1].problem = product(192, 512, 512);
  CHECK(buckets_of(entries, trials).front().m == SizeRange{64, 1025, 1});
}

}  // namespace
}  // namespace tilewright
