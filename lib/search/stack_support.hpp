// What other stacks can express of a config: whether they have its kernel, raster and options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/space.hpp"
#include "tile/config/raster.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// CUTLASS 4's generated kernels, the tutorials of Triton, the matmul scheduler of nvFuser.
enum class Stack { Cutlass, Triton, NvFuser };

inline constexpr Stack kStacks[] = {Stack::Cutlass, Stack::Triton, Stack::NvFuser};

/// "cutlass", "triton" or "nvfuser".
std::string_view to_string(Stack stack);

/// Nothing for other names.
std::optional<Stack> stack_of(std::string_view name);

/// The property of the workload that no stack takes: a group, a triangle, a bias; else empty.
std::string why_not_plain_product(const Workload& workload);

/// A part of an epilogue that neither the calls of shipped libraries nor harnesses know:
/// "row-bias"; empty if they know all of it.
std::string part_without_interface(const Epilogue& epilogue);

/// Why the stack has no kernel for the config of a plain product; empty if it has one.
std::string why_no_kernel(Stack stack, const Workload& workload, const TileConfig& config);

/// The stack's raster that walks the grid of a plain product slot by slot as the config's does.
std::optional<Raster> same_walk(Stack stack, const Workload& workload, const TileConfig& config);

/// Why the stack cannot express the config; empty if it can: it has the kernel, the raster and
/// every option. Ignores what it can express of no config, for example the width of L2 requests.
std::string why_unsupported(Stack stack, const Workload& workload, const TileConfig& config);

/// The spaces with the stack's rasters, and without clusters and evictions that it cannot express;
/// values that a space names stay. why_unsupported() still refuses some of their configs.
std::vector<SearchSpace> spaces_supported_by(Stack stack, std::vector<SearchSpace> spaces);

/// Tile and cluster of the transposed product D' = B' A', which CUTLASS's generated kernels
/// compute: their D is column-major.
struct TransposedTile {
  TileShape cta;
  ClusterShape cluster;
};

TransposedTile transposed_tile(const TileConfig& config);

}  // namespace tilewright
