// One grid a problem: which CTA computes which tile.
#pragma once

#include <cstdint>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/palette.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Tiles of all the grids of one picture, and how many grids.
inline constexpr int64_t kMostAssignedTiles = int64_t{512} * 512;
inline constexpr size_t kMostGrids = 64;

/// A unit and its place in what the CTA takes.
struct DealtUnit {
  ScheduledUnit unit;
  int64_t unit_index = 0;
};

/// Throws a usage error for more units than kMostAssignedTiles.
void require_drawable_units(const Plan& plan);

/// All units, those of one CTA in its order. Throws as above.
std::vector<DealtUnit> dealt_units(const Plan& plan);

/// Throws a usage error where the problems' grids exceed a picture.
void require_drawable_grids(const Plan& plan);

/// The CTA's number in every tile, coloured by its turn or its number; tiles that nobody wants are
/// hatched, with a number where a CTA comes to leave early. Divided tiles show all their CTAs.
/// No grid exceeds the room. Throws a usage error as above, overhang included.
std::vector<PageBlock> assignment_grids(const Plan& plan, const std::vector<DealtUnit>& units,
                                        const UnitColors& colors, const Room& room = {});

/// Adds the waves that lie beside each other in these grids. Throws as above.
void add_touching_waves(const Plan& plan, const std::vector<DealtUnit>& units, WavePairs& pairs);

/// What the marks of the grids mean, only those that occur; colours left out.
std::vector<LegendEntry> assignment_legend(const Plan& plan, const std::vector<DealtUnit>& units,
                                           int64_t missing_tiles);

}  // namespace tilewright
