// A stranger's program: only installed headers and tilewright::core.
#include <tile/raster.hpp>
#include <tile_map.cuh>

int main() {
  const tw::Raster raster = tilewright::parse_raster("swizzle-merge:4");
  return tilewright::to_string(raster) == "swizzle-merge:4" ? 0 : 1;
}
