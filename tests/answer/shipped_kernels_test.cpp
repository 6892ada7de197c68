#include "answer/shipped_kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "answer/cover_configs.hpp"
#include "answer/shipped_choice.hpp"
#include "search/complete.hpp"
#include "stats/random.hpp"
#include "support/devices.hpp"
#include "support/shipped_table.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::shipped_table;

TEST_CASE("each shipped kernel is buildable from its own fields, and adds a program") {
  std::set<uint64_t> programs;
  for (const ShippedKernel& kernel : shipped_table().kernels) {
    CAPTURE(to_string(kernel.workload));
    CHECK(!reject_workload(kernel.workload, kernel.config, shipped_table().device));
    const Plan plan = make_plan(kernel.workload, kernel.config, shipped_table().device,
                                {.places = kernel.places});
    CHECK(record_of(kernel.config.family).why_no_kernel_for_places(plan).empty());
    CHECK(program_ids(plan) == kernel.programs);
    const size_t before = programs.size();
    programs.insert(kernel.programs.begin(), kernel.programs.end());
    CHECK(programs.size() > before);
  }
  // Limits that keep a library small.
  CHECK(programs.size() <= 220);
  CHECK(shipped_table().kernels.size() <= 200);
}

TEST_CASE("every row's kernel is shipped, and equal rows have equal kernels") {
  for (const AnswerRow& row : shipped_table().rows) {
    CAPTURE(full_text(row.problem));
    CHECK(is_shipped(shipped_table(), make_plan(row.problem, row.choice, shipped_table().device)));
  }
  CHECK(shipped_kernels(shipped_table().rows, shipped_table().trials, shipped_table().device) ==
        shipped_table().kernels);
}

AnswerTable table_of(const Workload& problem, const std::string& config, const DeviceSpec& device) {
  AnswerTable table;
  table.device = device;
  table.rows = {{.problem = problem, .choice = config_of(parse_config(config)), .file = "one"}};
  table.kernels = shipped_kernels(table.rows, {}, device);
  return table;
}

TEST_CASE("the fastest kernel of a trial is shipped where the others lose more than 3 % to it") {
  const DeviceSpec device = testing::h200();
  const Workload tuned = workload_of({{1024, 1024, 1024}});
  const std::string winner = "cta=128x128x64,stages=4";
  AnswerTable table = table_of(tuned, winner, device);
  Trial trial;
  trial.problem = workload_of({{1000, 1000, 1000}});
  const TileConfig fastest = config_of(parse_config("cta=192x96x64,stages=4"));
  for (const double loss : {1.02, 1.05}) {
    CAPTURE(loss);
    trial.times = {{fastest, 10}, {config_of(parse_config(winner)), 10 * loss}};
    table.kernels = shipped_kernels(table.rows, std::vector{trial}, device);
    CHECK(is_shipped(table, make_plan(trial.problem, fastest, device)) == (loss > 1.03));
  }
}

TEST_CASE("each config of the cover is another one, and legal on Hopper or Ampere") {
  const std::vector<TileConfig> configs = cover_configs(DataType::BF16);
  const DeviceSpec hopper = testing::h200();
  DeviceSpec ampere = hopper;
  ampere.compute_major = 8;
  ampere.compute_minor = 0;
  for (size_t i = 0; i < configs.size(); ++i) {
    CAPTURE(to_string(configs[i]));
    CHECK(std::find(configs.begin(), configs.begin() + i, configs[i]) == configs.begin() + i);
    bool is_legal = false;
    for (const GemmShape& shape : {GemmShape{4096, 4096, 8192}, {8, 4096, 8192}}) {
      for (const DeviceSpec& device : {hopper, ampere}) {
        for (const TileConfig& form : forms_of(configs[i])) {
          is_legal = is_legal || !reject_workload(workload_of({shape}), form, device);
        }
      }
    }
    CHECK(is_legal);
  }
}

void check_answers_all(const AnswerTable& table, const Workload& kind) {
  for (const int64_t size : {1, 15, 64, 200, 1024}) {
    for (const int alignment : {2, 4, 8, 16}) {
      Workload product = kind;
      product.shapes = {{size, size + 1, size}};
      OperandPlaces places;
      places.a.alignment = alignment;
      places.d.alignment = alignment;
      places.b.pitch = size + 9;
      for (const float beta : {0.0F, 1.0F}) {
        product.kind.epilogue.beta = beta;
        CAPTURE(to_string(product));
        CHECK(choose_shipped(table, product, places).has_value());
      }
    }
  }
}

