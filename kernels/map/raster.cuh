// A raster: a named order of the tiles of a grid, small enough for a kernel's arguments.
#pragma once

namespace tw {

/// Coordinates or extents, in tiles.
struct TileCoord {
  int m = 0;
  int n = 0;
  bool operator==(const TileCoord&) const = default;
};

/// kRasters describes each kind.
enum class RasterKind : int {
  Row,
  Col,
  SplitMerge,
  SwizzleMerge,
  Triton,
  Snake,
  Cutlass2,
  Cutlass2NoPad,
  Cutlass3,
  CutlassDsl,
  Hilbert,
  Morton,
};

enum class GroupAxis : int { M, N };  // the axis that the first factor cuts

inline constexpr int kMaxRasterFactors = 8;

struct Raster {
  RasterKind kind = RasterKind::Row;
  GroupAxis axis = GroupAxis::M;
  TileCoord cluster = {};  // CTAs per cell of the grid, for orders that use it; see in_clusters
  int factor_count = 0;    // 0 for a kind without factors
  int factors[kMaxRasterFactors] = {};
  bool operator==(const Raster&) const = default;
};

constexpr TileCoord transposed(TileCoord t) {
  return {t.n, t.m};
}

constexpr bool is_inside(TileCoord grid, TileCoord tile) {
  return tile.m < grid.m && tile.n < grid.n;
}

/// The tile of CTA `rank` in a cluster (m runs fastest) that computes `cluster_tile`.
constexpr TileCoord cta_tile_coord(int cluster_m, int cluster_n, TileCoord cluster_tile, int rank) {
  return {cluster_tile.m * cluster_m + rank % cluster_m,
          cluster_tile.n * cluster_n + rank / cluster_m % cluster_n};
}

/// The raster for a grid of clusters. CUTLASS 3.x chooses its group width by the extents in CTAs,
/// so its raster stores how many CTAs a cell holds.
constexpr Raster in_clusters(Raster raster, int cluster_m, int cluster_n) {
  if (raster.kind != RasterKind::Cutlass3) return raster;
  raster.cluster = {cluster_m, cluster_n};
  return raster;
}

/// A kernel is compiled for one family of rasters: each costs registers of its own, and code that a
/// launch fetches before its first load.
enum class RasterFamily : int {
  Factors,  // SplitMerge and SwizzleMerge of several factors
  Groups,   // the group walks of other libraries and of papers
  Curves,   // Hilbert and Morton
  Plain,    // Row, Col, and SplitMerge and SwizzleMerge of one factor
};

/// The properties of a kind of raster.
struct RasterRecord {
  RasterKind kind;
  const char* name;     // as configs spell it
  const char* factors;  // how a config spells factors and axis after the name; empty: it has none
  int most_factors;     // a kind with factors needs at least one
  char separator;       // between factors
  bool has_axis;        // may cut along n too: NAME:F@n
  bool narrows;         // narrows its groups to fit the grid
  bool runs_padding;    // the scheduler that it models runs padded tiles through the main loop
  RasterFamily family;  // with at most one factor
  const char* meaning;  // for help
};

inline constexpr RasterRecord kRasters[] = {
    {RasterKind::Row, "row", "", 0, ',', false, false, false, RasterFamily::Plain,
     "row by row, n fastest"},
    {RasterKind::Col, "col", "", 0, ',', false, false, false, RasterFamily::Plain,
     "column by column, m fastest"},
    {RasterKind::SplitMerge, "split-merge", ":F[xF2][@m|@n]", 2, 'x', true, false, false,
     RasterFamily::Plain,
     "nvFuser's swizzle: groups of F, visited across; groups that do not divide the grid add "
     "slots"},
    {RasterKind::SwizzleMerge, "swizzle-merge", ":F[,F2...][@m|@n]", kMaxRasterFactors, ',', true,
     false, false, RasterFamily::Plain,
     "the same order with a smaller last group: it adds no slot"},
    {RasterKind::Triton, "triton", ":G", 1, ',', false, false, false, RasterFamily::Groups,
     "Triton's GROUP_SIZE_M: the same as swizzle-merge with one factor"},
    {RasterKind::Snake, "snake", ":F[@m|@n]", 1, ',', true, false, false, RasterFamily::Groups,
     "swizzle-merge with one factor, every second group visited backwards"},
    {RasterKind::Cutlass2, "cutlass2", ":N", 1, ',', false, true, false, RasterFamily::Groups,
     "CUTLASS 2.x identity threadblock swizzle"},
    {RasterKind::Cutlass2NoPad, "cutlass2-nopad", ":N", 1, ',', false, true, false,
     RasterFamily::Groups, "the same, with narrower groups until they divide the grid"},
    {RasterKind::Cutlass3, "cutlass3", ":N[@m|@n]", 1, ',', true, true, true, RasterFamily::Groups,
     "CUTLASS 3.x tile schedulers: both axes padded to whole groups"},
    {RasterKind::CutlassDsl, "cutlass-dsl", ":N[@m|@n]", 1, ',', true, false, true,
     RasterFamily::Groups, "CuTe DSL static persistent scheduler: the grouped axis padded"},
    {RasterKind::Hilbert, "hilbert", "", 0, ',', false, false, false, RasterFamily::Curves,
     "Hilbert's curve, generalised to rectangles: it adds no slot"},
    {RasterKind::Morton, "morton", "", 0, ',', false, false, false, RasterFamily::Curves,
     "Z-order of the power-of-two box around the grid"},
};

constexpr const RasterRecord& record_of(RasterKind kind) {
  for (const RasterRecord& record : kRasters) {
    if (record.kind == kind) return record;
  }
  return kRasters[0];
}

constexpr RasterFamily family_of(const Raster& raster) {
  const RasterFamily family = record_of(raster.kind).family;
  return family == RasterFamily::Plain && raster.factor_count > 1 ? RasterFamily::Factors : family;
}

}  // namespace tw
