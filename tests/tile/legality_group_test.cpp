// Legality of groups, and the rules that reject others.
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/devices.hpp"
#include "support/refusal.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::refusal;
using testing::refuses;

Workload group_of(const std::string& shapes) {
  return {.shapes = parse_shapes(shapes, MatrixOp::Gemm)};
}

TEST_CASE("groups that differ in M alone run, empty products among them") {
  const char* const tile = "cta=128x128x64";
  CHECK(refusal(group_of("128x256x64,0x256x64,1x256x64"), tile).empty());
  CHECK(refuses(group_of("0x256x64,0x256x64"), tile, "no product of the group has an element"));
  CHECK(refuses(group_of("8x256x60,8x256x60"), tile, "8x256x60 bf16 tn: TMA addresses rows"));
  Workload other = group_of("128x256x64,64x256x64");
  other.kind.epilogue.bias = true;
  CHECK(refuses(other, tile, "bias"));
  other = {.op = MatrixOp::Syrk, .shapes = {{64, 64, 64}, {0, 0, 64}, {264, 264, 72}}};
  CHECK(refusal(other, tile).empty());
  CHECK(refusal(other, "cta=128x128x64,group_schedule=dynamic,problem_order=lpt").empty());
  other.shapes.push_back({64, 64, 60});
  CHECK(refuses(other, tile, "operation: K = 60"));
}

