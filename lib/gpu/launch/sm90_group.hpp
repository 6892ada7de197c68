// What a group's launch reads besides its operands: tensor maps and a list of problems, if these
// have shapes of their own, and tables of units. All of it lies in the launch's scratch.
#pragma once

#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/sm90_maps.hpp"
#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The launch of the kernel that lists the problems of a group on the device.
LaunchShape prepare_kernel_shape(const Plan& plan);

/// Writes this data for launches of one plan, which outlives it.
class GroupWriter {
 public:
  GroupWriter(const Plan& plan, const tw::Sm90Params& params);

  /// Bytes of scratch that write() fills.
  int64_t scratch_bytes() const;
  /// Upper bound of the units of one worker: a table may give it more than its share of short ones,
  /// and a counter all of them.
  int64_t max_units_per_worker() const;
  /// Writes all data again for each launch, since other launches use the scratch, too:
  /// `prepare_kernel`, if not null, lists the problems on the device, otherwise the host does.
  /// Writes nothing for a launch of one problem. The table is copied from this object's memory, so
  /// that a captured launch may be replayed.
  tw::GroupArgs write(const GemmLaunch& launch, const LoadedKernel* prepare_kernel) const;

 private:
  // The sections of the scratch, in this order.
  struct SectionBytes {
    int64_t maps = 0;
    int64_t list = 0;
    int64_t words = 0;  // the table, or the order in which the device lists problems
  };

  SectionBytes section_bytes() const;

  const Plan& plan_;
  tw::Sm90Params params_;
  std::vector<int> table_;  // the host's schedule
};

}  // namespace tilewright
