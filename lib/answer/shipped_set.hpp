// Collects kernels to be shipped, each program once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "answer/answer_table.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The kernels taken so far. Keeps a reference to the device.
class ShippedSet {
 public:
  explicit ShippedSet(const DeviceSpec& device) : device_(device) {}

  /// The plan of a config, if it is legal and has a kernel for operands in these places.
  std::optional<Plan> plan_of(const Workload& workload, const TileConfig& config,
                              const OperandPlaces& places) const;

  /// True if all programs of the plan are taken.
  bool has(const Plan& plan) const;

  /// Adds the plan's kernel unless all of its programs are taken.
  void add(const Plan& plan);

  const DeviceSpec& device() const { return device_; }
  const std::vector<ShippedKernel>& kernels() const { return kernels_; }

 private:
  const DeviceSpec& device_;
  std::set<uint64_t> programs_;
  std::vector<ShippedKernel> kernels_;
};

}  // namespace tilewright
