// What launches of groups read beside their operands: tensor maps and a list of problems that have
// sizes of their own, and tables of units. All of it lies in the launch's scratch.
#pragma once

#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/sm90_maps.hpp"
#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Of the kernel that lists the problems of a group on the device.
LaunchShape lister_shape(const Plan& plan);

/// Of one plan, which outlives it.
class GroupWriter {
 public:
  GroupWriter(const Plan& plan, const tw::Sm90Params& params);

  /// Bytes of scratch for it.
  int64_t scratch_bytes() const;
  /// Units of the busiest worker: a table may give it more than its share of short ones, and a
  /// counter all of them.
  int64_t most_turns() const;
  /// Writes everything down anew, since other launches use the scratch too: by `lister` where the
  /// device lists the problems, else from the host. Nothing of a launch of one problem. A table is
  /// copied from memory of this writer, so that a captured launch may be replayed.
  tw::GroupArgs write(const GemmLaunch& launch, const LoadedKernel* lister) const;

 private:
  // Of a scratch, in this order; bytes.
  struct Room {
    int64_t maps = 0;
    int64_t list = 0;
    int64_t words = 0;  // of a table, or the order in which the device lists problems
  };

  Room room() const;

  const Plan& plan_;
  tw::Sm90Params params_;
  std::vector<int> table_;  // of a host's schedule
};

}  // namespace tilewright
