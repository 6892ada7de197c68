#include "search/alternatives.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "search/rank.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Some products are empty, some large.
Workload random_group(std::mt19937& random) {
  Workload group;
  for (size_t products = 2 + random() % 12; products > 0; --products) {
    const auto rows = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 900);
    group.shapes.push_back({rows, 512, 256});
  }
  group.shapes.front().m += 1;
  return group;
}

TileConfig scheduled(const std::string& keys) {
  return config_of(
      parse_config("family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,"
                   "raster=row,l2_promotion=128,decomposition=data-parallel" +
                   keys));
}

const std::vector<std::string> kSchedules = {"", ",group_schedule=host-precompute",
                                             ",group_schedule=host-precompute,problem_order=lpt"};

std::vector<SearchSpace> spaces() {
  return requested_spaces({});
}

// The group schedule, and what each CTA computes in its order.
std::pair<GroupSchedule, std::vector<std::vector<WorkTile>>> launch_of(const Workload& group,
                                                                       const TileConfig& config) {
  return {config.group_schedule, assignments(make_plan(group, config, testing::h200()))};
}

TEST_CASE("other schedules of a group are legal launches, all different") {
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const Workload group = random_group(random);
    CAPTURE(shapes_text(group));
    const TileConfig config = scheduled(kSchedules[random() % kSchedules.size()]);
    std::vector<TileConfig> all = other_schedules(group, config, spaces(), testing::h200());
    all.push_back(config);
    for (size_t a = 0; a < all.size(); ++a) {
      CHECK_FALSE(reject_workload(group, all[a], testing::h200()));
      TileConfig plain = all[a];
      plain.group_schedule = config.group_schedule;
      plain.problem_order = config.problem_order;
      CHECK(plain == config);
      for (size_t b = 0; b < a; ++b) CHECK(launch_of(group, all[a]) != launch_of(group, all[b]));
    }
  }
}

TEST_CASE("every legal value of a group's schedule keys is compared once") {
  std::mt19937 random(2);
  for (int i = 0; i < 60; ++i) {
    const Workload group = random_group(random);
    CAPTURE(shapes_text(group));
    const TileConfig choice = scheduled(kSchedules[random() % kSchedules.size()]);
    const std::vector<Alternative> all =
        schedule_alternatives(group, choice, spaces(), testing::h200());
    const auto has = [&all](auto TileConfig::*key, auto value) {
      return std::any_of(all.begin(), all.end(),
                         [&](const Alternative& a) { return a.config.*key == value; });
    };
    for (const GroupSchedule schedule :
         {GroupSchedule::DeviceOnly, GroupSchedule::HostPrecompute, GroupSchedule::Dynamic}) {
      if (schedule != choice.group_schedule) CHECK(has(&TileConfig::group_schedule, schedule));
    }
    for (const ProblemOrder order :
         {ProblemOrder::Given, ProblemOrder::KDescending, ProblemOrder::Lpt}) {
      if (order != choice.problem_order) CHECK(has(&TileConfig::problem_order, order));
      TileConfig alone = choice;
      alone.problem_order = order;
      const bool compared = std::any_of(
          all.begin(), all.end(), [&alone](const Alternative& a) { return a.config == alone; });
      CHECK(compared == (alone != choice && !reject_workload(group, alone, testing::h200())));
    }
    for (const Alternative& alternative : all) {
      CAPTURE(alternative.change);
      const TileConfig& config = alternative.config;
      CHECK_FALSE(reject_workload(group, config, testing::h200()));
      CHECK(alternative.same_launch == (launch_of(group, config) == launch_of(group, choice)));
      CHECK(alternative.ratio.has_value() == alternative.same_launch);
      const std::vector<ChangedKey> changes = changed_keys(config, choice);
      REQUIRE(!changes.empty());
      // A second key changes only if the device can find problems in no other order.
      const bool two = config.group_schedule != choice.group_schedule &&
                       config.problem_order != choice.problem_order;
      CHECK(changes.size() == (two ? 2 : 1));
      if (two) {
        TileConfig one = choice;
        one.problem_order = config.problem_order;
        TileConfig other = choice;
        other.group_schedule = config.group_schedule;
        CHECK((reject_workload(group, one, testing::h200()) ||
               reject_workload(group, other, testing::h200())));
      }
    }
  }
}

TEST_CASE("divided and whole tiles of a group are compared in every schedule and order") {
  const Workload group{.shapes = {{512, 512, 4096}, {300, 256, 512}, {1000, 512, 256}}};
  for (const char* const order : {"given", "lpt"}) {
    const TileConfig choice =
        scheduled(std::string(",group_schedule=host-precompute,problem_order=") + order);
    TileConfig parts = choice;
    parts.decomposition = parse_decomposition("split-k:4:serial");
    REQUIRE_FALSE(reject_workload(group, parts, testing::h200()));
    std::vector<std::string> changes;
    for (const Alternative& alternative :
         schedule_alternatives(group, parts, spaces(), testing::h200())) {
      CHECK_FALSE(reject_workload(group, alternative.config, testing::h200()));
      CHECK(alternative.same_launch ==
            (launch_of(group, alternative.config) == launch_of(group, parts)));
      changes.push_back(alternative.change);
    }
    std::sort(changes.begin(), changes.end());
    const std::string whole = "decomposition=data-parallel";
    std::vector<std::string> expected = {whole, whole + ",group_schedule=device-only",
                                         whole + ",group_schedule=dynamic",
                                         "problem_order=k-descending"};
    expected.push_back(order == std::string("lpt") ? "problem_order=given" : "problem_order=lpt");
    std::sort(expected.begin(), expected.end());
    CHECK(changes == expected);
    for (const TileConfig& other : other_schedules(group, parts, spaces(), testing::h200())) {
      CHECK(other.decomposition == parts.decomposition);
    }
    for (const Alternative& alternative : schedule_alternatives(
             group, parts, requested_spaces(parse_config("decomposition=split-k:4:serial")),
             testing::h200())) {
      CHECK(alternative.config.decomposition == parts.decomposition);
    }
  }
}

TEST_CASE("named keys keep their values, and a single product has no other schedules") {
  const Workload group{.shapes = {{300, 512, 256}, {20, 512, 256}}};
  const std::vector<SearchSpace> named =
      requested_spaces(parse_config("group_schedule=host-precompute,problem_order=lpt"));
  const TileConfig config = scheduled(kSchedules.back());
  CHECK(other_schedules(group, config, named, testing::h200()).empty());
  CHECK(schedule_alternatives(group, config, named, testing::h200()).empty());
  const Workload product = workload_of({{300, 512, 256}});
  CHECK(other_schedules(product, scheduled(""), spaces(), testing::h200()).empty());
  CHECK(schedule_alternatives(product, scheduled(""), spaces(), testing::h200()).empty());
}

}  // namespace
}  // namespace tilewright
