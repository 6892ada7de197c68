// The bits of an offset under a swizzle: which are read, and which they are XORed into.
#pragma once

#include <cstdint>

#include "draw/diagram_page.hpp"
#include "layout/algebra/swizzle.hpp"
#include "layout/smem/swizzle_report.hpp"

namespace tilewright {

/// A row of boxes, the highest bit first; from each bit that is read an arrow goes to the bit that
/// it changes, and a row below has the result. A bracket names the bits that choose the bank of an
/// element. The bits shown are those of `elements`, and all that the swizzle touches.
PageBlock swizzle_bits_block(const Swizzle& swizzle, int element_bytes, int64_t elements);

/// The rows of one period to the right, ranges of columns down: filled where the elements of these
/// columns stay in this row where they were.
PageBlock swizzle_periods_block(const SwizzlePeriods& periods, const SharedTile& tile);

}  // namespace tilewright
