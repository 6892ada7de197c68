// The price of an exchange: never below the product alone or the link, nearly the product alone on
// a fast link, and the same in every account of it.
#include "model/peer_rounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "model/estimate.hpp"
#include "model/timeline.hpp"
#include "support/devices.hpp"
#include "support/sm90_configs.hpp"
#include "tile/plan/peer_proof.hpp"

using namespace tilewright;

namespace {

DeviceSpec host(double link_factor = 1) {
  DeviceSpec device = testing::h200();
  device.gpus = 4;
  LinkRates& links = device.links;
  for (double* const rate :
       {&links.store_bytes_per_us, &links.cta_store_bytes_per_us, &links.copy_bytes_per_us}) {
    *rate *= link_factor;
  }
  return device;
}

Plan plan(Collective collective, const GemmShape& whole, const std::string& config,
          const DeviceSpec& device, int gpus = 2) {
  Workload workload;
  workload.parallel = {collective, gpus};
  workload = with_shapes(workload, {whole});
  return make_plan(workload, testing::sm90_config(config, 4), device);
}

double alone_us(const Plan& shared, const DeviceSpec& device) {
  Workload own = shared.workload;
  own.parallel = {};
  TileConfig config = shared.config;
  config.peers = {};
  return estimate(make_plan(own, config, device), device).us;
}

constexpr const char* kConfigs[] = {
    "cta=128x256x64,cluster=2x1,rank_order=ring", "cta=128x256x64,chunks=4",
    "cta=128x128x64,schedule=pingpong,chunks=2", "cta=128x256x64,chunks=2,rank_order=given",
    "cta=64x256x64,schedule=pingpong,rank_order=ring,chunks=4"};
constexpr GemmShape kShapes[] = {
    {8192, 4096, 4096}, {16384, 7168, 2048}, {4096, 4096, 14336}, {1024, 8192, 8192}};

TEST_CASE("a shared product takes no less than each GPU's product, nor than its busiest link") {
  const DeviceSpec device = host();
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    for (const GemmShape& whole : kShapes) {
      for (const char* const config : kConfigs) {
        const Plan shared = plan(collective, whole, config, device);
        const double us = estimate(shared, device).us;
        const double rate = collective == Collective::AllGather ? device.links.copy_bytes_per_us
                                                                : device.links.store_bytes_per_us;
        const PeerProof proof = prove_peers(plans_of_ranks(shared.workload, shared.config, device));
        CAPTURE(to_string(shared.config));
        CHECK(us >= alone_us(shared, device) * 0.95);
        CHECK(us >= static_cast<double>(busiest_link(proof).bytes) / rate);
      }
    }
  }
}

TEST_CASE("on fast links only adding parts is left, and slower links take longer") {
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    for (const GemmShape& whole : kShapes) {
      for (const char* const config : kConfigs) {
        double before = 0;
        for (const double factor : {1000.0, 1.0, 0.5, 0.1}) {
          const DeviceSpec device = host(factor);
          const double us = estimate(plan(collective, whole, config, device), device).us;
          CHECK(us >= before);
          before = us;
          if (factor < 1000) continue;
          const Plan shared = plan(collective, whole, config, device);
          CHECK(us < 1.25 * alone_us(shared, device) + 25);
        }
      }
    }
  }
}

TEST_CASE("the timeline of every GPU takes the time of the estimate") {
  const DeviceSpec device = host();
  for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
    for (const char* const config : kConfigs) {
      const Plan first = plan(collective, kShapes[0], config, device);
      if (first.config.peers.order == RankOrder::Given) continue;  // GPUs wait in different rounds
      const double us = estimate(first, device).us;
      for (const Plan& rank : plans_of_ranks(first.workload, first.config, device)) {
        CHECK(predict_timeline(rank, device).us == doctest::Approx(us).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("a launch of a raster with overhang ends after the last rows have arrived") {
  const DeviceSpec device = host();
  const GemmShape whole{2048, 2048, 4096};
  const Plan shared = plan(Collective::AllGather, whole,
                           "cta=128x128x64,chunks=2,raster=split-merge:13", device, 4);
  const double bytes = 2048.0 / 4 * 3 * 4096 * 2;
  CHECK(estimate(shared, device).us >=
        device.links.copy_us + bytes / device.links.copy_bytes_per_us);
}

TEST_CASE("where all tiles begin at once, rows that arrive in parts of K are waited for less") {
  const DeviceSpec device = host();
  const auto us_on = [](const DeviceSpec& own, int k_chunks) {
    return estimate(plan(Collective::AllGather, {512, 8192, 28672},
                         format("cta=128x128x64,k_chunks={}", k_chunks), own),
                    own)
        .us;
  };
  const auto us = [&](int k_chunks) { return us_on(device, k_chunks); };
  const double rows_us = 256.0 * 28672 * 2 / device.links.copy_bytes_per_us;
  // The last part arrives while the main loop is busy, so that only the first one is waited for.
  CHECK(us(1) - us(4) == doctest::Approx(rows_us * 3 / 4).epsilon(0.01));
  CHECK(us(4) - us(16) == doctest::Approx(rows_us * 3 / 16).epsilon(0.01));
  // On a slow link every part is waited for, and the main loop's last part follows the last one.
  const DeviceSpec slow = host(0.05);
  const double last_us = slow.links.copy_us + rows_us / 0.05;
  CHECK(us_on(slow, 4) > last_us + (us(4) - rows_us) / 8);
  CHECK(us_on(slow, 4) < us_on(slow, 1));
}

TEST_CASE("chunks hide what a ring shows where the link is busy") {
  const DeviceSpec device = host();
  const auto us = [&](const char* order) {
    return estimate(plan(Collective::ReduceScatter, {16384, 7168, 2048},
                         std::string("cta=128x256x64,cluster=2x1,parts=bf16,") + order, device),
                    device)
        .us;
  };
  CHECK(us("rank_order=chunks,chunks=8") < us("rank_order=ring,chunks=8"));
}

}  // namespace
