#include "model/output_sectors.hpp"

#include <cstdint>
#include <numeric>

#include "base/math.hpp"
#include "model/tile_cost.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {

double shared_sectors(const Plan& plan) {
  const ProductKind& kind = plan.product.kind;
  const GemmShape& shape = plan.product.shape;
  const TileConfig& c = plan.config;
  const int64_t bytes = bytes_of(output_type(kind));
  const int64_t columns = output_columns(kind, shape.n);
  const int64_t tile = output_columns(kind, c.swap_ab ? c.cta.m : c.cta.n);
  // Rows begin at all multiples of this, equally often.
  const int64_t apart = std::gcd(columns * bytes, kL2SectorBytes);
  const int64_t tiles = ceil_div(columns, tile);
  // Every so many tiles one begins at such a multiple, the first one included.
  const int64_t period = apart / std::gcd(tile * bytes, apart);
  const double whole = static_cast<double>(ceil_div(tiles, period) * apart) / kL2SectorBytes;
  return static_cast<double>(shape.m) * (static_cast<double>(tiles) - whole);
}

}  // namespace tilewright
