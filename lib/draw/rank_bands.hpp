// The timelines of GPUs that share a product, one below the other: the lanes of each GPU's CTAs,
// and a lane for its link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/gantt.hpp"
#include "tile/plan/link_span.hpp"
#include "tile/plan/plan.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// What one GPU does when.
struct RankTimeline {
  std::vector<WorkSpan> spans;
  std::vector<LinkSpan> links;  // what it sends, or receives of A, in order
};

/// The GPU that owns each row of tiles of a product that GPUs share.
std::vector<int> owners_of_rows(const Plan& plan);

/// Throws a usage error beyond kMaxLanes a GPU, and beyond kMaxSpans of all GPUs.
void require_drawable_ranks(int64_t lanes, std::span<const RankTimeline> ranks);

/// End of the last span of all GPUs, microseconds.
double last_end_us(std::span<const RankTimeline> ranks);

/// A band for each GPU, with one time axis. `alike` has what the bands have in common: its lanes,
/// owners and times, but no spans. Tiles and links have the colour of the GPU that owns the rows.
/// No band exceeds the available size of all together.
PageBlock rank_bands(const Gantt& alike, std::span<const RankTimeline> ranks, Collective collective,
                     const AvailableSize& available);

/// Explains the colours that occur in the bands.
std::vector<LegendEntry> rank_legend(const Gantt& alike, std::span<const RankTimeline> ranks,
                                     Collective collective);

}  // namespace tilewright