TEST_CASE("one row answers every size, whatever its winner requires") {
  const std::string common = ",stages=4,schedule=cooperative,l2_promotion=128,";
  for (const std::string& config :
       {"family=sm90,cta=128x128x64,cluster=2x1,raster=swizzle-merge:4,decomposition=data-"
        "parallel" +
            common,
        "family=sm90,cta=64x128x64,cluster=1x1,raster=row,decomposition=split-k:4:serial-tma" +
            common,
        "family=sm90,cta=128x128x64,cluster=1x1,raster=hilbert,decomposition=stream-k" + common}) {
    const Workload problem = workload_of({{1024, 1024, 4096}});
    const AnswerTable table =
        table_of(problem, config.substr(0, config.size() - 1), testing::h200());
    CAPTURE(config);
    CHECK(choose_shipped(table, problem)->source == AnswerSource::Tuned);
    check_answers_all(table, problem);
    CHECK(table.kernels.size() < 16);
  }
}

TEST_CASE("a group tuned with the host's table also ships a kernel that finds rows itself") {
  Workload group;
  group.shapes.assign(8, {128, 1024, 1024});
  const AnswerTable table =
      table_of(group,
               "family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=row,"
               "decomposition=data-parallel,group_schedule=host-precompute",
               testing::h200());
  CHECK(choose_shipped(table, group)->source == AnswerSource::Tuned);
  for (const float beta : {0.0F, 1.0F}) {
    group.kind.epilogue.beta = beta;
    for (const int64_t rows : {1, 40, 4096}) {
      group.shapes.assign(8, {rows, 1024, 1024});
      CAPTURE(why_none_shipped(table, group, {}, {.device_rows = true}));
      CHECK(choose_shipped(table, group, {}, {.device_rows = true}).has_value());
    }
  }
}

TEST_CASE("a family for some sizes only is shipped with one for the others") {
  const Workload skinny = workload_of({{8, 1024, 4096}});
  const AnswerTable table =
      table_of(skinny, "family=skinny,cta=8x16x128,k_warps=4,stages=2,decomposition=data-parallel",
               testing::h200());
  CHECK(choose_shipped(table, skinny)->config.family == Family::Skinny);
  check_answers_all(table, skinny);
}

TEST_CASE("where the copy width follows from the rows, each width has a kernel") {
  DeviceSpec ampere = testing::h200();
  ampere.compute_major = 8;
  ampere.compute_minor = 0;
  ampere.smem_per_cta_bytes = 166912;
  const Workload problem = workload_of({{1024, 1024, 1024}});
  const AnswerTable table =
      table_of(problem,
               "family=sm80,cta=128x128x32,warps=2x2,stages=4,smem=fitted,raster=row,"
               "decomposition=data-parallel",
               ampere);
  check_answers_all(table, problem);
  // 16, 8, 4 and 2 bytes of A and of B, with and without C.
  CHECK(table.kernels.size() == 32);
}

// Sizes that neither a row nor a draw of general kernels has.
TEST_CASE("products of random sizes lose little against the model's best") {
  Random random(77);
  double sum = 0;
  double worst = 0;
  constexpr int kDraws = 10;
  const auto size = [&random] {
    return static_cast<int64_t>(16 * std::pow(256, random.uniform())) / 8 * 8;
  };
  for (int i = 0; i < kDraws; ++i) {
    const Workload product = workload_of({{size(), size(), size()}});
    const DeviceSpec& device = shipped_table().device;
    const auto answer = choose_shipped(shipped_table(), product);
    REQUIRE(answer);
    const Plan best = make_plan(product, complete_config({}, product, device), device);
    const double loss = answer->predicted_us / replay_us(best, device);
    CAPTURE(to_string(product));
    CAPTURE(loss);
    sum += std::log(loss);
    worst = std::max(worst, loss);
  }
  CHECK(std::exp(sum / kDraws) < 1.08);
  CHECK(worst < 1.3);
}

}  // namespace
}  // namespace tilewright
