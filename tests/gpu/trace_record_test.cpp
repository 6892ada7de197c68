// The kernel's own trace - which CTA computed which tile, and when - against the host's schedule.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "gpu/measure/cuda_runner.hpp"
#include "support/gpu_bench.hpp"
#include "support/random_configs.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/grid_proof.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

Contender contender_of(const std::string& text) {
  const ConfigRequest r = parse_config(text);
  const TileConfig config{.cta = r.values.cta,
                          .cluster = r.values.cluster,
                          .stages = 4,
                          .schedule = r.values.schedule,
                          .raster = r.values.raster,
                          .l2_promotion_bytes = 128};
  return {.name = to_string(config), .config = config, .reference_algorithm = -1};
}

// Compares the records with the host's tile_map, one by one.
void check_against_schedule(const Problem& problem, const TileConfig& config,
                            const std::vector<TraceRecord>& records) {
  const TileCoord tiles = tile_grid(problem.shape, config.cta);
  const TileCoord clusters = cluster_grid(problem.shape, config);
  const std::vector<TileCoord> order = raster_order(cluster_raster(config), clusters);
  const size_t cluster_size = static_cast<size_t>(config.cluster.m * config.cluster.n);
  REQUIRE(records.size() == order.size() * cluster_size);
  std::set<std::pair<int, int>> computed;
  std::map<int, std::set<int>> sms_of_cta;
  for (size_t i = 0; i < records.size(); ++i) {
    const TraceRecord& r = records[i];
    const TileCoord cluster = order[i / cluster_size];
    const int rank = static_cast<int>(i % cluster_size);
    CHECK(r.slot == static_cast<int>(i / cluster_size));
    CHECK(r.m == cluster.m * config.cluster.m + (config.cluster.m == 2 ? rank : 0));
    CHECK(r.n == cluster.n * config.cluster.n + (config.cluster.n == 2 ? rank : 0));
    CHECK(r.inside == tw::is_inside(tiles, {r.m, r.n}));
    CHECK(r.cta % static_cast<int>(cluster_size) == rank);
    CHECK(r.start_ns <= r.end_ns);
    if (r.inside) CHECK(computed.insert({r.m, r.n}).second);
    sms_of_cta[r.cta].insert(r.sm);
  }
  CHECK(computed.size() == static_cast<size_t>(tiles.m) * static_cast<size_t>(tiles.n));
  for (const auto& cta : sms_of_cta) CHECK(cta.second.size() == 1);
}

TEST_CASE("the trace equals the host schedule, for every raster, cluster and schedule") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{13 * 128 - 5, 10 * 128, 512}, {DataType::BF16}};
  runner->prepare(problem);
  for (const char* const raster :
       {"row", "col", "split-merge:4", "split-merge:4@n", "split-merge:4x3", "swizzle-merge:4",
        "swizzle-merge:4,2@n", "triton:4", "snake:3", "hilbert", "morton", "cutlass2:4",
        "cutlass3:4", "cutlass-dsl:4@n"}) {
    for (const char* const cluster : {"1x1", "2x1", "1x2"}) {
      for (const char* const schedule : {"cooperative", "pingpong"}) {
        const Contender contender = contender_of(std::string("cta=128x128x64,cluster=") + cluster +
                                                 ",schedule=" + schedule + ",raster=" + raster);
        CAPTURE(contender.name);
        REQUIRE(runner->verify(contender).ok);
        check_against_schedule(problem, *contender.config, runner->trace(contender).records);
      }
    }
  }
}

// The work of every CTA, in the order of its records.
std::vector<std::vector<WorkTile>> traced_work(const std::vector<TraceRecord>& records, int ctas) {
  std::vector<std::vector<WorkTile>> lists(static_cast<size_t>(ctas));
  for (const TraceRecord& r : records) {
    if (!r.inside) continue;
    lists[static_cast<size_t>(r.cta)].push_back({0, r.m, r.n, r.k_begin, r.k_end});
  }
  return lists;
}

// The second kernel, which sums, ran if the plan has one, and ended after the first.
void check_second(const KernelTrace& trace, bool sums_later) {
  REQUIRE(trace.second.has_value() == sums_later);
  if (!sums_later) return;
  uint64_t last_ns = 0;
  for (const TraceRecord& r : trace.records) last_ns = std::max(last_ns, r.end_ns);
  CHECK(trace.second->start_ns < trace.second->end_ns);
  CHECK(trace.second->end_ns > last_ns);
}

