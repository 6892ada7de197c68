// Groups of products in one launch, against float64: packed rows of many sizes, unwritten rows of
// neighbours, and the kernel's own trace against the plan.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/group_trials.hpp"
#include "support/random_configs.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

const std::vector<std::string> kTiles = {"cta=128x128x64,cluster=1x1",
                                         "cta=128x256x64,cluster=2x1",
                                         "cta=64x128x64,cluster=1x2",
                                         "cta=256x128x64,cluster=1x1",
                                         "cta=128x96x64,schedule=pingpong",
                                         "cta=192x64x64,schedule=pingpong",
                                         "cta=128x32x64,swap_ab=true",
                                         "cta=256x64x64,swap_ab=true,cluster=2x1",
                                         "cta=128x24x64,swap_ab=true,cluster=1x2",
                                         "cta=128x48x64,swap_ab=true,schedule=pingpong",
                                         "cta=64x64x64,cluster=2x4",
                                         "cta=64x32x64,swap_ab=true,cluster=4x2"};

const std::vector<std::string> kSchedules = {"device-only", "host-precompute", "dynamic",
                                             "host-precompute lpt"};

TileConfig grouped_config(const std::string& tile, const std::string& schedule,
                          const std::string& raster) {
  TileConfig config = testing::sm90_config(tile, 3);
  const std::vector<std::string_view> words = split(schedule, ' ');
  config.group_schedule = parse_group_schedule(words.front());
  if (words.size() > 1) config.problem_order = parse_problem_order(words.back());
  config.raster = parse_raster(raster);
  return config;
}

// Every tile, each with another schedule and raster.
std::vector<TileConfig> legal_tiles(const Workload& group, size_t turn) {
  const std::vector<std::string> rasters = {"row", "col", "swizzle-merge:4", "split-merge:2@n",
                                            "hilbert"};
  std::vector<TileConfig> configs;
  for (size_t i = 0; i < kTiles.size(); ++i) {
    const size_t at = turn + i;
    configs.push_back(grouped_config(kTiles[i], kSchedules[at % kSchedules.size()],
                                     rasters[at % rasters.size()]));
    if (reject_workload(group, configs.back(), testing::h200())) configs.pop_back();
  }
  return configs;
}

testing::GroupTrial packed_trial(const Workload& group, size_t turn,
                                 const std::vector<Scaling>& scalings = {Scaling{}}) {
  const std::vector<TileConfig> configs = legal_tiles(group, turn);
  REQUIRE(configs.size() >= kTiles.size() / 2);
  return {group, testing::launches_of(configs, scalings)};
}

TEST_CASE("a group computes the same as its products, for any rows") {
  const std::vector<int64_t> one_hot = {0, 0, 0, 2000, 0, 0};
  std::vector<int64_t> zipf;
  for (int i = 0; i < 64; ++i) zipf.push_back(400 / (i + 1));
  std::vector<int64_t> ones(256, 1);
  std::vector<int64_t> some_of_256(256, 0);
  for (size_t i = 0; i < some_of_256.size(); i += 7) some_of_256[i] = static_cast<int64_t>(i);
  const std::vector<std::vector<int64_t>> all = {
      {128, 128},  {1, 129, 0, 63, 64, 65}, one_hot,    zipf, ones,
      some_of_256, {300, 0, 0, 1, 0},       {0, 0, 517}};
  std::vector<testing::GroupTrial> trials;
  for (const std::vector<int64_t>& rows : all) {
    trials.push_back(packed_trial(testing::packed_group(rows, 264, 200), trials.size()));
  }
  testing::check_group_trials(trials);
}

