#include "model/output_sectors.hpp"

#include <cstdint>
#include <numeric>

#include "base/math.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {

double shared_sectors(const Plan& plan) {
  constexpr int64_t kSectorBytes = 32;
  const ProductKind& kind = plan.product.kind;
  const GemmShape& shape = plan.product.shape;
  const TileConfig& c = plan.config;
  const int64_t bytes = bytes_of(output_type(kind));
  const int64_t columns = output_columns(kind, shape.n);
  const int64_t tile = output_columns(kind, c.swap_ab ? c.cta.m : c.cta.n);
  // Rows begin at all multiples of the greatest common divisor, equally often.
  const int64_t of_row = std::gcd(columns * bytes, kSectorBytes);
  const int64_t of_tile = std::gcd(tile * bytes, of_row);
  const auto share = [](int64_t apart) { return 1 - static_cast<double>(apart) / kSectorBytes; };
  const auto inner = static_cast<double>(ceil_div(columns, tile) - 1);
  return static_cast<double>(shape.m) * (share(of_row) + inner * share(of_tile));
}

}  // namespace tilewright
