#include "answer/cover_configs.hpp"

#include <vector>

#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// `cover h200 240 96` and `cover a100 80 14` of 2026-11-28, the most useful first, without keys
// that have their default. The first 60 are at 0.994 of the model's best on products that they were
// not chosen for, all 96 at 0.9965.
constexpr const char* kConfigs[] = {
    "cta=64x64x64,stages=12,raster=col",
    "cta=64x80x64,stages=12,decomposition=split-k:6:workspace,swap_ab=true",
    "cta=128x176x64,cluster=2x1,stages=5,schedule=pingpong,swap_ab=true",
    "cta=128x112x64,stages=6",
    "cta=64x32x64,stages=12,decomposition=split-k:3:workspace,swap_ab=true",
    "cta=128x64x64,stages=8,raster=swizzle-merge:5@n,swap_ab=true",
    "cta=192x160x64,stages=4",
    "cta=64x104x64,cluster=2x1,stages=10,decomposition=split-k:8:workspace,swap_ab=true",
    "cta=64x24x64,stages=12,swap_ab=true",
    "cta=64x120x64,stages=8,raster=col,decomposition=split-k:4:workspace",
    "cta=192x128x64,stages=4,raster=col",
    "cta=128x104x64,cluster=1x2,stages=7,decomposition=split-k:4:workspace,swap_ab=true",
    "cta=128x120x64,stages=7,decomposition=split-k:2:workspace,swap_ab=true",
    "cta=128x104x64,cluster=2x2,stages=6,raster=swizzle-merge:5",
    "cta=128x112x64,cluster=2x2,stages=6,raster=swizzle-merge:5@n,swap_ab=true",
    "cta=128x192x64,cluster=2x1,stages=5,schedule=pingpong,raster=swizzle-merge:16@n",
    "cta=64x16x64,stages=12,decomposition=split-k:33:atomic,swap_ab=true",
    "cta=128x144x64,stages=5,raster=swizzle-merge:4@n",
    "cta=192x200x64,cluster=1x2,stages=4,raster=swizzle-merge:3",
    "cta=128x72x64,stages=7,raster=swizzle-merge:4@n,swap_ab=true",
    "cta=64x72x64,stages=12,swap_ab=true",
    "cta=128x64x64,stages=8",
    "cta=128x168x64,cluster=1x2,stages=5,schedule=pingpong,raster=swizzle-merge:13@n",
    "cta=128x16x64,stages=12,swap_ab=true",
    "cta=192x128x64,stages=4,schedule=pingpong,raster=swizzle-merge:15@n",
    "cta=128x104x64,cluster=2x2,stages=7,swap_ab=true",
    "cta=64x8x64,stages=12,swap_ab=true",
    "cta=64x104x64,cluster=2x2,stages=10,decomposition=split-k:5:workspace",
    "cta=128x88x64,stages=7",
    "cta=192x144x64,stages=4",
    "cta=192x112x64,stages=5",
    "cta=64x48x64,stages=12,swap_ab=true",
    "cta=128x200x64,cluster=2x1,stages=5,swap_ab=true",
    "cta=128x64x64,cluster=1x2,stages=8",
    "cta=128x232x64,cluster=2x1,stages=4,raster=swizzle-merge:3,swap_ab=true",
    "cta=128x136x64,stages=5,swap_ab=true",
    "cta=192x8x64,stages=8,swap_ab=true",
    "cta=128x224x64,stages=4",
    "cta=128x112x64,stages=7,raster=col,decomposition=split-k:2:workspace",
    "cta=64x48x64,stages=12,raster=col",
    "cta=64x136x64,cluster=2x1,stages=8,swap_ab=true",
    "cta=64x48x64,stages=12,decomposition=split-k:22:atomic,swap_ab=true",
    "cta=64x120x64,stages=8,raster=col",
    "cta=192x120x64,stages=4",
    "cta=192x40x64,stages=6,swap_ab=true",
    "cta=256x160x64,stages=4,raster=swizzle-merge:5@n,swap_ab=true",
    "cta=128x152x64,stages=5,schedule=pingpong,raster=swizzle-merge:4,swap_ab=true",
    "cta=64x80x64,stages=10",
    "cta=128x224x64,cluster=2x2,stages=5,decomposition=split-k:2:workspace,swap_ab=true",
    "cta=128x208x64,cluster=4x1,stages=4,raster=swizzle-merge:13",
    "cta=64x96x64,cluster=2x2,stages=10",
    "cta=192x160x64,cluster=2x1,stages=4,raster=swizzle-merge:2@n",
    "cta=192x136x64,stages=4,raster=swizzle-merge:4",
    "cta=128x288x64,cluster=2x1,stages=4,raster=swizzle-merge:2",
    "cta=192x112x64,cluster=2x2,stages=5",
    "cta=64x40x64,stages=12,swap_ab=true",
    "cta=128x104x64,cluster=2x2,stages=7,raster=split-merge:14",
    "cta=128x184x64,stages=5,schedule=pingpong,raster=swizzle-merge:8",
    "cta=128x192x64,cluster=1x2,stages=5,schedule=pingpong,raster=col",
    "cta=192x168x64,cluster=2x1,stages=4,raster=swizzle-merge:2@n",
    "cta=256x184x64,cluster=2x1,stages=3",
    "cta=192x96x64,stages=5,schedule=pingpong,raster=swizzle-merge:4,swap_ab=true",
    "cta=128x8x64,stages=12,swap_ab=true",
    "cta=128x224x64,cluster=2x1,stages=4,raster=split-merge:3,swap_ab=true",
    "cta=128x248x64,cluster=2x1,stages=4,raster=col",
    "cta=192x200x64,stages=4",
    "cta=64x32x64,stages=12,swap_ab=true",
    "family=skinny,cta=8x16x128,k_warps=8,stages=4",
    "cta=192x48x64,stages=6",
    "cta=128x96x64,stages=6,raster=swizzle-merge:4",
    "cta=64x200x64,stages=6,decomposition=split-k:4:workspace,swap_ab=true",
    "cta=256x152x64,cluster=1x2,stages=4,raster=swizzle-merge:11",
    "cta=192x152x64,stages=4",
    "cta=128x104x64,cluster=1x2,stages=7,swap_ab=true",
    "cta=192x120x64,stages=4,swap_ab=true",
    "cta=64x56x64,stages=12,raster=swizzle-merge:2,swap_ab=true",
    "cta=64x56x64,stages=12,raster=swizzle-merge:2",
    "cta=64x16x64,stages=12,swap_ab=true",
    "family=skinny,cta=8x32x64,k_warps=8,stages=4",
    "cta=64x184x64,cluster=2x1,stages=6,raster=swizzle-merge:4",
    "cta=128x48x64,stages=8",
    "cta=192x96x64,stages=4,raster=col",
    "cta=64x104x64,cluster=1x2,stages=8",
    "cta=64x128x64,cluster=4x1,stages=8",
    "cta=256x176x64,stages=3,raster=swizzle-merge:4,swap_ab=true",
    "cta=128x144x64,cluster=1x2,stages=5,raster=swizzle-merge:9",
    "cta=128x232x64,stages=4,swap_ab=true",
    "cta=64x24x64,stages=12",
    "cta=128x32x64,stages=10,swap_ab=true",
    "cta=192x144x64,stages=5",
    "cta=192x112x64,stages=4,raster=col",
    "cta=64x16x64,stages=12",
    "cta=192x160x64,stages=4,raster=swizzle-merge:4@n,swap_ab=true",
    "cta=64x96x64,cluster=1x2,stages=10",
    "cta=64x40x64,stages=12",
    "cta=128x192x64,stages=5,schedule=pingpong,raster=swizzle-merge:8",
    // Ampere
    "family=sm80,cta=32x64x64,warps=2x4,stages=3,raster=swizzle-merge:4",
    "family=skinny,cta=16x16x64,k_warps=2,stages=2",
    "family=sm80,cta=128x64x64,warps=2x2,stages=4,raster=swizzle-merge:3@n",
    "family=sm80,cta=16x64x64,warps=1x4,stages=3,raster=swizzle-merge:4",
    "family=skinny,cta=8x16x128,k_warps=4,stages=2",
    "family=sm80,cta=64x64x64,warps=2x2,stages=2,raster=swizzle-merge:4",
    "family=sm80,cta=64x32x64,warps=2x2,stages=3,decomposition=split-k:8",
    "family=sm80,cta=64x128x64,warps=2x4,stages=4,decomposition=split-k:4:workspace",
    "family=sm80,cta=64x256x32,warps=2x4,stages=3,raster=swizzle-merge:5@n",
    "family=sm80,cta=128x64x64,warps=2x4,stages=4,decomposition=split-k:3:workspace",
    "family=sm80,cta=64x128x64,warps=2x4,stages=4,raster=swizzle-merge:4",
    "family=sm80,cta=64x32x64,warps=2x2,stages=3",
    "family=sm80,cta=64x128x64,warps=2x4,stages=4,decomposition=split-k:6",
    "family=sm80,cta=128x128x32,warps=2x4,stages=3,raster=swizzle-merge:4",
};

}  // namespace

std::vector<TileConfig> cover_configs(DataType operands) {
  constexpr int kBytesOfBf16 = 2;
  std::vector<TileConfig> configs;
  for (const char* const text : kConfigs) {
    configs.push_back(config_of(parse_config(text)));
    TileConfig& config = configs.back();
    config.cta.k = config.cta.k * kBytesOfBf16 / static_cast<int>(bytes_of(operands));
  }
  return configs;
}

}  // namespace tilewright
