// A launch that keeps to some of the multiprocessors: it has at most a CTA for each, computes the
// same product, and what the rules refuse would have had more.
#include <doctest/doctest.h>

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "search/space.hpp"
#include "support/devices.hpp"
#include "support/random_configs.hpp"
#include "support/random_workloads.hpp"
#include "support/shipped_table.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/schedule_report.hpp"

namespace tilewright {
namespace {

using testing::h200;

Workload on_sms(Workload workload, int sms) {
  workload.kind.sms = sms;
  return workload;
}

// Legal configs of the device as a whole, of every family.
std::vector<TileConfig> legal_configs(const Workload& workload, size_t count,
                                      std::mt19937& random) {
  std::vector<TileConfig> configs;
  for (const SearchSpace& space : all_spaces()) {
    const std::vector<LegalKernel> kernels = enumerate(workload, {space}, h200()).kernels;
    for (size_t i = 0; i < count && !kernels.empty(); ++i) {
      const LegalKernel& kernel = testing::pick(kernels, random);
      configs.push_back(kernel.config);
      configs.back().raster = testing::pick(kernel.rasters, random);
    }
  }
  return configs;
}

TEST_CASE("a launch has at most a CTA for each of its multiprocessors, and computes all of D") {
  std::mt19937 random(58);
  int kept = 0;
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    const Workload whole = testing::random_workload(random);
    if (reject_workload_kind(whole)) continue;
    const int sms = 1 + static_cast<int>(random() % 132);
    const Workload some = on_sms(whole, sms);
    for (const TileConfig& config : legal_configs(whole, 3, random)) {
      CAPTURE(full_text(some));
      CAPTURE(to_string(config));
      const Plan free = make_plan(whole, config, h200());
      const auto rejection = reject_workload(some, config, h200());
      if (rejection) {
        CHECK(rejection->rule == "sms");
        const bool adds_later = rejection->reason.find("second kernel") != std::string::npos;
        CHECK((adds_later || free.ctas() > sms));
        ++refused;
        continue;
      }
      const Plan plan = make_plan(some, config, h200());
      CHECK(plan.launched_workers * plan.cluster_size <= sms);
      CHECK(report_schedule(plan).proof.complete);
      const int64_t ctas = std::min(free.ctas(), sms / plan.cluster_size * plan.cluster_size);
      CHECK(assignments(plan) == assignments(make_plan(whole, config, h200(), {.ctas = ctas})));
      ++kept;
    }
  }
  CHECK(kept > 30);
  CHECK(refused > 10);
}

TEST_CASE("a launch that names all multiprocessors has the time of one that names none") {
  std::mt19937 random(59);
  int compared = 0;
  for (int i = 0; i < 2; ++i) {
    const Problem problem{{testing::random_size(64, 8192, random),
                           8 * testing::random_size(8, 1024, random),
                           8 * testing::random_size(8, 1024, random)}};
    const std::vector<SearchSpace> spaces = all_spaces();
    for (const TileConfig& config :
         testing::random_legal_configs(problem, spaces.front(), 3, random)) {
      Problem named = problem;
      named.kind.sms = h200().sm_count;
      if (reject_config(named, config, h200())) continue;
      const Plan all = make_plan(problem, config, h200());
      if (all.ctas_per_sm > 1) continue;
      CHECK(estimate(make_plan(named, config, h200()), h200()).us == estimate(all, h200()).us);
      ++compared;
    }
  }
  CHECK(compared >= 3);
}

TEST_CASE("fewer multiprocessors never make a long product much faster") {
  std::mt19937 random(60);
  int compared = 0;
  for (int i = 0; i < 5; ++i) {
    const Workload whole = workload_of(
        {{testing::random_size(1024, 8192, random), 8 * testing::random_size(128, 1024, random),
          8 * testing::random_size(128, 1024, random)}});
    for (const TileConfig& config : legal_configs(whole, 2, random)) {
      CAPTURE(full_text(whole));
      CAPTURE(to_string(config));
      double before = 0;
      for (const int sms : {132, 116, 100, 64, 32}) {
        const Workload some = on_sms(whole, sms);
        if (reject_workload(some, config, h200())) continue;
        const double us = estimate(make_plan(some, config, h200()), h200()).us;
        CHECK(us > 0.93 * before);  // the clock rises where fewer multiprocessors work
        compared += before > 0 ? 1 : 0;
        before = us;
      }
    }
  }
  CHECK(compared >= 20);
}

TEST_CASE("a shipped library's answers keep to the budget, and 16-byte rows always have one") {
  const AnswerTable& table = testing::shipped_table();
  std::mt19937 random(61);
  int answered = 0;
  for (int i = 0; i < 100; ++i) {
    const int64_t unit = i % 2 == 0 ? 8 : 1;
    const int sms = 8 + static_cast<int>(random() % 124);
    const Workload workload =
        on_sms(workload_of({{testing::random_size(1, 8192, random),
                             unit * testing::random_size(1, 8192 / unit, random),
                             unit * testing::random_size(1, 8192 / unit, random)}}),
               sms);
    CAPTURE(full_text(workload));
    const std::optional<ShippedChoice> answer = choose_shipped(table, workload);
    CHECK((answer.has_value() || unit == 1));
    if (!answer) continue;
    const Plan plan = make_plan(workload, answer->config, table.device, answer->options);
    CHECK(plan.launched_workers * plan.cluster_size <= sms);
    CHECK(is_shipped(table, plan));
    ++answered;
  }
  CHECK(answered >= 50);
}

}  // namespace
}  // namespace tilewright
