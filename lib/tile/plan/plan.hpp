// The plan of a launch: which CTA computes which work tile in which order, worked out once from a
// workload, a config and a device, by the functions that kernels call.
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

/// Other schedulers' faults, to be seen by the proof.
enum class Emulation {
  None,
  Cutlass3Grouped,  // the host counts unpadded tiles, the device walks padded ones
};

struct GivenWork;

/// What a plan is asked for beside its config.
struct PlanOptions {
  int64_t ctas = 0;           // of the launch; 0: as many as the device runs at once
  int64_t resident = 0;       // CTAs that run at once; 0: what the device holds
  OperandPlaces places = {};  // of the matrices of a launch
  Emulation emulation = Emulation::None;
  // What somebody else deals out instead; null: the config's decomposition and raster do.
  std::shared_ptr<const GivenWork> given = nullptr;
  bool operator==(const PlanOptions&) const = default;
};

/// One problem as the scheduler sees it: sizes of the kernel (m and n swapped with swap_ab), counts
/// in tiles, clusters and k-steps.
struct PlannedProblem {
  GemmShape shape;
  TileCoord tiles;  // CTA tiles
  tw::SlotMap map;  // slots to clusters of tiles
  tw::ProblemWork<int64_t> work;
};

/// Units a worker reads from a table that the host writes: problem (its place in scheduling order)
/// and unit.
struct ScheduleTable {
  std::vector<std::vector<tw::TableEntry>> of_worker;
  int64_t entry_count() const;
  /// Of all entries, as the device reads them, and a 4-byte offset a worker.
  int64_t bytes() const;
};

struct Plan {
  Workload workload;
  TileConfig config;
  PlanOptions options;
  KernelParams kernel;  // the constants of its family's kernel, as the first problem wants them
  Repacked copies;      // operands that are copied before a TMA kernel loads them
  Problem product;      // the first, or of a rank-k update the product that its square is
  Reduction reduction = Reduction::Serial;        // of divided tiles
  std::vector<PlannedProblem> problems;           // by the user's numbers
  std::vector<int> order;                         // scheduling order, of the user's numbers
  std::vector<tw::ProblemWork<int64_t>> ordered;  // the problems' work in that order
  int64_t cluster_size = 1;      // CTAs of a cluster of the launch, those along k included
  int64_t workers = 0;           // clusters of the launch
  int64_t launched_workers = 0;  // of those: that have work, what a launch starts
  int64_t most_units = 0;        // that the busiest of them takes, at most
  int64_t resident = 0;          // CTAs that run at once
  int ctas_per_sm = 1;           // at once; of the sm90 family 1
  int64_t units = 0;             // that are dealt one by one, streamed tiles left out
  int64_t streamed = 0;          // of the concatenated slots, dealt by k-steps
  int64_t streamed_steps = 0;

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
  EarlyExit,  // nothing to compute, and the CTA sees it at once
  Padded,     // nothing to compute, and the main loop runs
};

/// What a CTA takes from the scheduler.
struct ScheduledUnit {
  int64_t cta = 0;
  WorkTile work;
  UnitKind kind = UnitKind::Work;
};

using UnitVisitor = std::function<void(const ScheduledUnit&)>;

/// One problem of a workload, counted out. Throws a usage error beyond 2^31 k-steps.
PlannedProblem count_problem(const Workload& workload, const GemmShape& shape,
                             const TileConfig& config);

/// Who finds the units of the launch.
tw::Grouping grouping_of(const Workload& workload, const TileConfig& config);

/// Counts everything out. Throws a usage error for parts that do not go together, and beyond 2^40
/// units; whether a kernel of ours can run the config is for reject_workload() to say.
Plan make_plan(const Workload& workload, const TileConfig& config, const DeviceSpec& device,
               const PlanOptions& options = {});
Plan make_plan(const Problem& problem, const TileConfig& config, const DeviceSpec& device,
               const PlanOptions& options = {});

/// Why a triangle is not walked as the config says; empty where it is.
std::string why_no_triangle(const TileConfig& config);

/// K-steps of the longest part of a tile; of the longest tile where none is divided.
int64_t longest_part(const Plan& plan);

/// Throws a usage error for a plan of more units, or parts of divided tiles, than are walked.
void require_walkable(const Plan& plan);

/// Visits every unit; those of one CTA in its own order, CTAs in any.
void for_each_unit(const Plan& plan, const UnitVisitor& visit);

/// Visits the tiles of a problem turn by turn, the first of every worker, then the second: the
/// worker and its cluster's tile; overhang is passed over. Divided tiles come as if they were
/// whole; a worker for which `visit` gives false has had its last.
void for_each_whole_tile(const Plan& plan, int problem, int64_t workers,
                         const std::function<bool(int64_t worker, TileCoord cluster)>& visit);

/// The table of a host-precomputed schedule: what for_each_unit() deals out, but for streamed
/// tiles, whose shares every worker works out.
ScheduleTable schedule_table(const Plan& plan);

/// The first unit in the grid of each of the first `count` CTAs, and its k-steps; none where a CTA
/// has none. Of plans of one problem.
std::vector<std::optional<WorkTile>> first_units(const Plan& plan, int64_t count);

/// Per CTA what it computes, in its order, early exits and padding left out. Throws a usage error
/// beyond 2^22 units.
std::vector<std::vector<WorkTile>> assignments(const Plan& plan);

/// True where the launch walks all tiles of the square that a triangle is part of.
bool visits_square(const Plan& plan);

/// True where the tile is part of the problem's output.
bool is_wanted(const Plan& plan, int problem, TileCoord tile);

/// The programs of the plan's kernel: the product's first, then those that run before or after it.
/// Throws a usage error for extras that its family does not have.
std::vector<KernelSource> kernel_sources(const Plan& plan, const KernelExtras& extras = {});

/// The work of a plan of one problem as its kernel takes it. Throws an internal error where the
/// counts are beyond the kernel's.
tw::LaunchWork<int> launch_work(const Plan& plan);

/// K-steps of one phase of a tile: of a product all of them.
int phase_steps(const Plan& plan);

/// How often an element's sum is rounded to the output's type: by every part that is added in
/// place.
int output_roundings(const Plan& plan);

/// CTAs of a cluster of the launch: those that share operands, and those along k.
int launch_cluster_size(const TileConfig& config);

/// "cutlass3-grouped". Throws a usage error.
Emulation parse_emulation(std::string_view text);

}  // namespace tilewright
