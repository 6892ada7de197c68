// Reads how an algorithm of cuBLASLt divides a product.
#pragma once

#include <cublasLt.h>

#include <optional>

#include "answer/library_price.hpp"
#include "gpu/launch/library_product.hpp"

namespace tilewright {

/// The mapping of an algorithm for Hopper's tensor cores; nothing for others, and for tiles and
/// clusters that this program does not know.
std::optional<AlgorithmMapping> mapping_of(const LibraryFunctions& library,
                                           const cublasLtMatmulAlgo_t& algorithm);

/// The tile of a cublasLtMatmulTile_t, in the terms of a row-major D; 0 x 0 for unknown ones.
AlgorithmMapping tile_of(cublasLtMatmulTile_t tile);

/// The same for a cluster; 0 x 0 for unknown ones.
ClusterShape cluster_of(cublasLtClusterShape_t shape);

}  // namespace tilewright
