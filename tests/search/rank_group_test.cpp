#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "search/complete.hpp"
#include "search/predict.hpp"
#include "search/rank.hpp"
#include "search/tuner.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Workload experts(size_t count, int64_t rows, int64_t n, int64_t k) {
  return {.shapes = std::vector<GemmShape>(count, {rows, n, k})};
}

// Few deep tiles beside many shallow ones.
Workload deep_among_shallow() {
  return {.shapes = {{512, 512, 512}, {1024, 1024, 512}, {256, 2048, 512}, {512, 512, 32768}}};
}

bool in_parts(const TileConfig& config) {
  return std::holds_alternative<SplitK>(config.decomposition);
}

TEST_CASE("a group's ranking holds legal configs, fastest predicted first") {
  const Workload group = experts(8, 1024, 4096, 7168);
  const Ranking ranking = rank(group, requested_spaces({}), testing::h200(), 20);
  const std::vector<RankedConfig>& ranked = ranking.kernels;
  REQUIRE(ranked.size() == 20);
  for (size_t i = 0; i < ranked.size(); ++i) {
    CAPTURE(to_string(ranked[i].config));
    CHECK_FALSE(reject_workload(group, ranked[i].config, testing::h200()));
    // Times within a nanosecond are equal.
    if (i > 0) CHECK(ranked[i - 1].predicted.us <= ranked[i].predicted.us + 0.001);
    for (size_t j = 0; j < i; ++j) CHECK(ranked[j].config != ranked[i].config);
  }
}

// What `tune` lists for a preset: the same numbers that `bench` and `analyze` give.
TEST_CASE("a prediction lists kernels in the order of their shown times") {
  Workload product;
  product.shapes = {{1000, 1500, 512}};
  std::vector<Workload> workloads = {product, experts(8, 100, 1024, 512), experts(40, 16, 512, 256),
                                     deep_among_shallow()};
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    Workload triangle;
    triangle.op = op;
    triangle.uplo = op == MatrixOp::Syrk ? Uplo::Upper : Uplo::Lower;
    for (const int64_t n : {600, 2048}) {
      triangle.shapes = {{n, n, 1024}};
      workloads.push_back(triangle);
    }
  }
  TunePolicy policy;
  policy.spaces = requested_spaces(parse_config("family=sm90,cluster=1x1"));
  for (const Workload& workload : workloads) {
    CAPTURE(to_string(workload));
    const TuneResult result = predict(workload, testing::h200(), policy);
    REQUIRE(!result.rows.empty());
    CHECK(result.rows.front().config == result.entry.choice);
    double before = 0;
    for (const auto& row : result.rows) {
      CHECK(row.predicted.us + 0.001 >= before);
      before = row.predicted.us;
      // A product's kernels that are far behind have the prices of coarse replays.
      if (is_product(workload)) continue;
      const Plan plan = make_plan(workload, row.config, testing::h200());
      CHECK(row.predicted.us == estimate(plan, testing::h200()).us);
    }
  }
}

