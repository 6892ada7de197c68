// The plan of a launch: which CTA computes which work tile in which order. It is computed once from
// a workload, a config and a device, by the functions that kernels call.
//
//   problems --order--> slots of each raster or triangle --decomposition--> units
//            --group schedule--> workers (clusters of the launch) --> tiles of their CTAs
//
// Kernels, proof, traffic replay, timeline, pictures and the comparison with a trace walk this
// plan.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "map/work_units.cuh"
#include "tile/config/family.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/plan/work_tile.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Faults of other schedulers, for the proof to show.
enum class Emulation {
  None,
  Cutlass3Grouped,  // the host counts unpadded tiles, the device walks padded ones
};

struct ExternalSchedule;

/// Inputs of a plan besides its config.
struct PlanOptions {
  int64_t ctas = 0;           // of the launch; 0: as many as the device runs at once
  int64_t resident = 0;       // CTAs that run at once; 0: as many as the device holds
  int rank = 0;               // the GPU, where several share the product
  OperandPlaces places = {};  // of the launch's matrices
  Emulation emulation = Emulation::None;
  // Another scheduler's assignment; null: the config's decomposition and raster assign the work.
  std::shared_ptr<const ExternalSchedule> external = nullptr;
  bool operator==(const PlanOptions&) const = default;
};

/// One problem with its counts: sizes of the kernel (m and n swapped with swap_ab), in tiles,
/// clusters and k-steps.
struct PlannedProblem {
  GemmShape shape;
  TileCoord tiles;  // CTA tiles
  tw::SlotMap map;  // slots to clusters of tiles
  tw::ProblemWork<int64_t> work;
};

/// The units that each worker reads from a table of the host: the problem's index in scheduling
/// order, and the unit.
struct ScheduleTable {
  std::vector<std::vector<tw::TableEntry>> of_worker;
  int64_t entry_count() const;
  /// Bytes of all entries on the device, and of one 4-byte offset per worker.
  int64_t bytes() const;
};

struct Plan {
  Workload workload;
  TileConfig config;
  PlanOptions options;
  KernelParams kernel;  // the constants of its family's kernel for the first problem
  Repacked copies;      // operands that are copied before a TMA kernel loads them
  Problem product;      // the first problem; for a rank-k update the product of its full square
  Reduction reduction = Reduction::Serial;        // of divided tiles
  std::vector<PlannedProblem> problems;           // by the user's index
  std::vector<int> order;                         // user's indices in scheduling order
  std::vector<tw::ProblemWork<int64_t>> ordered;  // the problems' work in that order
  int64_t cluster_size = 1;      // CTAs of a cluster of the launch, including those along k
  int64_t workers = 0;           // clusters of the launch
  int64_t launched_workers = 0;  // workers that have work; the launch starts these
  int64_t most_units = 0;        // upper bound of the units of the busiest worker
  int64_t resident = 0;          // CTAs that run at once
  int ctas_per_sm = 1;           // that run at once, as far as the host can know
  int64_t units = 0;             // that are assigned one by one, without stream-K tiles
  int64_t stream_k_tiles = 0;    // leading slots of the concatenation, divided by k-steps
  int64_t stream_k_steps = 0;

  int64_t ctas() const { return workers * cluster_size; }
  tw::Division division() const;
  /// CTAs of a cluster along k, each a slice of one tile.
  int cluster_k() const {
    return static_cast<int>(cluster_size) / config.cluster.m / config.cluster.n;
  }
  /// Slices of a tile of the first problem.
  int slices() const { return problems.front().work.slices; }
  const PlannedProblem& problem(int number) const { return problems[static_cast<size_t>(number)]; }
};

enum class UnitKind {
  Work,
  EarlyExit,  // nothing to compute; the CTA skips it at once
  Padded,     // nothing to compute, and the main loop runs
};

/// One unit of a CTA.
struct ScheduledUnit {
  int64_t cta = 0;
  WorkTile work;
  UnitKind kind = UnitKind::Work;
};

using UnitVisitor = std::function<void(const ScheduledUnit&)>;

/// The blocks of rows that GPU `rank` visits; one block for a product of one GPU.
tw::PeerBlocks peer_blocks_of(const Workload& workload, const TileConfig& config, int rank);

