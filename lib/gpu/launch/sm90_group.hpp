// What launches of groups read beside their operands: tensor maps and a list of problems that have
// sizes of their own, and tables of units. All of it lies in the launch's scratch.
#pragma once

#include "gpu/launch/gemm_kernel.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/sm90_maps.hpp"
#include "sm90/args.cuh"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Bytes of scratch for it.
int64_t group_scratch_bytes(const Plan& plan);

/// Units of the busiest worker: a table may give it more than its share of short ones, and a
/// counter all of them.
int64_t most_turns(const Plan& plan);

/// Writes everything down anew, since other launches use the scratch too: by `lister` where the
/// device lists the problems, else from the host. Nothing of a launch of one problem.
tw::GroupArgs write_group(const Plan& plan, const tw::Sm90Params& params, const GemmLaunch& launch,
                          const LoadedKernel* lister);

}  // namespace tilewright
