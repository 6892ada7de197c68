// The price of ragged groups against recorded times: tests/data/groups_h100.csv.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "store/device_preset.hpp"
#include "support/model_accuracy.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

struct RecordedGroup {
  Workload workload;
  std::vector<double> predicted_us;
  std::vector<double> measured_us;
};

// By half: "seen" while the rules of groups were found, or "held out". A line "# half: shapes"
// begins a group.
std::map<std::string, std::vector<RecordedGroup>> recorded_groups(const DeviceSpec& device) {
  std::map<std::string, std::vector<RecordedGroup>> halves;
  RecordedGroup* group = nullptr;
  const std::string text = read_file(TILEWRIGHT_SOURCE_DIR "/tests/data/groups_h100.csv");
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == 'c') continue;
    if (line.front() == '#') {
      const size_t colon = line.find(':');
      std::vector<RecordedGroup>& half = halves[std::string(line.substr(2, colon - 2))];
      group = &half.emplace_back();
      group->workload.shapes = parse_shapes(line.substr(colon + 2), MatrixOp::Gemm);
      continue;
    }
    const size_t close = line.rfind('"');
    const TileConfig config = config_of(parse_config(line.substr(1, close - 1)));
    group->measured_us.push_back(std::stod(std::string(line.substr(close + 2))));
    group->predicted_us.push_back(estimate(make_plan(group->workload, config, device), device).us);
  }
  return halves;
}

TEST_CASE("times of ragged groups are predicted as well as those of products") {
  const DeviceSpec device = load_device_preset("h100");
  for (const auto& [half, groups] : recorded_groups(device)) {
    std::vector<double> errors;
    double regret = 0;
    for (const RecordedGroup& group : groups) {
      for (size_t i = 0; i < group.measured_us.size(); ++i) {
        errors.push_back(testing::off(group.predicted_us[i], group.measured_us[i]));
      }
      regret += std::log(testing::regret_of(group.predicted_us, group.measured_us, 8));
    }
    const double of_eight = std::exp(regret / static_cast<double>(groups.size()));
    const double median = testing::quantile(errors, 0.5);
    const double nine_in_ten = testing::quantile(errors, 0.9);
    MESSAGE(half, ": ", groups.size(), " groups, ", errors.size(), " launches: median ", median,
            ", nine in ten ", nine_in_ten, "; best of the first eight ", of_eight);
    CHECK(groups.size() >= 12);
    CHECK(median < 0.09);
    CHECK(nine_in_ten < 0.25);
    CHECK(of_eight < 1.05);
  }
}

}  // namespace
}  // namespace tilewright
