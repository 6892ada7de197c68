// What it takes a CTA to find the tiles of a triangle.
#pragma once

#include "tile/plan/plan.hpp"

namespace tilewright {

/// Microseconds of each tile, beside what its raster takes: walks of tiles of which neither side
/// divides the other count rows of bands; of others 0.
double triangle_search_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
