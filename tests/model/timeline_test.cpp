#include "model/timeline.hpp"

#include <doctest/doctest.h>

#include "model/estimate.hpp"
#include "support/devices.hpp"
#include "support/schedules.hpp"

using namespace tilewright;
using testing::RequestWords;
using testing::schedule_of;

namespace {

Timeline run(RequestWords words) {
  words.ctas = 132;
  words.resident = 132;
  return predict_timeline(schedule_of(words), DataType::BF16, testing::h200());
}

double estimated_us(const RequestWords& words) {
  TileConfig config;
  config.cta = parse_tile(words.cta);
  config.raster = parse_raster(words.raster);
  config.stages = 8;
  while (kernel_params(config, {}).smem_bytes() > testing::h200().smem_per_cta_bytes) {
    --config.stages;
  }
  return estimate({parse_shape(words.problem), DataType::BF16}, config, testing::h200()).us;
}

}  // namespace

TEST_CASE("a single data-parallel product takes what the cost model says, within some percent") {
  for (const char* const problem :
       {"8192x8192x8192", "4096x4096x4096", "2048x2048x2048", "4096x14336x4096", "8192x1280x8192",
        "256x256x65536", "1024x1024x32768"}) {
    for (const char* const cta : {"128x256x64", "128x128x64", "256x128x64"}) {
      const RequestWords words{.problem = problem, .cta = cta, .raster = "swizzle-merge:8"};
      CAPTURE(problem);
      CAPTURE(cta);
      const double ratio = run(words).us / estimated_us(words);
      CHECK(ratio > 0.94);
      CHECK(ratio < 1.06);
    }
  }
}

TEST_CASE("dividing a long K over idle multiprocessors pays, and waiting is part of it") {
  const RequestWords whole{.problem = "256x256x65536", .cta = "128x256x64"};
  RequestWords divided = whole;
  divided.decomposition = "split-k:32";
  const Timeline split = run(divided);
  CHECK(split.ends);
  CHECK(split.us < 0.5 * run(whole).us);
  CHECK(split.waiting_us > 0);
  divided.decomposition = "split-k:32:workspace";
  CHECK(run(divided).waiting_us == 0);
  divided.decomposition = "stream-k:workspace";
  CHECK(run(divided).us < 0.5 * run(whole).us);
  // 66 parts a tile: the turns alone take longer than the arithmetic.
  divided.decomposition = "stream-k:serial";
  CHECK(run(divided).us >
        2 * run({.problem = whole.problem, .cta = whole.cta, .decomposition = "stream-k:workspace"})
                .us);
}

TEST_CASE("descending K ends sooner than as given") {
  const char* const group = "1152x768x1024,1152x768x8192,768x1152x1024,768x1152x8192";
  const double given = run({.problem = group}).us;
  const double sorted = run({.problem = group, .order = "k-descending"}).us;
  CHECK(sorted <= given);
}
