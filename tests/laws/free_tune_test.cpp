// What `tune` answers from predictions is no slower than what it would answer if it were restricted
// to one tile, family, schedule or cluster, and than configs drawn from its space.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "model/group_modes.hpp"
#include "search/predict.hpp"
#include "search/strategy.hpp"
#include "store/device_preset.hpp"
#include "support/random_cases.hpp"
#include "support/random_workloads.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::pick;
using testing::random_size;

// Predictions closer than this count as equal where a plainer schedule is preferred.
constexpr double kSlack = 1 + kTimeResolution;

// The experts of a layer, or layers of their own sizes; some have no rows.
Workload ragged_group(std::mt19937& random) {
  Workload group;
  const auto extent = [&random](int least, int most) {
    return 64 * random_size(least, most, random);
  };
  const GemmShape shared{0, extent(8, 64), extent(8, 64)};
  const bool all_differ = random() % 3 == 0;
  group.shapes.resize(2 + random() % 5, shared);
  for (GemmShape& shape : group.shapes) {
    shape.m = random() % 6 == 0 ? 0 : random_size(1, 2048, random);
    if (all_differ) shape = {shape.m, extent(4, 64), extent(4, 64)};
  }
  return group;
}

// A random workload in sizes, layouts and epilogues that more than one family's rules allow.
Workload aligned_workload(std::mt19937& random) {
  Workload workload = testing::random_workload(random);
  ProductKind& kind = workload.kind;
  if (bytes_of(kind.dtype) == 1) kind.layout = MatrixLayout::TN;
  if (workload.op != MatrixOp::Gemm) {
    kind = {.layout = MatrixLayout::TN};
    workload.shapes.resize(1);
  } else if (is_group(workload)) {
    kind.epilogue = {.bias = random() % 3 == 0};
  }
  for (GemmShape& shape : workload.shapes) {
    const bool is_square = workload.op != MatrixOp::Gemm;
    if (!is_square) shape.n = (shape.n + 15) / 16 * 16;
    if (is_square) shape.m = shape.n = (shape.n + 15) / 16 * 16;
    shape.k = (shape.k + 15) / 16 * 16;
    if (workload.kind.layout != MatrixLayout::TN && !is_square) shape.m = (shape.m + 15) / 16 * 16;
  }
  return workload;
}

std::string kind_of(const Workload& workload) {
  const std::string scaled = workload.kind.epilogue.scale_a == OperandScale::None ? "" : "scaled ";
  if (is_triangular(workload)) return is_group(workload) ? "updates" : "update";
  return scaled + (is_group(workload) ? "group" : "product");
}

std::vector<std::string> restrictions(const Workload& workload, std::mt19937& random) {
  std::vector<std::string> all = {"family=sm90",
                                  "family=sm80",
                                  "family=skinny",
                                  "schedule=cooperative",
                                  "schedule=pingpong",
                                  "decomposition=data-parallel",
                                  "family=sm90,cluster=1x1",
                                  "cluster=2x1"};
  for (const SearchSpace& space : {sm90_space(), sm90_space(), sm80_space(), skinny_space()}) {
    const TileConfig tile = pick(tiles_of(space, workload.kind.dtype), random);
    all.push_back(format("family={},cta={}", to_string(space.family), to_string(tile.cta)));
  }
  if (!is_group(workload)) return all;
  for (const char* const schedule : {"device-only", "host-precompute", "dynamic"}) {
    all.push_back(format("group_schedule={}", schedule));
  }
  all.push_back("problem_order=lpt");
  return all;
}

// Configs of the space in random rasters, L2 requests, and schedules of a group.
std::vector<TileConfig> sampled(const Workload& workload, const DeviceSpec& device,
                                std::mt19937& random) {
  constexpr size_t kCount = 12;
  const std::vector<SearchSpace> spaces = all_spaces();
  const Enumeration found = enumerate(workload, spaces, device);
  std::vector<TileConfig> configs =
      LegalConfigs(found, spaces).some(Strategy::Random, kCount, random());
  if (!is_group(workload)) return configs;
  for (TileConfig& config : configs) {
    config = pick(with_candidate_values({config}, config.family, {}, KeyScope::Groups), random);
  }
  std::erase_if(configs, [&](const TileConfig& config) {
    return reject_workload(workload, config, device).has_value();
  });
  return configs;
}

