// The price of products that GPUs share against launches recorded on two H200s: tests/data/
// peers_h200.csv. Links were measured by themselves, and nothing was fitted to these launches.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "store/device_preset.hpp"
#include "support/model_accuracy.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using testing::median_of;
using testing::RecordedShape;

TEST_CASE("recorded times of products over two GPUs are near the predicted ones") {
  const DeviceSpec device = load_device_preset("h200x2");
  const std::vector<RecordedShape> shapes =
      testing::recorded_shapes(TILEWRIGHT_SOURCE_DIR "/tests/data/peers_h200.csv");
  CHECK(shapes.size() == 12);
  const auto errors = testing::time_errors_by_class(
      shapes, [&](const RecordedShape& shape, const testing::Recorded& row) {
        Workload shared;
        shared.parallel = {parse_collective(shape.shape_class), 2};
        shared = with_shapes(shared, {row.problem.shape});
        return estimate(make_plan(shared, row.config, device), device).us;
      });
  for (const auto& [name, own] : errors) MESSAGE(testing::times_line(name, own));
  // What the model shows; one that comes nearer lowers them.
  CHECK(errors.at("all").times.size() > 500);
  CHECK(median_of(errors.at("all").times) < 0.05);
  CHECK(median_of(errors.at("all-gather").times) < 0.03);
  CHECK(median_of(errors.at("reduce-scatter").times) < 0.075);
  CHECK(median_of(errors.at("all").regret_of_top8) < 1.01);
}

}  // namespace
}  // namespace tilewright
