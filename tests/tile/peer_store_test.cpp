// The memory that GPUs give each other holds every part that the map places, twice, and no more.
#include "tile/plan/peer_store.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/devices.hpp"
#include "support/sm90_configs.hpp"

using namespace tilewright;

namespace {

Plan plan(Collective collective, int gpus, const GemmShape& whole, const std::string& config) {
  DeviceSpec host = testing::h200();
  host.gpus = gpus;
  Workload workload;
  workload.parallel = {collective, gpus};
  workload = with_shapes(workload, {whole});
  return make_plan(workload, testing::sm90_config(config, 4), host);
}

TEST_CASE("a reduce-scatter's parts fill the memory twice, each with a flag a warpgroup") {
  for (const int gpus : {2, 3, 4}) {
    for (const char* const config :
         {"cta=128x128x64", "cta=64x256x64,cluster=1x2,parts=bf16",
          "cta=128x64x64,schedule=pingpong", "cta=192x96x64,parts=bf16"}) {
      const Plan p = plan(Collective::ReduceScatter, gpus,
                          {int64_t{768} * gpus, 1000, int64_t{64} * gpus}, config);
      const TileCoord tiles = launched_tiles(p);
      int last = 0;
      for (int source = 0; source < gpus; ++source) {
        const tw::PeerBlocks blocks = peer_blocks_of(p.workload, p.config, source);
        for (int m = 0; m < tiles.m; ++m) {
          if (tw::owner_of_row(blocks, tiles.m, m) == source) continue;
          for (int n = 0; n < tiles.n; ++n) {
            last = std::max(last, tw::part_index(blocks, tiles, {m, n}, source));
          }
        }
      }
      const PeerStore store = peer_store(p);
      CHECK(store.data_bytes == (last + 1) * bytes_of_part(p));
      const auto& params = std::get<tw::Sm90Params>(p.kernel);
      CHECK(store.flags == (last + 1) * params.warpgroups_per_tile());
      CHECK(store.data_at() >= store.flags * 4);
      CHECK(store.data_at() % 256 == 0);
    }
  }
}

TEST_CASE("an all-gather needs all rows of A, and a flag for each block") {
  const PeerStore store =
      peer_store(plan(Collective::AllGather, 4, {2048, 1024, 640}, "cta=128x128x64,chunks=2"));
  CHECK(store == PeerStore{.flags = 8, .data_bytes = 2048 * 640 * 2});
  CHECK(store.bytes() == 256 + 2048 * 640 * 2);
}

TEST_CASE("the parts of K of a block of rows are whole k-steps, and together all of its bytes") {
  for (const int64_t k : {640, 600, 72}) {
    const Plan p =
        plan(Collective::AllGather, 4, {2048, 1024, k}, "cta=128x128x64,chunks=2,k_chunks=2");
    CHECK(peer_store(p).flags == 16);
    const int64_t steps = (k + 63) / 64;
    const tw::Span<int64_t> first = bytes_of_row_part(p, 0);
    const tw::Span<int64_t> second = bytes_of_row_part(p, 1);
    CHECK(first.begin == 0);
    CHECK(first.end == (steps + 1) / 2 * 64 * 2);
    CHECK(second.begin == first.end);
    CHECK(second.end == k * 2);
    CHECK(bytes_of_sent(p, 0) + bytes_of_sent(p, 1) == bytes_of_rows(p) / 2);
    CHECK(bytes_of_sent(p, 1) == 2048 / 4 / 2 * second.size());
  }
}

TEST_CASE("one GPU gives nothing") {
  CHECK(peer_store(make_plan(Problem{{512, 512, 512}}, testing::sm90_config("cta=128x128x64", 4),
                             testing::h200())) == PeerStore{});
}

}  // namespace
