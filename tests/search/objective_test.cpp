#include "search/objective.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/error_message.hpp"

namespace tilewright {
namespace {

RaceEntry lane_of_name(const std::string& name, double us) {
  return {.contender = {.name = name, .config = TileConfig{}}, .samples_us = {us, us, us}};
}

std::vector<Energy> turns(const std::vector<double>& joules) {
  std::vector<Energy> all;
  all.reserve(joules.size());
  for (const double j : joules) all.push_back({j, 1});
  return all;
}

std::vector<std::string> cheapest(const std::vector<RaceEntry>& entries, Objective objective,
                                  const Energies& energies) {
  std::vector<const RaceEntry*> all;
  for (const RaceEntry& one : entries) all.push_back(&one);
  std::vector<std::string> names;
  for (const RaceEntry* one : least_costly(all, objective, energies)) {
    names.push_back(one->contender.name);
  }
  return names;
}

TEST_CASE("energy chooses the least joules, edp the least product of joules and time") {
  const std::vector<RaceEntry> entries = {lane_of_name("slow", 100), lane_of_name("fast", 50)};
  const Energies energies = {{"slow", turns({2, 2, 2, 2, 2})}, {"fast", turns({3, 3, 3, 3, 3})}};
  CHECK(cheapest(entries, Objective::Energy, energies) == std::vector<std::string>{"slow"});
  CHECK(cheapest(entries, Objective::Edp, energies) == std::vector<std::string>{"fast"});
  CHECK(cost_of(entries[0], Objective::Time, {}) == 100);
  CHECK(cost_of(entries[0], Objective::Energy, energies) == 2);
  CHECK(cost_of(entries[0], Objective::Edp, energies) == 200);
}

TEST_CASE("configs tie unless five samples separate them by a hundredth or more") {
  const std::vector<RaceEntry> entries = {lane_of_name("least", 10), lane_of_name("noisy", 10),
                                          lane_of_name("dearer", 10), lane_of_name("alike", 10)};
  const Energies energies = {{"least", turns({1, 1, 1, 1, 1})},
                             {"noisy", turns({0.99, 1.05, 1.06, 1.02, 1.04})},
                             {"dearer", turns({1.02, 1.02, 1.03, 1.02, 1.02})},
                             {"alike", turns({1.005, 1.004, 1.006, 1.005, 1.005})}};
  CHECK(cheapest(entries, Objective::Energy, energies) ==
        std::vector<std::string>{"least", "noisy", "alike"});
}

TEST_CASE("a misspelt objective gets a suggestion") {
  CHECK(parse_objective("edp") == Objective::Edp);
  CHECK(testing::contains(testing::error_message_of([] { parse_objective("enrgy"); }),
                          "did you mean 'energy'?"));
}

}  // namespace
}  // namespace tilewright