TEST_CASE("groups with per-problem shapes are legal in every layout that TMA can address") {
  const char* const tile = "cta=128x128x64";
  for (const char* const shapes :
       {"128x256x64,128x128x64", "128x256x64,128x256x128", "8x256x0,8x256x0", "1x8x8,0x7x9"}) {
    CHECK(refusal(group_of(shapes), tile).empty());
  }
  Workload other = group_of("128x256x64,64x256x64");
  for (const MatrixLayout layout : {MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
    other.kind.layout = layout;
    CHECK(refusal(other, tile).empty());
  }
  // In layout nt the columns of A are contiguous.
  other = group_of("100x256x64,64x256x60");
  other.kind.layout = MatrixLayout::NT;
  CHECK(refuses(other, tile, "100x256x64 bf16 nt: TMA addresses rows"));
  CHECK(refuses(group_of("1x8x8,8x8x9"), tile, "8x8x9 bf16 tn: TMA addresses rows"));
}

TEST_CASE("the rules of a group's configs") {
  const Workload group = group_of("1000x256x512,0x256x512,30x256x512");
  CHECK(refusal(group, "cta=128x128x64,group_schedule=host-precompute,problem_order=lpt").empty());
  CHECK(refuses(group, "cta=128x128x64,problem_order=lpt", "host-precompute, which sorts them"));
  // A list of products may have any order.
  CHECK(refusal(group_of("8x256x64,8x8x512"), "cta=128x128x64,problem_order=lpt").empty());
  CHECK(refusal(group, "cta=128x128x64,group_schedule=dynamic").empty());
  CHECK(refuses(group, "cta=128x128x64,decomposition=split-k:2", "group_schedule=host-precompute"));
  CHECK(refuses(group, "cta=128x128x64,decomposition=stream-k", "data-parallel, or by split-k"));
  CHECK(refuses(group, "cta=256x160x64", "registers: cta 256x160x64 (cooperative) holds 160"));
  // The product with the most rows decides for all.
  CHECK(refusal(group, "cta=128x128x64,cluster=4x1").empty());
  CHECK(refuses(group, "cta=128x128x64,cluster=1x4", "wave: "));
  TileConfig sm80 = config_of(parse_config("family=sm80,cta=64x64x64,warps=2x2,stages=3"));
  CHECK(reject_workload(group, sm80, testing::h200())->rule == "group");
}

// The plan counts every product; the rule may check an upper bound from the largest product first.
TEST_CASE("a group is refused for its number of units exactly where its plan has that many") {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max() / 4;
  int refused = 0;
  for (const int64_t columns : {64, 40'000, 2'000'000}) {
    for (const int64_t rows : {1, 5000, 900'000}) {
      for (const int products : {2, 7, 300}) {
        Workload group;
        for (int i = 0; i < products; ++i) {
          group.shapes.push_back({rows / (i + 1), columns / (i % 2 + 1) / 8 * 8, 512});
        }
        for (const char* const keys :
             {"raster=row", "raster=swizzle-merge:2", "raster=col,group_schedule=dynamic",
              "decomposition=split-k:4:serial,group_schedule=host-precompute"}) {
          const std::string text = std::string("cta=64x64x64,stages=4,") + keys;
          const TileConfig config = config_of(parse_config(text));
          const int64_t units = make_plan(group, config, testing::h200()).units;
          const auto rejection = reject_workload(group, config, testing::h200());
          if (rejection && rejection->reason.find("more than the kernel") == std::string::npos) {
            continue;
          }
          CAPTURE(units);
          CHECK(rejection.has_value() == (units > kMax));
          refused += rejection ? 1 : 0;
        }
      }
    }
  }
  CHECK(refused > 4);
}

TEST_CASE("many configs are judged as each one alone") {
  const std::vector<Workload> workloads = {
      group_of("1000x256x512,0x256x512,30x256x512"),
      group_of("8x256x64,8x8x512"),
      group_of("0x256x64,0x256x64"),
      {.op = MatrixOp::Syr2k, .shapes = {{512, 512, 256}}},
      {.op = MatrixOp::Syrk, .shapes = {{64, 64, 64}, {0, 0, 128}, {264, 264, 72}}},
      group_of("640x512x256")};
  const DeviceSpec device = testing::h200();
  for (const Workload& workload : workloads) {
    const WorkloadRules rules(workload, device);
    for (const char* const keys :
         {"cta=128x128x64", "cta=256x256x64", "cta=128x128x64,problem_order=lpt",
          "cta=64x32x64,raster=hilbert", "cta=128x128x64,decomposition=split-k:2",
          "cta=128x128x64,cluster=4x1"}) {
      const TileConfig config = config_of(parse_config(std::string(keys) + ",stages=4"));
      CHECK(rules.reject(config) == reject_workload(workload, config, device));
    }
  }
}

TEST_CASE("divided tiles of a group need the host's table and serial or atomic reduction") {
  const Workload deep = group_of("256x256x8192,512x128x512,64x64x64");
  const Workload batch = group_of("16x64x64x8192");
  Workload depths = group_of("256x256x8192,256x256x512");
  depths.kind.layout = MatrixLayout::NT;
  REQUIRE(packing_of(batch) == Packing::Rows);
  REQUIRE(packing_of(depths) == Packing::Depth);
  const std::string keys = "cta=128x128x64,group_schedule=host-precompute,decomposition=split-k:4";
  for (const char* const reduction : {"", ":serial", ":atomic"}) {
    for (const Workload& group : {deep, batch, depths}) {
      CHECK(refusal(group, keys + reduction).empty());
    }
  }
  for (const char* const reduction :
       {":workspace", ":reduce-scatter", ":in-place", ":serial-tma", ":atomic-tma", ":cluster"}) {
    CHECK(refuses(deep, keys + reduction, "the reduction serial or atomic"));
  }
  for (const char* const schedule : {"device-only", "dynamic"}) {
    for (const Workload& group : {deep, batch, depths}) {
      CHECK(refuses(
          group, std::string("cta=128x128x64,decomposition=split-k:4,group_schedule=") + schedule,
          "use group_schedule=host-precompute"));
    }
  }
  CHECK(refuses(deep, "cta=128x256x64,group_schedule=host-precompute,decomposition=split-k:4",
                "leaves room for 112"));
  Workload stored_by_threads = batch;
  stored_by_threads.kind.epilogue.out_dtype = DataType::F32;
  CHECK(refuses(stored_by_threads,
                "cta=128x208x64,group_schedule=host-precompute,decomposition=split-k:4",
                "leaves room for 96"));
  CHECK(refuses(deep, "cta=128x128x64,group_schedule=host-precompute,decomposition=split-k:129",
                "from 2 slices to a tile's 128"));
}

}  // namespace
}  // namespace tilewright
