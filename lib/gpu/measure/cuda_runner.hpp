// The Runner on CUDA: our kernels and cuBLASLt's on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gpu/compile/cubin_cache.hpp"
#include "harness/harness_file.hpp"
#include "search/beside.hpp"
#include "search/runner.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// `spec` describes device `index`; operands are drawn from `seed`. `open_manifest` opens manifests
/// of cubins. `beside` runs while launches are timed.
std::unique_ptr<Runner> make_cuda_runner(int index, const DeviceSpec& spec, const CubinCache& cache,
                                         uint64_t seed, Regime regime = Regime::Rotate,
                                         OpenHarnessFile open_manifest = {},
                                         std::optional<Beside> beside = {});

}  // namespace tilewright
