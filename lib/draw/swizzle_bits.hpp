// The bits of an offset under a swizzle: which are read, and into which they are XORed.
#pragma once

#include <cstdint>

#include "draw/diagram_page.hpp"
#include "layout/algebra/swizzle.hpp"
#include "layout/smem/swizzle_report.hpp"

namespace tilewright {

/// A row of boxes, the highest bit first. An arrow leads from each bit that is read to the bit that
/// it changes; the row below is the result. A bracket marks the bits that choose the bank of an
/// element. The picture has the bits of offsets below `elements` and all bits that the swizzle
/// uses.
PageBlock swizzle_bits_block(const Swizzle& swizzle, int element_bytes, int64_t elements);

/// The rows of one period to the right, ranges of columns down: filled where the swizzle leaves the
/// elements of these columns in place in this row.
PageBlock swizzle_periods_block(const SwizzlePeriods& periods, const SharedTile& tile);

}  // namespace tilewright