/// Why the blocks of rows have no whole clusters; empty where they have.
std::string why_no_blocks(const Workload& workload, const TileConfig& config);

/// The plan of every GPU that shares the product.
std::vector<Plan> plans_of_ranks(const Workload& workload, const TileConfig& config,
                                 const DeviceSpec& device, PlanOptions options = {});

/// The first problem's tiles, rounded up to whole clusters.
TileCoord launched_tiles(const Plan& plan);

/// One problem of a workload with its counts, as GPU 0 walks it. Throws a usage error beyond 2^31
/// k-steps.
PlannedProblem count_problem(const Workload& workload, const GemmShape& shape,
                             const TileConfig& config);

/// How the launch finds its units.
tw::Grouping grouping_of(const Workload& workload, const TileConfig& config);

/// Makes a plan. Throws a usage error for parameters that contradict each other, and beyond 2^40
/// units. It does not check whether a kernel can run the config: see reject_workload().
Plan make_plan(const Workload& workload, const TileConfig& config, const DeviceSpec& device,
               const PlanOptions& options = {});
Plan make_plan(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
               const PlanOptions& options = {});

/// Why the config cannot walk a triangle; empty where it can.
std::string why_no_triangle_walk(const TileConfig& config);

/// K-steps of the longest part of a tile; of the longest tile where none is divided.
int64_t longest_part(const Plan& plan);

/// An upper bound of the parts of divided tiles.
int64_t part_count(const Plan& plan);

/// Throws a usage error where a plan has too many units, or parts of divided tiles, for a walk.
void require_walkable(const Plan& plan);

/// Visits every unit: those of one CTA in its order, the CTAs in any order.
void for_each_unit(const Plan& plan, const UnitVisitor& visit);

/// Visits the tiles of a problem round by round, first the first tile of every worker, then the
/// second: the worker and its cluster's tile, without overhang. Divided tiles come as if whole.
/// Where `visit` returns false, its worker gets no more tiles.
void for_each_whole_tile(const Plan& plan, int problem, int64_t workers,
                         const std::function<bool(int64_t worker, TileCoord cluster)>& visit);

/// By problem: the slots with several slices of the problems before it in scheduling order.
std::vector<int> divided_slots_before(const Plan& plan);

/// The table of a host-precomputed schedule: the units of for_each_unit() except stream-K tiles,
/// of which every worker computes its share itself.
ScheduleTable schedule_table(const Plan& plan);

/// Bytes in device memory by which our kernel finds a group's units and operands: tensor maps,
/// sizes or rows, and the table of a host-precomputed schedule. 0 for one product.
int64_t table_bytes(const Plan& plan);

/// The first unit in the grid of each of the first `count` CTAs, with its k-steps; nullopt for a
/// CTA without one. For plans of one problem.
std::vector<std::optional<WorkTile>> first_units(const Plan& plan, int64_t count);

/// The work of every CTA in its order, without early exits and padding. Throws a usage error beyond
/// 2^22 units.
std::vector<std::vector<WorkTile>> assignments(const Plan& plan);

/// True where the launch walks all tiles of the square that a triangle is part of.
bool visits_square(const Plan& plan);

/// True where the tile is part of the problem's output.
bool is_in_output(const Plan& plan, int problem, TileCoord tile);

/// The programs of the plan's kernel: the product's first, then those that run before or after it.
/// Throws a usage error for extras that its family does not support.
std::vector<KernelSource> kernel_sources(const Plan& plan, const KernelExtras& extras = {});

/// The kernel's arguments for the work of a plan of one problem. Throws an internal error where the
/// counts exceed the kernel's types.
tw::LaunchWork<int> launch_work(const Plan& plan);

/// K-steps of one phase of a tile; of a product, all of them.
int phase_steps(const Plan& plan);

/// How often an element's sum is rounded to the output's type: once per part where parts are added
/// in place, else once.
int output_roundings(const Plan& plan);

/// CTAs of a cluster of the launch: those that share operands, times those along k.
int launch_cluster_size(const TileConfig& config);

/// "cutlass3-grouped". Throws a usage error.
Emulation parse_emulation(std::string_view text);
/// Empty for None.
std::string to_string(Emulation emulation);

}  // namespace tilewright
