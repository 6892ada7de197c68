// For every rate of a device's file, there is a launch with a predicted time that depends on it: a
// rate without effect does not belong in the file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/estimate.hpp"
#include "store/device_preset.hpp"
#include "store/rate_keys.hpp"
#include "support/rates.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// A launch, as `tilewright bench PROBLEM --config CONFIG --device h200` predicts it, and rates. A
// change of any of them by a tenth changes the time by at least a thousandth.
struct RateCase {
  const char* problem;
  const char* config;
  std::vector<std::string> rates;
  MatrixOp op = MatrixOp::Gemm;
  Activation activation = Activation::None;
  ProductKind kind = {};
  Collective collective = Collective::None;  // over two GPUs
};

// Operands of 8 bits with these scales.
ProductKind scaled(const char* a, const char* b) {
  ProductKind kind{.dtype = DataType::E4M3};
  kind.epilogue.scale_a = parse_scale(a, Operand::A);
  kind.epilogue.scale_b = parse_scale(b, Operand::B);
  return kind;
}

const std::vector<RateCase>& rate_cases() {
  static const std::vector<RateCase> all = {
      {"64x64x512", "cta=64x64x64,stages=8", {"launch.first_load_sooner_us", "launch.fill_us"}},
      {"64x64x512", "cta=64x64x64,stages=8,schedule=pingpong", {"launch.ping_pong_us"}},
      {"64x64x8192", "cta=64x64x64,stages=8", {"tile.step_clocks"}},
      {"128x128x4096",
       "cta=128x128x64,stages=3",
       {"clock.most_gain", "tile.receive_bytes_per_clock", "tile.miss_clocks"}},
      {"128x32x65536", "cta=128x32x64,stages=8", {"tile.warpgroup_clocks"}},
      {"2x19968x2304", "cta=64x128x64,stages=8", {"l2.zero_row_bytes"}},
      {"1024x1024x4048", "cta=64x128x64,stages=8", {"l2.merged_across_share"}},
      {"1024x1024x4100",
       "cta=64x64x64,cluster=1x4,stages=4",
       {"memory.repack_share", "tile.hit_clocks"}},
      {"2048x2048x256",
       "cta=256x128x64,cluster=4x1,stages=3",
       {"launch.cluster_us", "groups.cluster_fill_share", "tile.multicast_rows",
        "tile.thin_slice_share", "tile.store_clocks"}},
      {"3000x3000x3000",
       "cta=128x128x64,stages=4",
       {"l2.merged_share", "l2.misaligned_row_bytes", "tile.misaligned_row_clocks"}},
      {"7440x2840x88",
       "cta=128x192x64,stages=4,schedule=pingpong",
       {"tile.misaligned_store_clocks"}},
      {"2047x2049x2048",
       "cta=128x136x64,stages=6,schedule=pingpong",
       {"tile.odd_store_bytes_per_clock"}},
      {"3878x16304x152",
       "cta=128x192x64,stages=4,schedule=pingpong",
       {"tile.crossing_store_clocks"}},
      {"4096x4096x1024", "cta=128x128x64,cluster=2x1,stages=4", {"tile.shared_bytes_per_clock"}},
      {"4096x4096x1024", "cta=64x128x64,cluster=2x1,stages=7", {"tile.multicast_share"}},
      {"4096x4096x512", "cta=128x192x64,stages=4,schedule=pingpong", {"tile.hand_over_clocks"}},
      {"4096x4096x512",
       "cta=128x128x64,stages=4,raster=hilbert",
       {"scheduling.hilbert_clocks", "tile.epilogue_bytes_per_clock"}},
      {"4096x4096x512", "cta=128x128x64,stages=4,raster=morton", {"scheduling.morton_clocks"}},
      {"1024x256x512",
       "cta=64x64x64,stages=8,raster=swizzle-merge:8,4",
       {"scheduling.factors_clocks"}},
      {"512x12288x64",
       "cta=64x192x64,stages=4,schedule=pingpong,raster=swizzle-merge:8,4",
       {"scheduling.hidden_share"}},
      {"8192x8192x128", "cta=128x184x64,stages=4,schedule=pingpong", {"memory.shared_sector_us"}},
      {"4096x8192x4096",
       "cta=64x128x64,stages=4,evict_first=ab",
       {"l2.partitions", "l2.evict_first_share", "l2.evict_first_ways", "groups.pace",
        "groups.lone_cta_runs"}},
      {"2048x2048x512",
       "cta=128x256x64,stages=4",
       {"sm.fp32_per_clock"},
       MatrixOp::Gemm,
       Activation::Relu},
      {"2048x2048x512",
       "cta=128x256x64,stages=4",
       {"sm.specials_per_clock"},
       MatrixOp::Gemm,
       Activation::Gelu},
      {"4096x4096x4096",
       "cta=128x192x128,stages=4",
       {"tile.promotion_share"},
       MatrixOp::Gemm,
       Activation::None,
       scaled("block:1x128", "block:128x128")},
      {"4096x4096x4096",
       "cta=64x64x128,stages=8",
       {"tile.scale_clocks", "tile.line_scale_clocks"},
       MatrixOp::Gemm,
       Activation::None,
       scaled("block:1x128", "block:1x128")},
      {"4096x4096x4096",
       "cta=64x160x128,stages=7",
       {"tile.crossing_clocks"},
       MatrixOp::Gemm,
       Activation::None,
       scaled("block:1x128", "block:128x128")},
      {"4096x4096x4096",
       "cta=64x160x128,stages=7",
       {"tile.exchange_clocks"},
       MatrixOp::Gemm,
       Activation::None,
       scaled("block:1x128", "block:1x128")},
      {"4096x4096x512",
       "cta=128x256x64,stages=4",
       {"tile.addend_piece_clocks"},
       MatrixOp::Gemm,
       Activation::None,
       {.epilogue = {.beta = 1}}},
      {"4096x4100x512",
       "cta=128x256x64,stages=4",
       {"tile.addend_clocks"},
       MatrixOp::Gemm,
       Activation::None,
       {.epilogue = {.beta = 1}}},
      {"8192x8192x8192",
       "cta=128x256x64,stages=4",
       {"clock.brief_us", "clock.length_exponent", "clock.least_share"}},
      {"8192x8192x512",
       "cta=128x256x64,stages=4,decomposition=split-k:2:serial",
       {"l2.ways", "l2.write_room", "memory.repeat_share"}},
      {"512x512x16384",
       "cta=128x128x64,stages=4,decomposition=split-k:4:serial",
       {"join.sm90_turn_us", "join.part_bytes_per_us"}},
      {"512x512x1024",
       "cta=128x128x64,stages=4,decomposition=split-k:8:atomic-tma",
       {"join.bulk_us"}},
      {"512x512x16384",
       "cta=128x128x64,stages=4,decomposition=split-k:4:workspace",
       {"clock.idle_exponent"}},
      {"512x512x16384",
       "cta=128x128x64,stages=4,decomposition=split-k:4:reduce-scatter",
       {"join.share_us"}},
      {"512x512x1024",
       "cta=128x128x64,stages=4,decomposition=split-k:8:atomic",
       {"join.meet_us", "join.atomic_bytes_per_us"}},
      {"512x512x1024",
       "cta=128x128x64,stages=4,decomposition=split-k:8:workspace",
       {"join.workspace_bytes_per_us", "join.second_kernel_us"}},
      {"1024x512x64", "cta=64x48x64,stages=6", {"launch.further_cta_us"}},
      {"2048x8192x128",
       "cta=128x128x64,stages=6,schedule=pingpong",
       {"memory.late_write_share", "memory.late_write_room"}},
      {"512x512x1024",
       "cta=128x128x64,stages=4,decomposition=split-k:4:cluster",
       {"join.cluster_meet_us", "join.cluster_bytes_per_us"}},
      {"256x512x512,4096x512x512,100x512x512",
       "cta=64x128x64,stages=4,group_schedule=device-only",
       {"scheduling.search_first_us", "scheduling.search_unit_us"}},
      {"256x512x512,4096x512x512,100x512x512",
       "cta=64x128x64,stages=4,group_schedule=host-precompute",
       {"scheduling.table_first_us", "tile.epilogue_clocks"}},
      {"256x512x512,4096x512x512,100x512x512",
       "cta=64x128x64,stages=4,group_schedule=dynamic",
       {"scheduling.counter_first_us", "scheduling.counter_unit_us"}},
      {"256x512x512,4096x512x512,100x512x512",
       "cta=64x128x64,cluster=2x1,stages=4,group_schedule=dynamic",
       {"scheduling.counter_cluster_unit_us", "tile.late_stages"}},
      {"512x512x512,256x256x1024,256x512x256",
       "cta=64x128x64,stages=4,group_schedule=device-only",
       {"scheduling.own_maps_us", "scheduling.list_us"}},
      {"2048x2048x512",
       "cta=128x192x64,stages=4,raster=swizzle-merge:4",
       {"scheduling.triangle_us"},
       MatrixOp::Syrk},
      {"4096x4096x4096", "family=sm80,cta=128x128x32,warps=2x2,stages=4", {"mma.issue_share"}},
      {"512x512x128", "family=sm80,cta=128x128x32,warps=2x2,stages=4", {"mma.epilogue_clocks"}},
      {"8192x8192x128",
       "family=sm80,cta=128x128x32,warps=2x2,stages=4",
       {"mma.store_bytes_per_clock"}},
      {"2048x2048x4098",
       "family=sm80,cta=128x64x32,warps=2x2,stages=4",
       {"mma.warps_wanted", "mma.narrow_copy_share"}},
      {"1024x1024x4097",
       "family=sm80,cta=128x64x32,warps=2x2,stages=4",
       {"mma.register_copy_share"}},
      {"64x64x4096", "family=sm80,cta=64x64x64,warps=2x2,stages=3", {"mma.latency_us"}},
      {"16x65536x4096", "family=sm80,cta=16x64x64,warps=1x4,stages=4", {"mma.memory_share"}},
      {"2048x2112x1024",
       "family=sm80,cta=64x176x32,warps=4x1,stages=5",
       {"sm.reserved_smem_bytes"}},
      {"64x256x4096",
       "family=sm80,cta=16x64x64,warps=1x4,stages=5,decomposition=split-k:2",
       {"mma.sm80_turn_us"}},
      {"64x256x4096",
       "family=sm80,cta=16x64x64,warps=1x4,stages=5,decomposition=split-k:2:workspace",
       {"mma.second_kernel_us"}},
      {"8x57344x4096", "family=skinny,cta=8x16x32,k_warps=4,stages=1", {"sm.threads"}},
      {"8x28672x4096",
       "family=skinny,cta=16x16x64,k_warps=4,stages=2",
       {"skinny.memory_share", "skinny.latency_us", "skinny.wave_us", "skinny.more_rows_share"}},
      {"8x512x4104",
       "family=skinny,cta=8x16x128,k_warps=8,stages=2",
       {"skinny.cta_bytes_per_us", "skinny.cta_crossing_share", "skinny.start_us"}},
      {"8x28672x4104",
       "family=skinny,cta=8x16x128,k_warps=4,stages=2",
       {"skinny.misaligned_line_share"}},
      {"8x2048x8192",
       "family=skinny,cta=8x16x64,k_warps=4,stages=2,decomposition=split-k:2:workspace",
       {"skinny.arrival_us"}},
      {.problem = "16384x8192x2048",
       .config = "family=sm90,cta=128x256x64,cluster=2x1,stages=4,chunks=4",
       .rates = {"links.store_bytes_per_us"},
       .collective = Collective::ReduceScatter},
      {.problem = "256x256x512",
       .config = "family=sm90,cta=128x128x64,stages=4",
       .rates = {"links.cta_store_bytes_per_us", "links.flag_us"},
       .collective = Collective::ReduceScatter},
      {.problem = "8192x2048x4096",
       .config = "family=sm90,cta=128x256x64,stages=4,chunks=2",
       .rates = {"links.copy_bytes_per_us"},
       .collective = Collective::AllGather},
      {.problem = "256x256x512",
       .config = "family=sm90,cta=128x128x64,stages=4",
       .rates = {"links.copy_us"},
       .collective = Collective::AllGather},
  };
  return all;
}

