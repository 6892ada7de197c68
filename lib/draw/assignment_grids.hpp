// One grid per problem: which CTA computes which tile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "draw/diagram_page.hpp"
#include "draw/palette.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// Most tiles of all grids of one picture, and most grids.
inline constexpr int64_t kMaxAssignedTiles = int64_t{512} * 512;
inline constexpr size_t kMaxGrids = 64;

/// A unit and its index among the units of its CTA.
struct DealtUnit {
  ScheduledUnit unit;
  int64_t unit_index = 0;
  std::optional<double> rereads = {};  // DRAM re-reads of the unit's wave; none: unknown
};

/// ", DRAM re-reads 5.7x"; empty where they are unknown.
std::string reuse_text(const DealtUnit& dealt);

/// Throws a usage error for more units than kMaxAssignedTiles.
void require_drawable_units(const Plan& plan);

/// All units; those of one CTA are in execution order. `rereads`: DRAM re-reads of each wave, empty
/// if unknown. Throws as above.
std::vector<DealtUnit> dealt_units(const Plan& plan, std::span<const double> rereads = {});

/// Throws a usage error where the grids of the problems are too large for a picture.
void require_drawable_grids(const Plan& plan);

/// Each tile shows the number of its CTA, coloured by the CTA or by the unit's index. Tiles outside
/// the output are hatched; they have a number where a CTA is scheduled there and exits early.
/// Divided tiles show all their CTAs. Empty problems have no grid; many grids of few rows and equal
/// columns are one, with the problems below each other. No grid exceeds the available size. Throws
/// a usage error as above, with the overhang counted.
std::vector<PageBlock> assignment_grids(const Plan& plan, const std::vector<DealtUnit>& units,
                                        const UnitColors& colors,
                                        const AvailableSize& available = {});

/// Adds the pairs of waves that are neighbours in these grids. Throws as above.
void add_touching_waves(const Plan& plan, const std::vector<DealtUnit>& units, WavePairs& pairs);

/// Explains the marks that occur in the grids; colours are left out.
std::vector<LegendEntry> assignment_legend(const Plan& plan, const std::vector<DealtUnit>& units,
                                           int64_t missing_tiles);

}  // namespace tilewright