TEST_CASE("groups scale, add C, store fp32 and rows that TMA cannot store") {
  const std::vector<int64_t> rows = {100, 0, 65, 129, 7, 256};
  std::vector<testing::GroupTrial> trials;
  for (const char* const out : {"bf16", "f32"}) {
    for (const int64_t n : {264, 301}) {
      Workload group = testing::packed_group(rows, n, 136);
      if (std::string(out) == "f32") group.kind.epilogue.out_dtype = DataType::F32;
      trials.push_back(packed_trial(group, static_cast<size_t>(n), {Scaling{}, Scaling{-2, 0.5F}}));
    }
  }
  testing::check_group_trials(trials);
}

TEST_CASE("random groups compute right") {
  std::mt19937 random(16);
  std::vector<testing::GroupTrial> trials;
  for (int i = 0; i < 6; ++i) {
    const size_t products = 2 + random() % 60;
    const int64_t n = 8 * (1 + static_cast<int64_t>(random() % 100));
    const int64_t k = 8 * (1 + static_cast<int64_t>(random() % 60));
    trials.push_back(
        packed_trial(testing::packed_group(testing::random_rows(products, 400, random), n, k),
                     static_cast<size_t>(i)));
  }
  testing::check_group_trials(trials);
}

// By the offsets on the device only the first products have rows, but the launch is planned for
// all. The rows after them must keep their poison, although D's tensor map covers them.
TEST_CASE("rows are read on the device, and the last tile writes no rows beyond them") {
  const std::vector<int64_t> rows = {70, 0, 1, 127, 129, 33, 200};
  const Workload all = testing::packed_group(rows, 256, 128);
  testing::GroupBench bench(all);
  for (const std::string& tile : kTiles) {
    const TileConfig config = grouped_config(tile, "device-only", "row");
    if (reject_workload(all, config, testing::h200())) continue;
    CAPTURE(to_string(config));
    for (size_t count = 0; count <= rows.size(); ++count) {
      CAPTURE(count);
      std::vector<int> offsets(rows.size() + 1);
      for (size_t i = 0; i < rows.size(); ++i) {
        offsets[i + 1] = offsets[i] + (i < count ? static_cast<int>(rows[i]) : 0);
      }
      bench.poison();
      if (count % 2 == 0) {
        bench.launch(config, offsets);
      } else {
        bench.launch(config, std::vector<long long>(offsets.begin(), offsets.end()));
      }
      std::vector<uint16_t> d(static_cast<size_t>(total_rows(all)) * 256);
      copy_to_host(d.data(), bench.operands().d, d.size() * 2);
      const auto first_behind = d.begin() + offsets.back() * 256;
      CHECK(std::count(d.begin(), first_behind, 0xFFFF) == 0);
      CHECK(std::count(first_behind, d.end(), 0xFFFF) == d.end() - first_behind);
    }
  }
}

// The number of rows from `first` on that no launch wrote.
int64_t rows_left(const testing::GroupBench& bench, int64_t first) {
  const int64_t n = bench.group().shapes.front().n;
  std::vector<uint16_t> d(static_cast<size_t>(total_rows(bench.group()) * n));
  copy_to_host(d.data(), bench.operands().d, d.size() * 2);
  return std::count(d.begin() + first * n, d.end(), 0xFFFF) / n;
}