TEST_CASE("ranking a first selection finds a best as good as ranking everything") {
  Workload own = deep_among_shallow();
  own.shapes.pop_back();
  for (const Workload& workload :
       {experts(8, 128, 7168, 2048), experts(16, 32, 4096, 1024), experts(16, 64, 64, 8192), own}) {
    CAPTURE(to_string(workload));
    const std::vector<SearchSpace> spaces =
        requested_spaces(parse_config("family=sm90,raster=col"));
    const Enumeration found = enumerate(workload, spaces, testing::h200());
    const auto ranked = [&](size_t most_priced) {
      return rank(workload, spaces, testing::h200(), most_priced).kernels;
    };
    const std::vector<RankedConfig> all = ranked(100'000);
    std::vector<double> fastest;
    for (const RankedConfig& config : all) fastest.push_back(config.predicted.us);
    std::sort(fastest.begin(), fastest.end());
    const double answered = ranked(kernels_of_answer(workload, found)).front().predicted.us;
    CHECK(answered <= (1 + kTimeResolution) * fastest.front());
    const std::vector<RankedConfig> looked = ranked(64);
    const auto of_best = std::count_if(looked.begin(), looked.end(), [&](const RankedConfig& c) {
      return c.predicted.us <= fastest[27];
    });
    CHECK(of_best >= 24);
  }
}

TEST_CASE("every config of the space of a group or a triangle is legal or rejected by a rule") {
  Workload triangle;
  triangle.op = MatrixOp::Syr2k;
  triangle.shapes = {{1000, 1000, 512}};
  const std::vector<SearchSpace> spaces = requested_spaces(parse_config("cluster=1x1,stages=4"));
  for (const Workload& workload : {experts(3, 100, 512, 256), triangle, deep_among_shallow()}) {
    CAPTURE(to_string(workload));
    const Enumeration found = enumerate(workload, spaces, testing::h200());
    CHECK(std::any_of(found.kernels.begin(), found.kernels.end(), [](const LegalKernel& kernel) {
            return in_parts(kernel.config);
          }) == (workload == deep_among_shallow()));
    int64_t rejected = 0;
    for (const auto& rule : found.rejected) rejected += rule.second;
    CHECK(found.enumerated == found.legal + rejected);
    REQUIRE(!found.kernels.empty());
    for (const LegalKernel& kernel : found.kernels) {
      TileConfig config = kernel.config;
      for (const Raster& raster : kernel.rasters) {
        config.raster = raster;
        CHECK_FALSE(reject_workload(workload, config, testing::h200()));
      }
    }
  }
}

TEST_CASE("a group or triangle keeps exactly the configs that reject_workload() accepts") {
  Workload triangle;
  triangle.op = MatrixOp::Syrk;
  triangle.shapes = {{1000, 1000, 512}};
  for (const Workload& workload : {experts(3, 100, 512, 256), triangle, deep_among_shallow()}) {
    for (const char* const raster : {"row", "col", "swizzle-merge:8", "hilbert"}) {
      CAPTURE(to_string(workload));
      CAPTURE(raster);
      const SearchSpace space =
          requested_spaces(
              parse_config(std::string("family=sm90,cluster=1x1,stages=4,l2_promotion=128,"
                                       "evict_first=none,decomposition=data-parallel,raster=") +
                           raster))
              .front();
      std::vector<TileConfig> accepted;
      for (TileConfig config : tiles_of(space, workload.kind.dtype)) {
        config.stages = 4;
        config.raster = space.rasters.front();
        if (!reject_workload(workload, config, testing::h200())) accepted.push_back(config);
      }
      const Enumeration found = enumerate(workload, {space}, testing::h200());
      REQUIRE(found.kernels.size() == accepted.size());
      for (size_t i = 0; i < accepted.size(); ++i) CHECK(found.kernels[i].config == accepted[i]);
    }
  }
}

// On an H200 its tiles of 128x128 took 152 us whole and 36 us in 7 parts, tiles of 64x128 took 92
// and 41.
TEST_CASE("a deep product among shallow ones is divided, with the host's table") {
  const Workload group = deep_among_shallow();
  const auto predicted = [&group](const ConfigRequest& request) {
    const TileConfig config = complete_config(request, group, testing::h200());
    CAPTURE(to_string(config));
    CHECK_FALSE(reject_workload(group, config, testing::h200()));
    return RankedConfig{config,
                        estimate(make_plan(group, config, testing::h200()), testing::h200())};
  };
  const RankedConfig best = predicted({});
  CHECK(in_parts(best.config));
  CHECK(best.config.group_schedule == GroupSchedule::HostPrecompute);
  const RankedConfig whole = predicted(parse_config("decomposition=data-parallel"));
  CHECK(!in_parts(whole.config));
  CHECK(best.predicted.us < 0.5 * whole.predicted.us);
  CHECK(!in_parts(predicted(parse_config("group_schedule=dynamic")).config));
  const RankedConfig named =
      predicted(parse_config("cta=128x128x64,decomposition=split-k:4:serial"));
  CHECK(named.config.group_schedule == GroupSchedule::HostPrecompute);
  CHECK(predicted(parse_config("problem_order=given")).config.problem_order == ProblemOrder::Given);
}

TEST_CASE("a batch of few deep tiles is divided, and takes much less time than whole tiles") {
  for (const Workload& batch : {experts(16, 64, 64, 8192), experts(8, 1, 256, 16384)}) {
    CAPTURE(to_string(batch));
    const auto predicted = [&batch](const char* keys) {
      const TileConfig config = complete_config(parse_config(keys), batch, testing::h200());
      CHECK_FALSE(reject_workload(batch, config, testing::h200()));
      CHECK(in_parts(config) == (std::string(keys) != "decomposition=data-parallel"));
      return estimate(make_plan(batch, config, testing::h200()), testing::h200()).us;
    };
    CHECK(predicted("family=sm90") < 0.75 * predicted("decomposition=data-parallel"));
  }
}

TEST_CASE("a group that fills the device is ranked without divided tiles") {
  Workload group;
  for (int64_t i = 1; i <= 8; ++i) group.shapes.push_back({1024, 256 * i, 4096});
  const Ranking ranking = rank(group, requested_spaces({}), testing::h200(), 20);
  for (const LegalKernel& kernel : ranking.enumeration.kernels) CHECK(!in_parts(kernel.config));
}

// More rows in a tile would only multiply padding, and a tile that is not swapped has at least 64
// rows.
TEST_CASE("few rows per expert get a swapped tile with as few columns") {
  for (const int64_t rows : {1, 8, 32}) {
    const TileConfig config = complete_config({}, experts(64, rows, 4096, 1024), testing::h200());
    CHECK(config.swap_ab);
    CHECK(config.cta.n < 64);
  }
}

TEST_CASE("weights that are read once are evicted first, unless the request names evict_first") {
  const auto evicted = [](int64_t rows, const std::string& keys) {
    return complete_config(parse_config("cta=128x128x64,swap_ab=false" + keys),
                           experts(8, rows, 1024, 1024), testing::h200())
        .evict_first;
  };
  CHECK(evicted(128, ",cluster=1x1") == EvictFirst{.b = true});
  CHECK(evicted(129, ",cluster=1x1") == EvictFirst{});
  CHECK(evicted(256, ",cluster=2x1") == EvictFirst{.b = true});
  CHECK(evicted(128, ",cluster=1x1,evict_first=a") == EvictFirst{.a = true});
}

TEST_CASE("every triangle has a config with bands no longer than the triangle") {
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k, MatrixOp::Her2k}) {
    for (const Uplo uplo : {Uplo::Lower, Uplo::Upper}) {
      for (const int64_t n : {1, 200, 1001, 4096}) {
        Workload triangle;
        triangle.op = op;
        triangle.uplo = uplo;
        triangle.shapes = {{n, n, 512}};
        const TileConfig config = complete_config({}, triangle, testing::h200());
        CAPTURE(to_string(config));
        CHECK_FALSE(reject_workload(triangle, config, testing::h200()));
        CHECK(config.raster.kind == tw::RasterKind::SwizzleMerge);
        const TileConfig named =
            complete_config(parse_config("cta=128x128x64,raster=row"), triangle, testing::h200());
        CHECK(named.cta == TileShape{128, 128, 64});
        CHECK(named.raster == Raster{});
      }
    }
  }
}

TEST_CASE("requested keys keep their values; a request that nothing runs gets the reason") {
  const Workload group = experts(4, 512, 1024, 512);
  const TileConfig config =
      complete_config(parse_config("cta=128x128x64,cluster=2x1,raster=hilbert,stages=3,"
                                   "group_schedule=host-precompute,problem_order=lpt"),
                      group, testing::h200());
  CHECK(config.cta == TileShape{128, 128, 64});
  CHECK(config.cluster == ClusterShape{2, 1});
  CHECK(to_string(config.raster) == "hilbert");
  CHECK(config.stages == 3);
  CHECK(config.group_schedule == GroupSchedule::HostPrecompute);
  CHECK(config.problem_order == ProblemOrder::Lpt);
  const ConfigRequest request = parse_config("group_schedule=dynamic");
  CHECK(complete_config(request, group, testing::h200()).group_schedule == GroupSchedule::Dynamic);
  const std::string refused = testing::error_message_of([&] {
    complete_config(parse_config("group_schedule=dynamic,problem_order=lpt"), group,
                    testing::h200());
  });
  CHECK(testing::contains(refused, "packed products only in the given order"));
}

}  // namespace
}  // namespace tilewright
