#include "search/confirmation.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/fake_runner.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// Records the order in which each round launched its contenders.
class OrderedRunner : public testing::FakeRunner {
 public:
  std::vector<std::string> orders;

  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    std::string order;
    for (const Contender& contender : contenders) order += contender.name + ' ';
    orders.push_back(order);
    return FakeRunner::time_round(contenders);
  }
};

using Orders = std::vector<std::string>;

Orders orders_of(uint64_t seed, int64_t rounds) {
  OrderedRunner runner;
  const TileConfig config = config_of(parse_config("cta=128x128x64,stages=4,raster=row"));
  const std::vector<Contender> finalists = {
      {.name = "ours", .config = config, .reference_algorithm = -1}};
  const Confirmation confirmation =
      confirm(workload_of({{512, 512, 512}}), runner, finalists, runner.reference_contenders(),
              {.rounds = rounds, .seed = seed}, [](int64_t, int64_t) {});
  CHECK(confirmation.rounds == rounds);
  return runner.orders;
}

// Places in a round are drawn anew, so an effect of one place on the clock reaches all contenders.
TEST_CASE("the seed draws the order of rounds, a different one for each race") {
  constexpr int64_t kRounds = 20;
  const Orders first = orders_of(1, kRounds);
  CHECK(first == orders_of(1, kRounds));
  CHECK(first != orders_of(2, kRounds));
  CHECK(first != orders_of(1001, kRounds));
  REQUIRE(first.size() >= 2 * kRounds);
  const Orders decided(first.begin(), first.begin() + kRounds);
  const Orders reported(first.begin() + kRounds, first.begin() + 2 * kRounds);
  CHECK(decided != reported);
  CHECK(decided != Orders(kRounds, decided.front()));
}

}  // namespace
}  // namespace tilewright