TEST_CASE("a captured launch replays with the offsets then in device memory") {
  const std::vector<int64_t> rows = {70, 129, 0, 33};
  const Workload all = testing::packed_group(rows, 256, 128);
  testing::GroupBench bench(all);
  for (const char* const schedule : {"device-only", "dynamic"}) {
    const TileConfig config = grouped_config(kTiles.front(), schedule, "row");
    const Plan plan = make_plan(all, config, testing::h200());
    bench.kernels().launch(plan, {.operands = bench.operands()});  // loads, and makes the workspace
    TW_CHECK(cudaDeviceSynchronize());
    const DeviceBuffer offsets(5 * sizeof(int));
    OperandSet set = bench.operands();
    set.offsets = offsets.get();
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    TW_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    bench.kernels().launch(plan, {.operands = set, .stream = stream});
    TW_CHECK(cudaStreamEndCapture(stream, &graph));
    TW_CHECK(cudaGraphInstantiate(&replay, graph, 0));
    for (const std::vector<int>& now :
         {std::vector<int>{0, 70, 199, 199, 232}, {0, 0, 0, 0, 0}, {0, 1, 1, 130, 131}}) {
      CAPTURE(now.back());
      copy_to_device(offsets.get(), now.data(), offsets.bytes());
      bench.poison();
      TW_CHECK(cudaDeviceSynchronize());  // the graph's stream does not wait
      TW_CHECK(cudaGraphLaunch(replay, stream));
      TW_CHECK(cudaStreamSynchronize(stream));
      CHECK(rows_left(bench, 0) == total_rows(all) - now.back());
      CHECK(rows_left(bench, now.back()) == total_rows(all) - now.back());
    }
    TW_CHECK(cudaGraphExecDestroy(replay));
    TW_CHECK(cudaGraphDestroy(graph));
    TW_CHECK(cudaStreamDestroy(stream));
  }
}

// Divided tiles, with parts from the host's table.
const std::vector<std::string> kDividedRows = {
    "cta=64x64x64,group_schedule=host-precompute,decomposition=split-k:8:atomic",
    "cta=128x128x64,raster=swizzle-merge:4,group_schedule=host-precompute,"
    "decomposition=split-k:3:serial",
    "cta=64x128x64,cluster=1x2,raster=hilbert,group_schedule=host-precompute,problem_order=lpt,"
    "decomposition=split-k:4:atomic",
    "cta=128x96x64,schedule=pingpong,group_schedule=host-precompute,decomposition=split-k:2:serial",
    "cta=256x32x64,swap_ab=true,group_schedule=host-precompute,problem_order=k-descending,"
    "decomposition=split-k:5:atomic",
    "cta=128x48x64,swap_ab=true,cluster=2x1,group_schedule=host-precompute,"
    "decomposition=split-k:7:serial"};

// The last launch of a trial finds the turns and zeros that the others left.
TEST_CASE("packed rows and batches are divided") {
  std::mt19937 random(18);
  std::vector<Workload> groups = {
      testing::packed_group(std::vector<int64_t>(16, 64), 64, 8192),
      testing::packed_group({300, 0, 7, 129, 64, 1}, 264, 2048),
      testing::packed_group(testing::random_rows(40, 300, random), 136, 1000),
      testing::packed_group(std::vector<int64_t>(5, 100), 301, 1608)};
  std::vector<testing::GroupTrial> trials;
  std::vector<testing::GroupTrial> traced;
  for (Workload& group : groups) {
    for (const bool fp32 : {false, true}) {
      if (fp32) group.kind.epilogue.out_dtype = DataType::F32;
      const std::vector<TileConfig> configs = testing::legal_configs(group, kDividedRows, 3);
      CHECK(configs.size() >= 3);  // threads that store D leave the largest tiles no registers
      trials.push_back(
          {group, testing::launches_of(configs, {Scaling{}, Scaling{-2, 0.5F}, Scaling{}})});
      if (!fp32) traced.push_back({group, testing::launches_of(configs)});
    }
  }
  CHECK(testing::check_group_trials(trials) > 60);
  testing::check_group_traces(traced);
}

TEST_CASE("the kernel's trace of random groups equals the plan") {
  std::mt19937 random(17);
  std::vector<testing::GroupTrial> trials;
  for (int i = 0; i < 8; ++i) {
    const Workload group =
        testing::packed_group(testing::random_rows(2 + random() % 80, 700, random),
                              8 * (1 + static_cast<int64_t>(random() % 200)), 72);
    trials.push_back({group, testing::launches_of(legal_tiles(group, static_cast<size_t>(i)))});
  }
  CHECK(testing::check_group_traces(trials) > 40);
}

}  // namespace
}  // namespace tilewright
