#include "tile/legality.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using namespace tilewright;

namespace {

DeviceSpec hopper() {
  DeviceSpec device;
  device.name = "test";
  device.compute_major = 9;
  device.sm_count = 132;
  device.smem_per_cta_bytes = 232448;
  device.registers_per_sm = 65536;
  device.max_cluster_size = 8;
  return device;
}

TileConfig legal_config() {
  TileConfig config;
  config.cta = {128, 256, 64};
  config.stages = 3;
  config.raster = parse_raster("swizzle-merge:8");
  return config;
}

const Problem kProblem{.shape = {4096, 4096, 4096}};

std::string rule(const Problem& problem, const TileConfig& config,
                 const DeviceSpec& device = hopper()) {
  const auto rejection = reject_config(problem, config, device);
  if (!rejection) return "";
  CHECK_FALSE(rejection->reason.empty());
  return rejection->rule;
}

}  // namespace

TEST_CASE("a good config is legal") {
  CHECK(rule(kProblem, legal_config()) == "");
}

TEST_CASE("tiles are divided where their parts can meet, and refused by name where not") {
  struct Case {
    const char* decomposition;
    const char* rule;
    TileShape cta = {128, 128, 64};
    ClusterShape cluster = {1, 1};
    KernelSchedule schedule = KernelSchedule::Cooperative;
    GemmShape shape = {512, 512, 4096};
    std::optional<DataType> output = {};
  };
  const KernelSchedule ping_pong = KernelSchedule::PingPong;
  for (const Case& c : {
           Case{"split-k:8", ""},
           Case{"split-k:64:workspace", ""},
           Case{"split-k:1", "decomposition"},
           Case{"split-k:65", "decomposition"},  // more slices than k-steps
           Case{"split-k:2:cluster", ""},
           Case{"split-k:8:cluster", ""},
           Case{"split-k:16:cluster", "reduction"},  // of at most 8 CTAs
           Case{"split-k:3:cluster", "reduction"},   // no even shares of 128 columns
           Case{"split-k:2:cluster", "reduction", {128, 128, 64}, {2, 1}},
           Case{"split-k:2:cluster", "reduction", {64, 128, 64}, {1, 1}, ping_pong},
           Case{"split-k:4:serial-tma", "", {128, 112, 64}, {2, 1}, ping_pong},
           Case{"split-k:4:serial-tma", "registers", {128, 128, 64}, {2, 1}, ping_pong},
           Case{"split-k:2", "registers", {256, 192, 64}},
           Case{"split-k:2", "", {256, 128, 64}},
           Case{"stream-k", "registers", {256, 128, 64}},
           Case{"stream-k:all:atomic", "", {128, 128, 64}, {1, 2}},
           // Bulk copies go through the store buffers, which fp32 results do without.
           Case{"split-k:4:atomic-tma",
                "reduction",
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {512, 512, 4096},
                DataType::F32},
           Case{"split-k:4:atomic",
                "",
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {512, 512, 4096},
                DataType::F32},
           Case{"split-k:16:workspace",
                "reduction",  // 4 GiB of partial sums
                {128, 128, 64},
                {1, 1},
                KernelSchedule::Cooperative,
                {8192, 8192, 8192}},
       }) {
    TileConfig config;
    config.cta = c.cta;
    config.cluster = c.cluster;
    config.stages = 3;
    config.schedule = c.schedule;
    config.decomposition = parse_decomposition(c.decomposition);
    CAPTURE(c.decomposition);
    CAPTURE(to_string(config));
    CHECK(rule({.shape = c.shape, .out_dtype = c.output}, config) == c.rule);
  }
}

TEST_CASE("every rule rejects its own mistake") {
  DeviceSpec ampere = hopper();
  ampere.compute_major = 8;
  CHECK(rule(kProblem, legal_config(), ampere) == "architecture");
  for (const TileShape cta : {TileShape{32, 128, 64},
                              {512, 128, 64},
                              {128, 4, 64},
                              {128, 264, 64},
                              {128, 100, 64},
                              {128, 128, 32},
                              {0, 128, 64}}) {
    TileConfig config = legal_config();
    config.cta = cta;
    CAPTURE(to_string(cta));
    CHECK(rule(kProblem, config) == "tile-shape");
  }
  for (const ClusterShape cluster : {ClusterShape{2, 2}, {3, 1}, {4, 1}, {0, 1}}) {
    TileConfig config = legal_config();
    config.cluster = cluster;
    CHECK(rule(kProblem, config) == "cluster");
  }
  TileConfig config = legal_config();
  config.stages = 5;
  CHECK(rule(kProblem, config) == "shared-memory");
  config.stages = 1;
  CHECK(rule(kProblem, config) == "shared-memory");
  config = legal_config();
  config.cta = {256, 256, 64};
  config.stages = 2;
  CHECK(rule(kProblem, config) == "registers");
  config = legal_config();
  config.raster = parse_raster("swizzle-merge:33");
  CHECK(rule(kProblem, config) == "raster");
  config.raster = parse_raster("swizzle-merge:17@n");
  CHECK(rule(kProblem, config) == "raster");
  config = legal_config();
  config.cluster = {2, 1};
  CHECK(rule({.shape = {128, 4096, 64}}, config) == "wave");
}

TEST_CASE("a factor as large as its axis is still a raster of its own") {
  TileConfig config = legal_config();
  config.raster = parse_raster("swizzle-merge:32");
  CHECK(rule(kProblem, config) == "");
  config.raster = parse_raster("swizzle-merge:8,16");
  CHECK(rule(kProblem, config) == "");
  config.raster = parse_raster("swizzle-merge:8,17");
  CHECK(rule(kProblem, config) == "raster");
}

TEST_CASE("rows that TMA cannot address are copied first, and D of such rows is written directly") {
  for (int64_t size = 1; size <= 40; ++size) {
    const bool addressable = 2 * size % 16 == 0;
    CAPTURE(size);
    const Problem along_k{.shape = {64, 64, size}};
    CHECK(repacked_operands(along_k) == Repacked{!addressable, !addressable});
    Problem along_m{.shape = {size, 64, 64}, .layout = MatrixLayout::NN};
    CHECK(repacked_operands(along_m) == Repacked{!addressable, false});
    Problem along_n{.shape = {64, size, 64}, .layout = MatrixLayout::TT};
    CHECK(repacked_operands(along_n) == Repacked{false, !addressable});
    const TileConfig config = legal_config();
    CHECK(kernel_params(config, along_n).direct_store == !addressable);
    CHECK(rule({.shape = {4096, 4096, 4096 + size}}, config) == "");
  }
}

TEST_CASE("the slots of the largest problems are counted without overflow") {
  TileConfig config = legal_config();
  config.cta = {64, 64, 64};
  CHECK(rule({.shape = {2147483647, 2147483640, 64}}, config) == "wave");
}
