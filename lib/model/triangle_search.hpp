// The time that a CTA needs to find the tiles of a triangle.
#pragma once

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Microseconds of each tile, besides its raster's: where neither side of a CTA tile divides the
/// other, the search counts rows of bands; elsewhere 0.
double triangle_search_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
