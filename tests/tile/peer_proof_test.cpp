// Proofs of products that GPUs share: true for every host, order and division, and false for every
// planted fault.
#include "tile/plan/peer_proof.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/devices.hpp"
#include "support/sm90_configs.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;

namespace {

DeviceSpec host() {
  DeviceSpec device = testing::h200();
  device.gpus = tw::kMaxGpus;
  return device;
}

std::vector<Plan> plans(Collective collective, int gpus, const GemmShape& whole,
                        const std::string& config, int64_t ctas = 0) {
  Workload workload;
  workload.parallel = {collective, gpus};
  workload = with_shapes(workload, {whole});
  const TileConfig tile = testing::sm90_config(config, 4);
  REQUIRE_MESSAGE(!reject_workload(workload, tile, host()), config);
  return plans_of_ranks(workload, tile, host(), {.ctas = ctas});
}

TEST_CASE("every part reaches its owner once, and no GPU waits for ever") {
  for (const int gpus : {2, 3, 4, 8}) {
    for (const char* const order :
         {"rank_order=given", "rank_order=ring,chunks=2", "rank_order=chunks",
          "rank_order=chunks,chunks=4", "rank_order=chunks,chunks=2,raster=hilbert",
          "rank_order=ring,cluster=2x1,raster=swizzle-merge:3",
          "cluster=1x2,raster=split-merge:5@n"}) {
      for (const int64_t ctas : {2, 6, 0}) {
        const GemmShape whole{int64_t{512} * gpus, 1320, int64_t{64} * gpus};
        const std::vector<Plan> ranks = plans(Collective::ReduceScatter, gpus, whole,
                                              std::string("cta=64x128x64,") + order, ctas);
        CAPTURE(gpus);
        CAPTURE(order);
        CAPTURE(ctas);
        for (const Plan& rank : ranks) CHECK(prove_schedule(rank).complete);
        const PeerProof proof = prove_peers(ranks);
        CHECK(proof.complete);
        CHECK(proof.ends);
        // Tiles of 64 x 128 in whole clusters, of each of which every other GPU sends a part.
        const int64_t columns = ranks.front().config.cluster.n == 2 ? 12 : 11;
        CHECK(proof.parts == whole.m / 64 * columns * (gpus - 1));
        CHECK(static_cast<int>(proof.links.size()) == gpus * (gpus - 1));
        for (const LinkLoad& link : proof.links)
          CHECK(link.bytes == 512 / 64 * columns * 64 * 128 * 4);
      }
    }
  }
}

TEST_CASE("rows of A cross each link once, whatever the division") {
  for (const char* const order :
       {"rank_order=ring", "rank_order=chunks,chunks=4", "rank_order=ring,chunks=2,k_chunks=3"}) {
    const std::vector<Plan> ranks =
        plans(Collective::AllGather, 4, {2048, 1024, 640}, std::string("cta=128x128x64,") + order);
    const PeerProof proof = prove_peers(ranks);
    CHECK(proof.complete);
    CHECK(proof.ends);
    for (const LinkLoad& link : proof.links) CHECK(link.bytes == 2048 / 4 * 640 * 2);
    CHECK(busiest_link(proof) == proof.links.front());
  }
}

TEST_CASE("a GPU of an all-gather that takes itself for another one leaves rows out") {
  std::vector<Plan> ranks = plans(Collective::AllGather, 3, {1536, 768, 384}, "cta=128x128x64");
  ranks[2].problems.front().map.peers.rank = 1;
  const PeerProof proof = prove_peers(ranks);
  CHECK_FALSE(proof.complete);
  CHECK_FALSE(proof.ends);
  CHECK(proof.missing_count == 2 * ranks.front().config.peers.chunks);
}

TEST_CASE("parts of D's type are half as many bytes") {
  const GemmShape whole{2048, 1024, 1024};
  const auto bytes = [&](const char* parts) {
    return busiest_link(prove_peers(plans(Collective::ReduceScatter, 2, whole,
                                          std::string("cta=128x128x64,parts=") + parts)))
        .bytes;
  };
  CHECK(bytes("f32") == 2048 / 2 * 1024 * 4);
  CHECK(bytes("bf16") == bytes("f32") / 2);
}

TEST_CASE("a GPU that takes itself for another one leaves parts out") {
  std::vector<Plan> ranks = plans(Collective::ReduceScatter, 3, {1536, 512, 768}, "cta=128x128x64");
  ranks[2].problems.front().map.peers.rank = 1;
  const PeerProof proof = prove_peers(ranks);
  CHECK_FALSE(proof.complete);
  CHECK(proof.missing_count > 0);
  CHECK(proof.duplicated_count > 0);
}

TEST_CASE("GPUs that begin with their own rows wait for each other for ever") {
  std::vector<Plan> ranks =
      plans(Collective::ReduceScatter, 2, {1024, 512, 512}, "cta=128x128x64,rank_order=ring", 2);
  for (Plan& rank : ranks) rank.problems.front().map.peers.own_last = false;
  const PeerProof proof = prove_peers(ranks);
  CHECK_FALSE(proof.ends);
  REQUIRE(!proof.stuck.empty());
  CHECK(proof.stuck.front().unit_index == 0);
  CHECK(proof.missing_count > 0);
}

TEST_CASE("a schedule's report has the proof of all GPUs") {
  const std::vector<Plan> ranks =
      plans(Collective::ReduceScatter, 2, {1024, 512, 512}, "cta=128x128x64");
  const ScheduleReport report = report_schedule(ranks.front());
  REQUIRE(report.peers.has_value());
  CHECK(*report.peers == prove_peers(ranks));
  CHECK(report.problem == "1024x512x512");
}

}  // namespace
