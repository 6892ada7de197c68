#include "tile/config/family.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.hpp"
#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

TEST_CASE("every family has a record of its own, found by its name") {
  std::set<std::string> names;
  for (const Family family : all_families()) {
    CHECK(record_of(family).family == family);
    CHECK(parse_family(to_string(family)) == family);
    names.insert(to_string(family));
  }
  CHECK(names.size() == all_families().size());
  CHECK_THROWS_AS(record_of(static_cast<Family>(99)), Error);
  CHECK_THROWS_AS(parse_family("sm70"), Error);
}

TEST_CASE("a family's keys exist, and every key belongs to a family") {
  std::set<std::string_view> keys;
  for (const ConfigKeyFacts& facts : config_key_facts()) {
    keys.insert(facts.name);
    CAPTURE(facts.name);
    CHECK(!facts.families.empty());
    for (const Family family : all_families()) {
      const bool listed = std::count(facts.families.begin(), facts.families.end(), family) == 1;
      CHECK(has_key(family, facts.name) == listed);
    }
  }
  for (const Family family : all_families()) {
    for (const std::string_view key : record_of(family).keys) CHECK(keys.count(key) == 1);
    for (const char* const key : {"family", "cta", "stages", "decomposition"}) {
      CHECK(has_key(family, key));
    }
  }
}

TEST_CASE("TMA reductions need a pitch and alignment of D that TMA can store") {
  const Workload product = workload_of(Problem{{256, 256, 16384}});
  const auto why_no_kernel_for_places = [&](const std::string& decomposition,
                                            const OperandPlaces& places) {
    const TileConfig config = config_of(parse_config(
        "family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=row,"
        "l2_promotion=128,decomposition=" +
        decomposition));
    CHECK(!reject_workload(product, config, testing::h200()));
    const Plan plan = make_plan(product, config, testing::h200(), {.places = places});
    return record_of(Family::Sm90).why_no_kernel_for_places(plan);
  };
  for (const MatrixPlace& odd : {MatrixPlace{.pitch = 257}, MatrixPlace{.alignment = 8}}) {
    for (const char* const bulk : {"split-k:4:in-place", "split-k:4:serial-tma"}) {
      CHECK(why_no_kernel_for_places(bulk, {}).empty());
      CHECK(why_no_kernel_for_places(bulk, {.d = odd}).find("rows of D must begin") !=
            std::string::npos);
    }
    for (const char* const other : {"data-parallel", "split-k:4:serial", "split-k:4:workspace"}) {
      CHECK(why_no_kernel_for_places(other, {.d = odd}).empty());
    }
  }
}

TEST_CASE("a family refuses operations that it lacks and names the families that have them") {
  Workload group = workload_of(Problem{{512, 512, 512}});
  group.shapes.push_back({256, 512, 512});
  Workload update = workload_of(Problem{{512, 512, 512}});
  update.op = MatrixOp::Syrk;
  for (const Family family : all_families()) {
    CAPTURE(to_string(family));
    TileConfig config;
    config.family = family;
    config.cta = {128, 128, 64};
    config.stages = 4;
    for (const Workload& workload : {group, update}) {
      const bool runs = is_group(workload) ? record_of(family).reject_group != nullptr
                                           : record_of(family).reject_update != nullptr;
      const auto rejection = reject_workload(workload, config, testing::h200());
      const bool of_family = rejection && rejection->reason.find("the " + to_string(family) +
                                                                 " family") != std::string::npos;
      CHECK(of_family == !runs);
    }
  }
}

}  // namespace
}  // namespace tilewright
