// Decides which configs can run a problem on a device; names the rule that rejects any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tile/config/tile_config.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

/// Why a config (or a problem) is rejected: the rule's name and one sentence.
struct Rejection {
  std::string rule;
  std::string reason;
  bool operator==(const Rejection&) const = default;
};

/// The text beside numbers that are predicted for a tile that no kernel can run.
std::string not_runnable_text(const std::string& reason);

/// The most stages that fit, 2 to 8; `config.stages` is not read.
int max_stages(TileConfig config, const Problem& problem, const DeviceSpec& device);

/// The first rule that the config breaks, checked in this order: architecture, tile-shape, cluster,
/// warps, smem, shared-memory, registers, layout, alignment, wave, group, decomposition, operands,
/// reduction, raster, sms (each family has some of them); nullopt when it is legal.
std::optional<Rejection> reject_config(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device);

/// Why no kernel family can run the workload with any config, if so: operands of groups and of
/// updates are not copied to rows that TMA can address.
std::optional<Rejection> reject_workload_kind(const Workload& workload);
/// The rule by which no kernel of this program can run the workload with the config, if any.
std::optional<Rejection> reject_workload(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device);
/// The rule across-gpus: why the kernels cannot share the product in this way, if so.
std::optional<Rejection> reject_across_gpus(const Workload& workload, const TileConfig& config,
                                            const DeviceSpec& device);

/// The same for many configs: evaluates the rules that hold for all of them once. Keeps references.
class WorkloadRules {
 public:
  WorkloadRules(const Workload& workload, const DeviceSpec& device);
  std::optional<Rejection> reject(const TileConfig& config) const;

 private:
  const Workload& workload_;
  const DeviceSpec& device_;
  std::optional<Rejection> always_;  // for every config
  Problem largest_;                  // the largest extents of all products
};
/// The same for a plan; rejects plans that emulate another library's scheduler.
std::optional<Rejection> reject_plan(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
