// Prints proof, price and picture of a few plans, one line each. tests/checks/one_plan compiles it
// with edited kernels/.
#include <cstdio>
#include <functional>
#include <string>

#include "base/text.hpp"
#include "draw/schedule_diagram.hpp"
#include "model/timeline.hpp"
#include "support/plans.hpp"
#include "tile/plan/schedule_report.hpp"

using namespace tilewright;

namespace {

std::string digest_of(const testing::PlanWords& words) {
  const DeviceSpec device = testing::h200();
  PredictedSchedule p;
  p.plan = testing::plan_of(words);
  p.report = report_schedule(p.plan);
  p.report.device = device.name;
  const Timeline timeline = predict_timeline(p.plan, device, &p.spans);
  const size_t picture = std::hash<std::string>{}(dump(schedule_diagram({p}, {})));
  return format("{} {:.4f} {}", p.report.proof.complete ? "complete" : "broken", timeline.us,
                picture);
}

}  // namespace

int main() {
  const testing::PlanWords plans[] = {
      {.problem = "1664x1280x1024", .ctas = 32, .raster = "swizzle-merge:4"},
      {.problem = "512x384x4096", .ctas = 24, .decomposition = "split-k:3"},
      {.problem = "896x640x2048", .ctas = 16, .decomposition = "stream-k:all:atomic"},
      {.problem = "512x384x1024,256x256x2048,128x512x512", .ctas = 10},
      {.problem = "512x384x1024,256x256x2048", .ctas = 7, .decomposition = "stream-k:all"},
      {.problem = "1024x1024x512", .ctas = 12, .op = "syr2k"}};
  for (const testing::PlanWords& words : plans) {
    try {
      std::puts(digest_of(words).c_str());
    } catch (const std::exception& error) {
      std::puts(format("error 0 {}", error.what()).c_str());
    }
  }
  return 0;
}
