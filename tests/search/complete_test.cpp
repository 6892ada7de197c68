#include "search/complete.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

TEST_CASE("the completed config is legal and keeps every named value") {
  const char* const requests[] = {"raster=row",
                                  "cta=64x64x64",
                                  "cluster=1x2,stages=3",
                                  "raster=swizzle-merge:32",  // not in the space, but legal
                                  "cta=256x128x64,l2_promotion=64",
                                  "family=sm90"};
  for (const char* const text : requests) {
    for (const char* const shape : {"4096x4096x4096", "8192x5000x64", "4100x6000x512"}) {
      const ConfigRequest request = parse_config(text);
      const Problem p{parse_shape(shape)};
      CAPTURE(text);
      const TileConfig config = complete_config(request, workload_of(p), testing::h200());
      CHECK(satisfies(config, request));
      CHECK(!reject_config(p, config, testing::h200()));
    }
  }
}

std::string why_not(const char* request, const char* shape) {
  return testing::error_message_of([&] {
    complete_config(parse_config(request), workload_of({parse_shape(shape)}), testing::h200());
  });
}

TEST_CASE("where no config is legal the message names the rule and the reason") {
  CHECK(why_not("cta=100x128x64", "4096x4096x4096").find("tile-shape") != std::string::npos);
  CHECK(why_not("cta=256x256x64", "4096x4096x4096").find("registers") != std::string::npos);
  CHECK(why_not("cta=128x256x64,stages=8", "4096x4096x4096").find("shared-memory") !=
        std::string::npos);
  CHECK(why_not("cluster=4x4", "4096x4096x4096")
            .find("1x1, 2x1, 1x2, 2x2, 4x1, 1x4, 4x2 and 2x4 have kernels") != std::string::npos);
  CHECK(why_not("raster=swizzle-merge:64", "512x512x512").find("factor 64") != std::string::npos);
}

TEST_CASE("a workload that no config runs differs from a request that no config meets") {
  Workload workload = workload_of({parse_shape("512x512x512")});
  CHECK(complete({}, workload, testing::h200()).config.has_value());
  const Completion unanswered = complete(parse_config("stages=32"), workload, testing::h200());
  CHECK(!unanswered.config);
  CHECK(unanswered.runs_somehow);
  workload.kind.epilogue.scale_a = OperandScale::Tensor;
  const Completion refused = complete({}, workload, testing::h200());
  CHECK(!refused.config);
  CHECK(!refused.runs_somehow);
  CHECK(refused.why_not == reject_workload_kind(workload)->reason);
}

}  // namespace
}  // namespace tilewright
