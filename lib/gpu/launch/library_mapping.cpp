#include "gpu/launch/library_mapping.hpp"

#include <algorithm>
#include <vector>

namespace tilewright {
namespace {

// The identifier of the algorithm that runs on Hopper's tensor cores, with any tile and cluster.
constexpr int kHopperAlgorithm = 66;

struct TileSize {
  int rows = 0;
  int columns = 0;
  bool operator==(const TileSize&) const = default;
};

// Sizes of column-major tiles in the order of cublasLtMatmulTile_t, from its value 1: those of
// earlier GPUs, then each multiple of 8 beside multiples of 64, and the reverse, that is new.
std::vector<TileSize> tiles_in_order() {
  std::vector<TileSize> tiles = {
      {8, 8},     {8, 16},    {16, 8},    {8, 32},    {16, 16},  {32, 8},    {8, 64},
      {16, 32},   {32, 16},   {64, 8},    {32, 32},   {32, 64},  {64, 32},   {32, 128},
      {64, 64},   {128, 32},  {64, 128},  {128, 64},  {64, 256}, {128, 128}, {256, 64},
      {64, 512},  {128, 256}, {256, 128}, {512, 64},  {64, 96},  {96, 64},   {96, 128},
      {128, 160}, {160, 128}, {192, 128}, {128, 192}, {128, 96}, {32, 256},  {256, 32}};
  constexpr int kMaxExtent = 768;
  const auto add = [&tiles](TileSize tile, int most_elements) {
    if (tile.rows * tile.columns > most_elements) return;
    if (std::find(tiles.begin(), tiles.end(), tile) == tiles.end()) tiles.push_back(tile);
  };
  for (int rows = 8; rows <= kMaxExtent; rows += 8) {
    for (int columns = 64; columns <= kMaxExtent; columns += 64) add({rows, columns}, 192 * 256);
  }
  for (int rows = 64; rows <= kMaxExtent; rows += 64) {
    for (int columns = 8; columns <= kMaxExtent; columns += 8) add({rows, columns}, 256 * 256);
  }
  return tiles;
}

}  // namespace

AlgorithmMapping tile_of(cublasLtMatmulTile_t tile) {
  static const std::vector<TileSize> tiles = tiles_in_order();
  const auto index = static_cast<size_t>(tile) - 1;
  if (index >= tiles.size()) return {};
  return {.tile_m = tiles[index].columns, .tile_n = tiles[index].rows};
}

ClusterShape cluster_of(cublasLtClusterShape_t shape) {
  switch (shape) {
    case CUBLASLT_CLUSTER_SHAPE_1x1x1: return {1, 1};
    case CUBLASLT_CLUSTER_SHAPE_2x1x1: return {1, 2};
    case CUBLASLT_CLUSTER_SHAPE_4x1x1: return {1, 4};
    case CUBLASLT_CLUSTER_SHAPE_8x1x1: return {1, 8};
    case CUBLASLT_CLUSTER_SHAPE_1x2x1: return {2, 1};
    case CUBLASLT_CLUSTER_SHAPE_1x4x1: return {4, 1};
    case CUBLASLT_CLUSTER_SHAPE_1x8x1: return {8, 1};
    case CUBLASLT_CLUSTER_SHAPE_2x2x1: return {2, 2};
    case CUBLASLT_CLUSTER_SHAPE_4x2x1: return {2, 4};
    case CUBLASLT_CLUSTER_SHAPE_2x4x1: return {4, 2};
    default: return {0, 0};
  }
}

std::optional<AlgorithmMapping> mapping_of(const LibraryFunctions& library,
                                           const cublasLtMatmulAlgo_t& algorithm) {
  const auto id = configuration_value<int32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_ID);
  const auto tile = configuration_value<uint32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID);
  const auto parts =
      configuration_value<int32_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  const auto shape =
      configuration_value<uint16_t>(library, algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID);
  if (id != kHopperAlgorithm || !tile || !parts || !shape) return std::nullopt;
  AlgorithmMapping mapping = tile_of(static_cast<cublasLtMatmulTile_t>(*tile));
  mapping.cluster = cluster_of(static_cast<cublasLtClusterShape_t>(*shape));
  mapping.slices = std::max(1, *parts);
  const bool is_known = mapping.tile_m > 0 && mapping.cluster.m > 0;
  return is_known ? std::optional(mapping) : std::nullopt;
}

}  // namespace tilewright
