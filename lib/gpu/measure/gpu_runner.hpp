// The Runner of a GPU: alone, or with other GPUs of its host where the workload is shared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "harness/harness_file.hpp"
#include "search/beside.hpp"
#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// The devices like device `index` that reach its memory and each other's; `index` comes first, the
/// others in order of their numbers.
std::vector<int> peers_of(int index);

/// As make_cuda_runner() and make_peer_runner(); prepare() decides which of them runs. Throws an
/// environment error for a workload of more GPUs than peers_of() lists.
std::unique_ptr<Runner> make_gpu_runner(int index, const DeviceSpec& spec, const CubinCache& cache,
                                        uint64_t seed, Regime regime, OpenHarnessFile open_manifest,
                                        std::optional<Beside> beside);

}  // namespace tilewright
