// What a group's launch reads besides its operands: tensor maps and a list of problems, if these
// have shapes of their own, in the launch's scratch; a table of units in memory of its own.
#pragma once

#include "gpu/launch/device_words.hpp"
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
  /// Copies the plan's table, if it has one, to the current device. Throws an environment error if
  /// CUDA refuses.
  GroupWriter(const Plan& plan, const tw::Sm90Params& params);

  /// Bytes of scratch that write() fills.
  int64_t scratch_bytes() const;
  /// Bytes of device memory that the table takes.
  int64_t table_bytes() const { return table_.bytes(); }
  /// Upper bound of the units of one worker: a table may give it more than its share of short ones,
  /// and a counter all of them.
  int64_t max_units_per_worker() const;
  /// Writes maps and list again for each launch, since other launches use the scratch, too:
  /// `prepare_kernel`, if not null, lists the problems on the device, otherwise the host does.
  /// Writes nothing for a launch of one problem. The launch reads the table from this object's
  /// memory, also where it was captured and is replayed.
  tw::GroupArgs write(const GemmLaunch& launch, const LoadedKernel* prepare_kernel) const;

 private:
  // The sections of the scratch, in this order.
  struct SectionBytes {
    int64_t maps = 0;
    int64_t list = 0;
    int64_t order = 0;  // in which the device lists problems
  };

  SectionBytes section_bytes() const;

  const Plan& plan_;
  tw::Sm90Params params_;
  DeviceWords table_;  // the host's schedule
};

}  // namespace tilewright
