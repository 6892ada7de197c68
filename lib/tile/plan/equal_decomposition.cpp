#include "tile/plan/equal_decomposition.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace tilewright {
namespace {

constexpr int64_t kMaxCompared = int64_t{1} << 20;

int64_t units_of(const Plan& plan) {
  return plan.units + plan.stream_k_tiles + plan.workers;
}

// The parts of all output tiles, by tile and k.
std::vector<WorkTile> parts_of(const Plan& plan) {
  std::vector<WorkTile> parts;
  for_each_unit(plan, [&parts](const ScheduledUnit& unit) {
    if (unit.kind == UnitKind::Work) parts.push_back(unit.work);
  });
  std::sort(parts.begin(), parts.end(), [](const WorkTile& a, const WorkTile& b) {
    return std::tie(a.problem, a.m, a.n, a.k_begin) < std::tie(b.problem, b.m, b.n, b.k_begin);
  });
  return parts;
}

// The number of parts of the tile that is cut most; the parts are sorted.
int most_parts(const std::vector<WorkTile>& parts) {
  int most = 0;
  int count = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_same_tile =
        i > 0 && std::tie(parts[i].problem, parts[i].m, parts[i].n) ==
                     std::tie(parts[i - 1].problem, parts[i - 1].m, parts[i - 1].n);
    count = is_same_tile ? count + 1 : 1;
    most = std::max(most, count);
  }
  return most;
}

}  // namespace

std::optional<Decomposition> equal_decomposition(const Plan& plan, const DeviceSpec& device) {
  const Decomposition& own = plan.config.decomposition;
  if (plan.options.external || std::holds_alternative<DataParallel>(own)) return std::nullopt;
  if (units_of(plan) > kMaxCompared) return std::nullopt;
  const std::vector<WorkTile> parts = parts_of(plan);
  const int slices = most_parts(parts);
  if (slices == 0) return std::nullopt;
  TileConfig config = plan.config;
  config.decomposition = DataParallel{};
  if (slices > 1) config.decomposition = SplitK{slices, reduction_of(own)};
  if (config.decomposition == own) return std::nullopt;
  const Plan other = make_plan(plan.workload, config, device, plan.options);
  if (units_of(other) > kMaxCompared || parts_of(other) != parts) return std::nullopt;
  return config.decomposition;
}

}  // namespace tilewright
