// The picture of an IREE nested layout: the thread that holds each element.
#pragma once

#include "draw/scene.hpp"
#include "layout/text/nested_report.hpp"

namespace tilewright {

/// Rank 1 as a row, rank 2 as a grid (dimension 0 down), higher ranks as slices of the last two
/// dimensions. Lines bound the contiguous elements of a thread, the outer and batch tiles and,
/// strongest, the subgroups. The report's thread is outlined, and its elements show their position
/// in the distributed shape. Throws a usage error for more elements than a picture holds.
Scene nested_diagram(const NestedReport& report, const AvailableSize& available = {});

}  // namespace tilewright
