// What a raster is: a named order of the tiles of a grid, small enough for a kernel's arguments.
#pragma once

namespace tw {

/// Coordinates or extents, in tiles.
struct TileCoord {
  int m = 0;
  int n = 0;
  bool operator==(const TileCoord&) const = default;
};

enum class RasterKind : int {
  Row,            // n fastest
  Col,            // m fastest
  SplitMerge,     // split by factors, merge; nondivisible splits add slots (nvFuser)
  SwizzleMerge,   // the same walk with ragged last groups: exactly M * N slots
  Triton,         // GROUP_SIZE_M: swizzle-merge of one factor by another name
  Snake,          // swizzle-merge of one factor, every second group walked backwards
  Cutlass2,       // CUTLASS 2.x identity threadblock swizzle
  Cutlass2NoPad,  // the same, narrowed until its groups divide the grid
  Cutlass3,       // CUTLASS 3.x C++ tile schedulers: both axes padded to whole groups
  CutlassDsl,     // CuTe DSL static persistent scheduler: the grouped axis padded
  Hilbert,        // generalised to rectangles of any extents: no slot is skipped
  Morton,         // Z-order of the box of powers of two around the grid
};

enum class GroupAxis : int { M, N };  // the axis that the first factor cuts

inline constexpr int kMaxRasterFactors = 4;

struct Raster {
  RasterKind kind = RasterKind::Row;
  GroupAxis axis = GroupAxis::M;
  int factor_count = 0;  // SwizzleMerge: 1 to kMaxRasterFactors; SplitMerge: 1 or 2; the others: 1;
                         // Row, Col, Hilbert and Morton: 0
  int factors[kMaxRasterFactors] = {};  // Cutlass3: beyond its factor the cluster, see in_clusters
  bool operator==(const Raster&) const = default;
};

constexpr TileCoord transposed(TileCoord t) {
  return {t.n, t.m};
}

constexpr bool is_inside(TileCoord grid, TileCoord tile) {
  return tile.m < grid.m && tile.n < grid.n;
}

/// The tile of CTA `rank` of a cluster (m runs fastest), of the cluster's tile.
constexpr TileCoord cta_tile(int cluster_m, int cluster_n, TileCoord cluster_tile, int rank) {
  return {cluster_tile.m * cluster_m + rank % cluster_m,
          cluster_tile.n * cluster_n + rank / cluster_m % cluster_n};
}

/// The raster of a grid of clusters: CUTLASS 3.x chooses its group width by the CTAs, so it has to
/// know how many of them a cell holds.
constexpr Raster in_clusters(Raster raster, int cluster_m, int cluster_n) {
  if (raster.kind != RasterKind::Cutlass3) return raster;
  raster.factors[1] = cluster_m;
  raster.factors[2] = cluster_n;
  return raster;
}

/// A kernel is compiled for one family of rasters: each costs registers of its own, and code that a
/// launch fetches before its first load.
enum class RasterFamily : int {
  Factors,  // SplitMerge and SwizzleMerge of several factors
  Groups,   // what other libraries and papers call their group walks
  Curves,   // Hilbert and Morton
  Plain,    // Row, Col, and SplitMerge and SwizzleMerge of one factor
};

constexpr RasterFamily family_of(const Raster& raster) {
  if (raster.kind <= RasterKind::SwizzleMerge) {
    return raster.factor_count <= 1 ? RasterFamily::Plain : RasterFamily::Factors;
  }
  return raster.kind < RasterKind::Hilbert ? RasterFamily::Groups : RasterFamily::Curves;
}

/// True where the scheduler that the raster models runs its padded tiles through the main loop
/// instead of leaving early. (This project's own kernels leave early in every raster.)
constexpr bool runs_padding(const Raster& raster) {
  return raster.kind == RasterKind::Cutlass3 || raster.kind == RasterKind::CutlassDsl;
}

}  // namespace tw
