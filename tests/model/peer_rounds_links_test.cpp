// The times at which bytes cross links: every byte of the proof, one block after the other, within
// the launch.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "model/peer_rounds.hpp"
#include "model/price.hpp"
#include "model/timeline.hpp"
#include "store/device_preset.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/peer_proof.hpp"

using namespace tilewright;

namespace {

std::vector<Plan> plans_of(const char* config, Collective collective, const DeviceSpec& device,
                           const GemmShape& whole = {8192, 8192, 8192}) {
  Workload kind;
  kind.parallel = {collective, device.gpus};
  const Workload workload = with_shapes(kind, {whole});
  return plans_of_ranks(workload, config_of(parse_config(config)), device);
}

}  // namespace

TEST_CASE("each GPU's spans have the bytes of the proof, in order, within the launch") {
  for (const char* const name : {"h200x2", "h200x4", "h200x8"}) {
    const DeviceSpec device = load_device_preset(name);
    for (const Collective collective : {Collective::ReduceScatter, Collective::AllGather}) {
      for (const char* const order : {"given", "ring", "chunks"}) {
        const std::string config =
            format("cta=128x256x64,cluster=2x1,stages=4,chunks=2,rank_order={}", order);
        CAPTURE(name);
        CAPTURE(config);
        const std::vector<Plan> plans = plans_of(config.c_str(), collective, device);
        std::map<std::pair<int, int>, double> bytes;
        for (const Plan& plan : plans) {
          const Price price = price_of(plan, device);
          const double end_us = predict_timeline(plan, price).us;
          double last_us = 0;
          for (const LinkSpan& span : price.links) {
            CHECK(span.begin_us >= last_us - 1e-6);
            CHECK(span.end_us > span.begin_us);
            CHECK(span.end_us <= end_us + 1e-6);
            last_us = span.end_us;
            bytes[{span.from, span.to}] += span.bytes;
          }
        }
        for (const LinkLoad& load : prove_peers(plans).links) {
          CHECK(bytes[{load.from, load.to}] == doctest::Approx(static_cast<double>(load.bytes)));
        }
      }
    }
  }
}

// The shares by M, N, K and the number of GPUs alone, not by walking plans.
TEST_CASE("by eight GPUs every link carries the same share of a product, and is used in turn") {
  const DeviceSpec device = load_device_preset("h200x8");
  const auto check = [&device](Collective collective, const GemmShape& whole, int64_t share) {
    CAPTURE(whole.m);
    CAPTURE(whole.n);
    const std::vector<Plan> plans =
        plans_of("cta=64x128x64,stages=4,parts=bf16,chunks=1", collective, device, whole);
    REQUIRE(plans.size() == 8);
    std::map<std::pair<int, int>, double> bytes;
    std::map<int, double> busy_us;  // by the GPU that sends
    double end_us = 0;
    for (const Plan& plan : plans) {
      const Price price = price_of(plan, device);
      end_us = std::max(end_us, predict_timeline(plan, price).us);
      for (const LinkSpan& span : price.links) {
        bytes[{span.from, span.to}] += span.bytes;
        busy_us[span.from] += span.end_us - span.begin_us;
      }
    }
    CHECK(bytes.size() == 8 * 7);
    for (const auto& [link, sum] : bytes) {
      CHECK(link.first != link.second);
      CHECK(sum == doctest::Approx(static_cast<double>(share)));
    }
    for (const auto& [gpu, us] : busy_us) CHECK(us <= end_us);
  };
  for (const GemmShape& whole :
       {GemmShape{512, 8192, 28672}, GemmShape{2048, 8192, 28672}, GemmShape{4096, 4096, 14336},
        GemmShape{8192, 8192, 28672}, GemmShape{8192, 4096, 4096}, GemmShape{16384, 7168, 2048}}) {
    check(Collective::ReduceScatter, whole, whole.m / 8 * whole.n * 2);
    check(Collective::AllGather, whole, whole.m / 8 * whole.k * 2);
  }
}

TEST_CASE("a product of one GPU crosses no link") {
  const DeviceSpec device = load_device_preset("h200");
  const Plan plan =
      make_plan(Problem{.shape = {4096, 4096, 4096}},
                config_of(parse_config("cta=128x256x64,cluster=2x1,stages=4")), device);
  CHECK(price_of(plan, device).links.empty());
}
