// What cuBLASLt's algorithms take by the model, and whether our kernel is certain enough to be
// faster. Its kernels load by TMA and multiply by wgmma, as those of the sm90 family do.
#pragma once

#include <optional>

#include "tile/config/tile_config.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// How an algorithm divides a product, in terms of its row-major D: rows and columns of a tile,
/// tiles of a cluster, and parts along k.
struct AlgorithmMapping {
  int tile_m = 0;
  int tile_n = 0;
  ClusterShape cluster = {};
  int slices = 1;
  bool operator==(const AlgorithmMapping&) const = default;
};

/// Microseconds of the fastest sm90 kernel, by replay_us(), that divides the product alike; without
/// a cluster where no such kernel has one. Nothing if the family has no tile like it.
std::optional<double> predicted_library_us(const Workload& product, const AlgorithmMapping& mapping,
                                           const DeviceSpec& device);

/// A product without a tune or a race goes to our kernel only if its time is predicted to be this
/// share below the library's.
inline constexpr double kLibraryMargin = 0.2;

/// True if ours answers; `library_us` is predicted_library_us(), and nothing for an algorithm that
/// the model cannot price.
bool is_surely_faster(double own_us, std::optional<double> library_us);

}  // namespace tilewright
