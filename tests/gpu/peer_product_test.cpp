// Products that ranks share against float64: every order and division of their rows, parts of both
// types, epilogues on the owner, launches one behind the other with delays, equal bits, and waits
// that end where a rank never launches.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "support/peer_bench.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

using testing::PeerBench;
using testing::shared_product;

constexpr const char* kSharedTiles[] = {
    "cta=128x256x64,cluster=2x1",       "cta=64x128x64",
    "cta=128x128x64,schedule=pingpong", "cta=64x256x64,schedule=pingpong,cluster=2x1",
    "cta=256x128x64,cluster=1x2",       "cta=64x72x64,raster=hilbert"};
constexpr const char* kRankedOrders[] = {"rank_order=chunks", "rank_order=chunks,chunks=2",
                                         "rank_order=ring,chunks=2", "rank_order=given",
                                         "rank_order=chunks,chunks=4"};

// The configs of these tiles and orders that are legal.
std::vector<TileConfig> configs_for(const Workload& workload, const DeviceSpec& host,
                                    const std::string& more) {
  std::vector<TileConfig> configs;
  for (const char* const tile : kSharedTiles) {
    for (const char* const order : kRankedOrders) {
      const TileConfig config = testing::sm90_config(std::string(tile) + "," + order + more, 3);
      if (!reject_workload(workload, config, host)) configs.push_back(config);
    }
  }
  return configs;
}

// Runs every `stride`-th of them.
void check_all(const Workload& workload, const std::string& more, size_t least, size_t stride = 1) {
  PeerBench bench(workload);
  const std::vector<TileConfig> configs = configs_for(workload, bench.device(), more);
  CHECK(configs.size() >= least);
  for (size_t i = 0; i < configs.size(); i += stride) {
    const Verification result = bench.run(configs[i], 3);
    CHECK_MESSAGE(result.ok, to_string(workload), " ", to_string(configs[i]), ": ", result.detail);
  }
}

TEST_CASE("a reduce-scatter is right in every order, with parts of fp32 and of D's type") {
  check_all(shared_product(Collective::ReduceScatter, 2, {1024, 520, 640}), "", 20);
  check_all(shared_product(Collective::ReduceScatter, 2, {2048, 1000, 1040}), ",parts=bf16", 25);
  check_all(shared_product(Collective::ReduceScatter, 4, {2048, 264, 1024}), ",parts=bf16", 20);
  check_all(shared_product(Collective::ReduceScatter, 3, {1536, 392, 1536}), "", 20);
}

TEST_CASE("an all-gather is right in every order") {
  check_all(shared_product(Collective::AllGather, 2, {1024, 1040, 520}), "", 20);
  check_all(shared_product(Collective::AllGather, 4, {2048, 1056, 264}), "", 20);
  check_all(shared_product(Collective::AllGather, 3, {1536, 1176, 392}), "", 20);
  check_all(shared_product(Collective::AllGather, 2, {1024, 512, 1096}), ",k_chunks=5", 20, 2);
  check_all(shared_product(Collective::AllGather, 4, {2048, 512, 264}), ",k_chunks=4", 20, 3);
}

TEST_CASE("layouts, types and epilogues: bias and activation are applied once, on the owner") {
  for (const MatrixLayout layout :
       {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
    ProductKind kind{.layout = layout};
    kind.epilogue = parse_epilogue("gelu(bias)");
    check_all(shared_product(Collective::ReduceScatter, 2, {1024, 512, 512}, kind), "", 20, 4);
    if (is_k_major_a(layout)) {
      check_all(shared_product(Collective::AllGather, 2, {1024, 512, 512}, kind), "", 20, 4);
    }
  }
  ProductKind half{.dtype = DataType::F16};
  half.epilogue.row_bias = true;
  check_all(shared_product(Collective::ReduceScatter, 2, {1024, 384, 256}, half), ",parts=f16", 20,
            4);
  ProductKind wide;
  wide.epilogue.out_dtype = DataType::F32;
  check_all(shared_product(Collective::ReduceScatter, 2, {1024, 384, 256}, wide), "", 20, 4);
  ProductKind eight{.dtype = DataType::E4M3};
  eight.epilogue.scale_a = parse_scale("row", Operand::A);
  eight.epilogue.scale_b = parse_scale("column", Operand::B);
  PeerBench bench(shared_product(Collective::ReduceScatter, 2, {1024, 512, 1024}, eight));
  const Verification result =
      bench.run(testing::sm90_config("cta=128x128x128,chunks=2,parts=bf16", 3), 2);
  CHECK_MESSAGE(result.ok, result.detail);
}

TEST_CASE("a hundred launches with delays are right, and their bits are equal") {
  const KernelExtras delays{.delays = true};
  for (const char* const parts : {"f32", "bf16"}) {
    PeerBench bench(shared_product(Collective::ReduceScatter, 2, {1024, 512, 512}));
    const TileConfig config =
        testing::sm90_config(std::string("cta=128x128x64,chunks=2,parts=") + parts, 3);
    std::vector<unsigned char> first;
    for (int run = 0; run < 4; ++run) {
      const Verification result = bench.run(config, 25, delays);
      CHECK_MESSAGE(result.ok, parts, ": ", result.detail);
      if (first.empty()) first = bench.output();
      CHECK(bench.output() == first);
    }
  }
}

TEST_CASE("ranks run ahead of each other, and no launch reads what another one received") {
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    for (const int gpus : {2, 4}) {
      PeerBench bench(shared_product(collective, gpus, {1024, 512, 512}));
      for (const char* const order : {"chunks", "ring", "given"}) {
        const TileConfig config =
            testing::sm90_config(std::string("cta=128x128x64,chunks=2,rank_order=") + order, 3);
        // Delays before a part is sent and before it is added.
        const bool sends_parts = collective == Collective::ReduceScatter;
        const Verification result = bench.run_ahead(config, 6, {.delays = sends_parts});
        CHECK_MESSAGE(result.ok, to_string(collective), " over ", gpus, ", ", std::string(order),
                      ": ", result.detail);
      }
    }
  }
}

TEST_CASE("where a rank never launches, the others end and name it, and the next launch is right") {
  PeerBench bench(shared_product(Collective::ReduceScatter, 3, {768, 256, 768}));
  const TileConfig config = testing::sm90_config("cta=64x128x64", 3);
  CHECK(bench.run_without(2, config) == "GPU 0 waited 2 s for GPU 2, which sent nothing");
  const Verification result = bench.run(config);
  CHECK_MESSAGE(result.ok, result.detail);
}

}  // namespace
}  // namespace tilewright