// How often another answer was compared, and how often it was faster than the free one.
struct Comparisons {
  int count = 0;
  int lost = 0;
  double worst = 1;  // the free answer's time over the other's
};

class FreeTunes {
 public:
  void add(const Workload& workload, const DeviceSpec& device, std::mt19937& random) {
    CAPTURE(full_text(workload));
    CAPTURE(device.name);
    CAPTURE(device.sm_count);
    TuneResult free;
    try {
      free = predict(workload, device, {});
    } catch (const Error& error) {
      REQUIRE(error.code() == ExitCode::No);
      return;
    }
    ++answered[kind_of(workload)];
    const TileConfig& choice = free.entry.choice;
    const double us = free.entry.predicted.us;
    CAPTURE(launch_config_text(choice, workload));
    const Plan plan = make_plan(workload, choice, device);
    // `bench` prices the config itself.
    CHECK(us == doctest::Approx(estimate(plan, device).us).epsilon(1e-9));
    if (is_group(workload) && !is_triangular(workload) &&
        std::holds_alternative<DataParallel>(choice.decomposition)) {
      CHECK(compare_group_modes(plan, device).advised == choice.group_schedule);
    }
    for (const std::string& request : restrictions(workload, random)) {
      TunePolicy policy;
      policy.spaces = requested_spaces(parse_config(request));
      try {
        const TuneEntry other = predict(workload, device, policy).entry;
        compare(workload, request, us, other.predicted.us, other.choice);
      } catch (const Error& error) {
        CHECK(error.code() == ExitCode::No);
      }
    }
    for (const TileConfig& config : sampled(workload, device, random)) {
      const double other_us = estimate(make_plan(workload, config, device), device).us;
      compare(workload, "sampled", us, other_us, config);
    }
  }

  std::map<std::string, int> answered;             // workloads by kind
  std::map<std::string, Comparisons> comparisons;  // by restriction

 private:
  void compare(const Workload& workload, const std::string& what, double us, double other_us,
               const TileConfig& other) {
    const std::string key = what.substr(0, what.find('='));
    Comparisons& all = comparisons[key];
    ++all.count;
    if (us <= other_us * kSlack) return;
    ++all.lost;
    all.worst = std::max(all.worst, us / other_us);
    FAIL_CHECK(what, ": ", us, " us, and ", other_us, " us with ",
               launch_config_text(other, workload));
  }
};

TEST_CASE("no restricted tune, and no config of the space, is predicted to be faster") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_FREE_TUNES", 48);
  std::mt19937 random(static_cast<uint32_t>(cases.seed));
  const DeviceSpec presets[] = {load_device_preset("h200"), load_device_preset("h100")};
  FreeTunes tunes;
  for (int i = 0; i < cases.count; ++i) {
    DeviceSpec device = pick(presets, random);
    if (random() % 4 == 0) device.sm_count = 8 + static_cast<int>(random() % 100);
    tunes.add(i % 3 == 0 ? ragged_group(random) : aligned_workload(random), device, random);
  }
  for (const auto& [what, all] : tunes.comparisons) {
    MESSAGE(what, ": ", all.lost, " of ", all.count, " lost, worst ", all.worst);
  }
  for (const auto& [kind, count] : tunes.answered) MESSAGE(count, " of kind ", kind);
  for (const char* const kind : {"product", "scaled product", "group", "update"}) {
    CAPTURE(kind);
    CHECK(tunes.answered[kind] > 0);
  }
  CHECK(tunes.comparisons["sampled"].count > 2 * cases.count);
}

}  // namespace
}  // namespace tilewright
