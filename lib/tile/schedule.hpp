// Which CTA computes what, in which order: schedules as data, from the arithmetic that kernels use.
//
//   problems --order--> slots of each --raster or triangle--> tiles --decomposition--> work tiles
//            --group schedule--> CTAs
//
// The scheduler deals to clusters; the CTAs of a cluster take its tiles, m fastest.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tile/decomposition.hpp"
#include "tile/grouped_problem.hpp"
#include "tile/raster.hpp"
#include "tile/tile_config.hpp"
#include "tile/work_tile.hpp"

namespace tilewright {

/// Who says which unit a CTA takes next.
enum class GroupSchedule {
  DeviceOnly,      // unit = cta + i * ctas, found on the device
  HostPrecompute,  // the same from a table; with Lpt, dealt to the least loaded
  Dynamic,         // an atomic counter: whoever is free first, by k-steps
};

enum class ProblemOrder {
  Given,
  KDescending,  // larger K first, equal ones as given
  Lpt,          // the longest main loops first, ties by more tiles; HostPrecompute deals by load
};

/// Other schedulers' faults, to be seen by the proof.
enum class Emulation {
  None,
  Cutlass3Grouped,  // the host counts unpadded tiles, the device walks padded ones
};

struct ScheduleRequest {
  GroupedProblem problem;
  TileShape cta;
  ClusterShape cluster;
  Raster raster;
  Decomposition decomposition;
  GroupSchedule group_schedule = GroupSchedule::DeviceOnly;
  ProblemOrder problem_order = ProblemOrder::Given;
  bool plain = false;  // triangular operations: walk the whole square and leave early
  Emulation emulation = Emulation::None;
  int64_t ctas = 0;      // of the launch
  int64_t resident = 0;  // CTAs that run at once; 0: all
};

/// One problem as the scheduler sees it; counts are clusters and k-steps.
struct ScheduledProblem {
  TileCoord tiles;     // CTA tiles
  TileCoord clusters;  // what the raster walks
  int k_steps = 0;
  int64_t slots = 0;
  int slices = 1;
  int64_t units() const { return slots * slices; }
};

/// A request with everything counted.
struct Schedule {
  ScheduleRequest request;
  std::vector<ScheduledProblem> problems;  // by the user's numbers
  std::vector<int> order;                  // scheduling order, of the user's numbers
  int64_t workers = 0;                     // clusters of the launch
  int64_t cluster_size = 1;
  int64_t units = 0;     // that the scheduler deals, streamed tiles left out
  int64_t streamed = 0;  // of the concatenated slots, by k-steps
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

/// The schedule of one product's launch on `ctas` CTAs.
ScheduleRequest schedule_request(const GemmShape& shape, const TileConfig& config, int64_t ctas);

/// Counts a request out. Throws a usage error for parts that do not go together.
Schedule make_schedule(const ScheduleRequest& request);

/// Visits every unit; those of one CTA in its own order, CTAs in any.
void for_each_unit(const Schedule& schedule, const UnitVisitor& visit);

/// Per CTA what it computes, in its order, early exits and padding left out. Throws a usage error
/// beyond 2^22 units.
std::vector<std::vector<WorkTile>> assignments(const Schedule& schedule);

/// True where the tile is part of the problem's output.
bool is_wanted(const Schedule& schedule, int problem, TileCoord tile);

/// "device-only", "host-precompute" or "dynamic". Throws a usage error.
GroupSchedule parse_group_schedule(std::string_view text);
/// "given", "k-descending" or "lpt". Throws a usage error.
ProblemOrder parse_problem_order(std::string_view text);
/// "cutlass3-grouped". Throws a usage error.
Emulation parse_emulation(std::string_view text);
std::string to_string(GroupSchedule schedule);
std::string to_string(ProblemOrder order);

}  // namespace tilewright
