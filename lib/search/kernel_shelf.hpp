// Kernels that are collected to be shipped, each program once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "search/answer_table.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// What is taken so far. Keeps a reference to the device.
class KernelShelf {
 public:
  explicit KernelShelf(const DeviceSpec& device) : device_(device) {}

  /// The plan of a config that is legal and has a kernel for operands that lie so.
  std::optional<Plan> plan_of(const Workload& workload, const TileConfig& config,
                              const OperandPlaces& places) const;

  /// True where all programs of the plan are there.
  bool has(const Plan& plan) const;

  /// Adds its kernel, if that has a program which is not there.
  void add(const Plan& plan);

  const DeviceSpec& device() const { return device_; }
  const std::vector<ShippedKernel>& kernels() const { return kernels_; }

 private:
  const DeviceSpec& device_;
  std::set<uint64_t> programs_;
  std::vector<ShippedKernel> kernels_;
};

}  // namespace tilewright
