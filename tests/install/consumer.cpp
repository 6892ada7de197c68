// A stranger's program: only installed headers and tilewright::core.
#include <map/tile_map.cuh>
#include <tile/config/raster.hpp>

int main() {
  const tw::Raster raster = tilewright::parse_raster("swizzle-merge:4");
  return tilewright::to_string(raster) == "swizzle-merge:4" ? 0 : 1;
}
