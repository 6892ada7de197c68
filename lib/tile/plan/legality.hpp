// Which configs can run a problem on a device, and by which named rule the others cannot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Why a config (or a problem) is refused: the rule's name and one sentence.
struct Rejection {
  std::string rule;
  std::string reason;
  bool operator==(const Rejection&) const = default;
};

/// What goes beside numbers that are predicted for a tile that no kernel runs.
std::string not_runnable_text(const std::string& reason);

/// As deep a pipeline as fits, 2 to 8 stages; `config.stages` is not read.
int deepest_stages(TileConfig config, const Problem& problem, const DeviceSpec& device);

/// The first rule that the config breaks, checked in this order: architecture, tile-shape, cluster,
/// warps, smem, shared-memory, registers, layout, alignment, wave, group, decomposition, operands,
/// reduction, raster (each family has some of them); nothing when it is legal.
std::optional<Rejection> reject_config(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device);

/// Why no kernel family runs the workload, whatever the config: operands of groups and of updates
/// are not copied to rows that TMA can address.
std::optional<Rejection> reject_group(const Workload& workload);
/// Why no kernel of ours runs the workload by the config; nothing when one does.
std::optional<Rejection> reject_workload(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device);
/// The same for many configs: what holds for all of them is worked out once. Keeps references.
class WorkloadRules {
 public:
  WorkloadRules(const Workload& workload, const DeviceSpec& device);
  std::optional<Rejection> reject(const TileConfig& config) const;

 private:
  const Workload& workload_;
  const DeviceSpec& device_;
  std::optional<Rejection> always_;  // whatever the config
  Problem largest_;                  // the largest extents of all products
};
/// The same of a plan, whose scheduler may be another library's.
std::optional<Rejection> reject_plan(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
