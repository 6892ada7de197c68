// One way to run a problem: kernel constants, raster, and options of the copies.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tile/config/decomposition.hpp"
#include "tile/config/family.hpp"
#include "tile/config/group_schedule.hpp"
#include "tile/config/raster.hpp"
#include "tile/workload/parallel.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {

using tw::KernelSchedule;
using tw::SmemArrangement;

/// Output tile of a CTA and the depth of a pipeline stage, elements.
struct TileShape {
  int m = 0;
  int n = 0;
  int k = 0;
  bool operator==(const TileShape&) const = default;
};

/// CTAs of a cluster along m and n.
struct ClusterShape {
  int m = 1;
  int n = 1;
  bool operator==(const ClusterShape&) const = default;
};

/// Warps of a CTA along m and n.
struct WarpGrid {
  int m = 0;
  int n = 0;
  bool operator==(const WarpGrid&) const = default;
};

/// Operands of the problem that L2 evicts first, because no CTA reads them again.
struct EvictFirst {
  bool a = false;
  bool b = false;
  bool operator==(const EvictFirst&) const = default;
};

/// Options of the sm80 family only.
struct Sm80Options {
  WarpGrid warps = {};
  SmemArrangement smem = {};
  bool operator==(const Sm80Options&) const = default;
};

/// Options of the skinny family only.
struct SkinnyOptions {
  int k_warps = 0;  // warps of a CTA, among which its k is divided
  bool operator==(const SkinnyOptions&) const = default;
};

/// How a GPU walks and sends the tiles of a product that GPUs share.
struct PeerOptions {
  RankOrder order = RankOrder::Chunks;
  int chunks = 1;                  // blocks of rows of each owner, visited one after the other
  DataType parts = DataType::F32;  // the type in which sums go to their owner
  int k_chunks = 1;                // parts of K in which rows of A go to the others
  bool operator==(const PeerOptions&) const = default;
};

/// Fields without a key in the family keep their defaults.
struct TileConfig {
  Family family = {};
  TileShape cta;
  ClusterShape cluster;
  int stages = 0;
  KernelSchedule schedule = KernelSchedule::Cooperative;
  Raster raster;
  int l2_promotion_bytes = 128;  // 0, 64, 128 or 256: granularity of a TMA load's L2 fills
  EvictFirst evict_first = {};
  Decomposition decomposition = {};
  GroupSchedule group_schedule = GroupSchedule::DeviceOnly;
  ProblemOrder problem_order = ProblemOrder::Given;
  Visitor visitor = Visitor::Triangular;
  bool swap_ab = false;  // computes D^T = B^T A^T: rows of the tile are columns of D
  Sm80Options sm80 = {};
  SkinnyOptions skinny = {};
  PeerOptions peers = {};
  bool operator==(const TileConfig&) const = default;
};

/// "128x256x64" to a tile of a CTA. Throws a usage error.
TileShape parse_tile(std::string_view text);
/// "fitted", "swizzle:B:M:S", "pad:N" or "none", in 16-bit elements. Throws a usage error.
SmemArrangement parse_smem_arrangement(std::string_view text);
std::string to_string(const SmemArrangement& smem);
std::string to_string(const WarpGrid& warps);
/// "none", "a", "b" or "ab".
std::string to_string(const EvictFirst& operands);
/// "cooperative" or "pingpong". Throws a usage error.
KernelSchedule parse_kernel_schedule(std::string_view text);
/// Throws a usage error.
EvictFirst parse_evict_first(std::string_view text);
/// "2x4" to warps along m and n. Throws a usage error.
WarpGrid parse_warps(std::string_view text);
/// "2x1" to a cluster shape. Throws a usage error.
ClusterShape parse_cluster(std::string_view text);
std::string to_string(const TileShape& tile);
std::string to_string(const ClusterShape& cluster);
/// "cooperative" or "pingpong".
std::string to_string(KernelSchedule schedule);

/// All keys as "key=value,..."; parse_config() gives the same config.
std::string to_string(const TileConfig& config);

/// The sizes of the kernel's product: m and n are exchanged where the config swaps A and B.
GemmShape kernel_shape(const GemmShape& shape, const TileConfig& config);

/// The output tile of a cluster, and the depth of a stage.
TileShape cluster_tile(const TileConfig& config);

/// Tiles of the output along m and n.
TileCoord tile_grid(const GemmShape& shape, const TileShape& cta);

/// The grid that the raster walks, in clusters: the kernel's tiles rounded up to whole clusters.
TileCoord cluster_grid(const GemmShape& shape, const TileConfig& config);

/// The config's raster for a grid of clusters (cluster_grid).
Raster cluster_raster(const TileConfig& config);

}  // namespace tilewright