Workload work_of(const RateCase& rate_case) {
  ProductKind kind = rate_case.kind;
  kind.epilogue.activation = rate_case.activation;
  const Parallel parallel{rate_case.collective, rate_case.collective == Collective::None ? 1 : 2};
  return with_shapes({.op = rate_case.op, .kind = kind, .shapes = {}, .parallel = parallel},
                     parse_shapes(rate_case.problem, rate_case.op));
}

double predicted_us(const RateCase& rate_case, const DeviceSpec& device) {
  const TileConfig config = config_of(parse_config(rate_case.config));
  return estimate(make_plan(work_of(rate_case), config, device), device).us;
}

double moved_share(const RateCase& rate_case, const std::string& rate, const DeviceSpec& device) {
  const double usual = predicted_us(rate_case, device);
  double most = 0;
  for (const double factor : {1.1, 0.9}) {
    DeviceSpec other = device;
    for (const RateKey& key : rate_keys(other)) {
      if (path_of(key) == rate) testing::change(key, factor);
    }
    most = std::max(most, std::abs(predicted_us(rate_case, other) / usual - 1));
  }
  return most;
}

TEST_CASE("every rate of a device file changes the predicted time of some launch") {
  DeviceSpec device = load_device_preset("h200x2");
  std::map<std::string, int> rows;
  for (const RateCase& rate_case : rate_cases()) {
    CAPTURE(std::string(rate_case.problem));
    CAPTURE(std::string(rate_case.config));
    const TileConfig config = config_of(parse_config(rate_case.config));
    CHECK_FALSE(reject_workload(work_of(rate_case), config, device));
    for (const std::string& rate : rate_case.rates) {
      CAPTURE(rate);
      ++rows[rate];
      CHECK(moved_share(rate_case, rate, device) >= 0.001);
    }
  }
  size_t priced = 0;
  for (const RateKey& key : rate_keys(device)) {
    // Measured, but no kernel loads from a peer's memory or adds to it.
    if (key.key == "load_bytes_per_us" || key.key == "add_bytes_per_us") continue;
    CAPTURE(path_of(key));
    ++priced;
    CHECK(rows[path_of(key)] == 1);
  }
  CHECK(rows.size() == priced);
}

}  // namespace
}  // namespace tilewright