TEST_CASE("each CTA computes the splits of the host's schedule, in its order") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{13 * 128 - 5, 11 * 128, 20 * 64 - 8}, {DataType::BF16}};
  runner->prepare(problem);
  for (const char* const config :
       {"cluster=1x1,decomposition=split-k:3", "cluster=2x1,decomposition=split-k:4:atomic",
        "cluster=1x1,decomposition=split-k:2:workspace,schedule=pingpong",
        "cluster=1x1,decomposition=split-k:4:cluster", "cluster=1x1,decomposition=stream-k",
        "cluster=1x2,decomposition=stream-k:one-tile:serial-tma",
        "cluster=1x1,decomposition=stream-k:all:atomic-tma,schedule=pingpong"}) {
    Contender contender = contender_of(format("cta=128x128x64,raster=swizzle-merge:4,{}", config));
    contender.config->decomposition = parse_config(config).values.decomposition;
    CAPTURE(config);
    const Verification verification = runner->verify(contender);
    CHECK_MESSAGE(verification.ok, verification.detail);
    const KernelTrace trace = runner->trace(contender);
    const std::vector<TraceRecord>& records = trace.records;
    int ctas = 0;
    for (const TraceRecord& r : records) ctas = std::max(ctas, r.cta + 1);
    const Plan plan = make_plan(problem, *contender.config, {}, {.ctas = ctas, .resident = ctas});
    CHECK(traced_work(records, ctas) == assignments(plan));
    check_second(trace, tw::sums_later(plan.reduction));
  }
}

TEST_CASE("an sm80 kernel records every split of a tile, and the kernel that sums them") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{13 * 64 - 5, 11 * 64, 20 * 64 - 8}, {DataType::BF16}};
  runner->prepare(problem);
  for (const char* const decomposition : {"data-parallel", "split-k:4", "split-k:4:workspace"}) {
    CAPTURE(decomposition);
    const TileConfig config = config_of(
        parse_config(format("family=sm80,cta=64x64x64,warps=2x2,stages=3,smem=fitted,raster=row,"
                            "decomposition={}",
                            decomposition)));
    const KernelTrace trace = runner->trace({.name = to_string(config), .config = config});
    const Plan plan = make_plan(problem, config, testing::h200());
    CHECK(traced_work(trace.records, static_cast<int>(plan.ctas())) == assignments(plan));
    check_second(trace, tw::sums_later(plan.reduction));
  }
}

// Few kernels over many shapes and rasters: each kernel is compiled for its trace.
TEST_CASE("the trace equals the plan for 200 random pairs of shape and config") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  std::mt19937 random(20);
  const std::vector<const char*> kernels = {
      "cta=128x128x64,stages=4,cluster=1x1", "cta=128x256x64,stages=4,cluster=2x1",
      "cta=64x128x64,stages=4,cluster=1x2,swap_ab=true",
      "cta=128x112x64,stages=4,cluster=1x1,schedule=pingpong", "cta=64x64x64,stages=4,cluster=2x2"};
  const std::vector<const char*> decompositions = {"data-parallel",
                                                   "data-parallel",
                                                   "split-k:2",
                                                   "split-k:3:workspace",
                                                   "split-k:4:atomic",
                                                   "split-k:2:cluster",
                                                   "split-k:3:reduce-scatter",
                                                   "stream-k:workspace",
                                                   "stream-k:all:atomic"};
  const std::vector<const char*> rasters = {"row", "swizzle-merge:2", "split-merge:3", "hilbert"};
  int64_t compared = 0;
  while (compared < 200) {
    const auto extent = [&random](int most) { return static_cast<int64_t>(1 + random() % most); };
    const Problem problem{{extent(2600), 8 * extent(300), 8 * extent(300)}, {DataType::BF16}};
    runner->prepare(problem);
    for (int i = 0; i < 10; ++i) {
      TileConfig config =
          config_of(parse_config(std::string("family=sm90,") + testing::pick(kernels, random)));
      config.decomposition = parse_decomposition(testing::pick(decompositions, random));
      config.raster = parse_raster(testing::pick(rasters, random));
      if (reject_config(problem, config, testing::h200())) continue;
      CAPTURE(to_string(problem));
      CAPTURE(to_string(config));
      const std::vector<TraceRecord> records =
          runner->trace({.name = to_string(config), .config = config}).records;
      int ctas = 0;
      for (const TraceRecord& r : records) ctas = std::max(ctas, r.cta + 1);
      const Plan plan = make_plan(problem, config, {}, {.ctas = ctas, .resident = ctas});
      CHECK(traced_work(records, ctas) == assignments(plan));
      ++compared;
    }
  }
  MESSAGE("compared ", compared, " pairs");
}

// 13 x 10 tiles in groups of 4: split-merge visits 160 slots, 30 of them outside the grid;
// swizzle-merge visits 130.
TEST_CASE("nondivisible splits show their extra blocks in the trace, and both results are right") {
  const auto runner = make_cuda_runner(0, testing::h200(), testing::test_cache(), 1);
  const Problem problem{{13 * 128, 10 * 128, 1024}, {DataType::BF16}};
  runner->prepare(problem);
  const std::pair<const char*, std::pair<size_t, size_t>> kCases[] = {
      {"split-merge:4", {160, 30}}, {"swizzle-merge:4", {130, 0}}};
  for (const auto& [raster, expected] : kCases) {
    const Contender contender =
        contender_of(std::string("cta=128x128x64,cluster=1x1,raster=") + raster);
    const Verification verification = runner->verify(contender);
    CHECK_MESSAGE(verification.ok, verification.detail);
    const std::vector<TraceRecord> records = runner->trace(contender).records;
    size_t overhang = 0;
    for (const TraceRecord& r : records) overhang += r.inside ? 0 : 1;
    CHECK(records.size() == expected.first);
    CHECK(overhang == expected.second);
  }
}

}  // namespace
}  // namespace tilewright
