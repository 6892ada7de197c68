// The rule across-gpus names what the kernels cannot share.
#include <doctest/doctest.h>

#include <string>

#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "support/sm90_configs.hpp"
#include "tile/plan/legality.hpp"

using namespace tilewright;
using testing::contains;

namespace {

struct Asked {
  Collective collective = Collective::ReduceScatter;
  GemmShape whole = {2048, 1024, 1024};
  ProductKind kind = {};
  std::string config = "family=sm90,cta=128x128x64,stages=4";
  int gpus_of_host = 2;
};

std::string why_not(const Asked& asked) {
  DeviceSpec host = testing::h200();
  host.gpus = asked.gpus_of_host;
  Workload workload;
  workload.kind = asked.kind;
  workload.parallel = {asked.collective, 2};
  workload = with_shapes(workload, {asked.whole});
  const auto rejection = reject_workload(workload, config_of(parse_config(asked.config)), host);
  if (!rejection) return "";
  CHECK(rejection->rule == "across-gpus");
  return rejection->reason;
}

ProductKind with_epilogue(const char* text) {
  ProductKind kind;
  kind.epilogue = parse_epilogue(text);
  return kind;
}

TEST_CASE("reduce-scatter and all-gather are legal with whole tiles in whole blocks") {
  CHECK(why_not({}).empty());
  CHECK(why_not({.collective = Collective::AllGather}).empty());
  CHECK(why_not({.kind = with_epilogue("gelu(bias)")}).empty());
  CHECK(why_not({.config = "family=sm90,cta=128x128x64,stages=4,chunks=4,parts=bf16"}).empty());
}

TEST_CASE("what has no kernel is refused by name") {
  CHECK(contains(why_not({.gpus_of_host = 1}), "h200x2 predicts"));
  CHECK(contains(why_not({.collective = Collective::AllReduce}), "all-reduce"));
  CHECK(contains(why_not({.whole = {2000, 1024, 1024}}), "whole clusters"));
  CHECK(
      contains(why_not({.config = "family=sm90,cta=128x128x64,stages=4,chunks=16"}), "16 chunks"));
  CHECK(contains(why_not({.kind = with_epilogue("ab+c")}), "no C"));
  CHECK(contains(why_not({.config = "family=sm90,cta=128x128x64,stages=4,k_chunks=2"}),
                 "sends no rows of A"));
  CHECK(contains(why_not({.collective = Collective::AllGather,
                          .config = "family=sm90,cta=128x128x64,stages=4,k_chunks=17"}),
                 "K = 1024 has 16 steps"));
  CHECK(
      contains(why_not({.config = "family=sm90,cta=128x128x64,stages=4,swap_ab=true"}), "swap_ab"));
  CHECK(contains(
      why_not({.config = "family=sm90,cta=128x128x64,stages=4,decomposition=split-k:2:serial"}),
      "data-parallel"));
  CHECK(
      contains(why_not({.config = "family=sm90,cta=128x128x64,stages=4,parts=f16"}), "parts=f16"));
  CHECK(contains(why_not({.config = "family=sm90,cta=64x320x64,stages=4"}), "256 columns"));
  CHECK(contains(why_not({.collective = Collective::AllGather,
                          .config = "family=sm90,cta=128x128x64,stages=4,parts=bf16"}),
                 "sends no sums"));
  CHECK(
      contains(why_not({.collective = Collective::AllGather, .kind = {.layout = MatrixLayout::NN}}),
               "not contiguous"));
  CHECK(contains(why_not({.config = "family=sm80,cta=128x128x32,warps=2x2,stages=4"}),
                 "runs on one GPU"));
  CHECK(contains(why_not({.config = "family=sm90,cta=128x128x64,stages=4,raster=cutlass3:4"}),
                 "beyond a block"));
}

}  // namespace
