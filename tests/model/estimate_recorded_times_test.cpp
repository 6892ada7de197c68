// The model's order against times recorded on an H200: tests/data/times_h200.csv, 51 to 66 configs
// on each of 10 shapes, timed one after the other with `tilewright bench`, one run per shape. These
// runs are hot: absolute times are up to a fifth above those of single launches, so only the order
// and ratios count. All configs of 256x256x65536 divide K, by 4 reductions. No constant of the
// model is fitted to them.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "model/estimate.hpp"
#include "support/devices.hpp"
#include "support/model_accuracy.hpp"
#include "support/recorded.hpp"

namespace tilewright {
namespace {

struct Timed {
  std::vector<double> predicted;
  std::vector<double> measured;
};

std::map<std::string, Timed> by_shape() {
  std::map<std::string, Timed> shapes;
  for (const testing::Recorded& row :
       testing::recorded(TILEWRIGHT_SOURCE_DIR "/tests/data/times_h200.csv")) {
    Timed& timed = shapes[to_string(row.problem.shape)];
    timed.predicted.push_back(estimate(row.problem, row.config, testing::h200()).us);
    timed.measured.push_back(row.numbers.at(0));
  }
  return shapes;
}

TEST_CASE("predicted times rank as measured, and the predicted best is near the measured best") {
  const std::map<std::string, Timed> shapes = by_shape();
  REQUIRE(shapes.size() == 10);
  double log_cost = 0;
  double correlations = 0;
  for (const auto& shape : shapes) {
    const Timed& timed = shape.second;
    REQUIRE(timed.measured.size() >= 51);
    const double correlation = testing::rank_correlation(timed.predicted, timed.measured);
    const auto choice = std::min_element(timed.predicted.begin(), timed.predicted.end());
    const double cost = timed.measured[static_cast<size_t>(choice - timed.predicted.begin())] /
                        *std::min_element(timed.measured.begin(), timed.measured.end());
    MESSAGE(shape.first, ": Spearman ", correlation, " over ", timed.measured.size(),
            " configs, the predicted best costs ", 100 * (cost - 1), " %");
    CHECK(correlation >= 0.83);
    correlations += correlation / static_cast<double>(shapes.size());
    log_cost += std::log(cost) / static_cast<double>(shapes.size());
  }
  MESSAGE("geometric mean: the predicted best costs ", 100 * (std::exp(log_cost) - 1), " %");
  CHECK(correlations >= 0.915);
  CHECK(std::exp(log_cost) <= 1.02);
}

}  // namespace
}  // namespace tilewright
