// Configs as the constants of the kernels that run them.
#pragma once

#include <variant>

#include "skinny/params.cuh"
#include "sm80/params.cuh"
#include "sm90/params.cuh"
#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// True where TMA addresses tight rows of so many elements: multiples of 16 bytes.
bool tma_rows(int64_t elements, DataType type);

/// Which operands of the problem are copied to padded rows before a TMA kernel loads them: those
/// whose contiguous rows are no multiple of 16 bytes.
struct Repacked {
  bool a = false;
  bool b = false;
  bool operator==(const Repacked&) const = default;
};
Repacked repacked_operands(const Problem& problem);

/// What the text of a kernel is specialised on, by the config's family.
using KernelParams = std::variant<tw::Sm90Params, tw::Sm80Params, tw::SkinnyParams>;

/// Of the config's family, for operands at addresses of multiples of 16 bytes.
KernelParams kernel_params(const TileConfig& config, const Problem& problem);

tw::Sm90Params sm90_params(const TileConfig& config, const Problem& problem);
/// Copies are as wide as the rows' length allows.
tw::Sm80Params sm80_params(const TileConfig& config, const Problem& problem);
tw::SkinnyParams skinny_params(const TileConfig& config, const Problem& problem);

/// Dynamic shared memory of a launch, bytes.
int dynamic_smem_bytes(const KernelParams& params);

/// CTAs that a multiprocessor holds by threads, registers and shared memory, at least 1; of the
/// sm90 family 1.
int ctas_per_sm(const KernelParams& params, const DeviceSpec& device);

}  // namespace tilewright
