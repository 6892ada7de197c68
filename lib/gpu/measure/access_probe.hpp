// Runs one warp instruction on the GPU and reads its wavefronts from hardware counters.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/compile/nvrtc.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {

/// Counts of one access, less the counts of the same kernel without it.
struct ProbedWavefronts {
  double loads = 0;   // l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
  double stores = 0;  // l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
  double all = 0;     // l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
  bool operator==(const ProbedWavefronts&) const = default;
};

/// The count that holds the wavefronts of `op`: loads or stores.
double wavefronts_of(const ProbedWavefronts& probed, const AccessOp& op);

/// The probe kernel with `op` as its instruction.
KernelSource access_probe_source(const AccessOp& op);
/// The same kernel without the instruction.
KernelSource empty_probe_source();

/// Launches the probe once per access on the current device, `device_index`; results in order.
/// Throws a usage error for an access that is misaligned or beyond the device's shared memory, an
/// environment error without counters.
std::vector<ProbedWavefronts> probe_accesses(int device_index, const std::string& architecture,
                                             const CubinCache& cache,
                                             std::span<const WarpAccess> accesses);

}  // namespace tilewright
