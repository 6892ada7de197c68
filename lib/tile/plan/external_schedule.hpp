// Work assigned by another scheduler, walked in place of a plan's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tile/plan/plan.hpp"

namespace tilewright {

struct ExternalSchedule {
  static constexpr int32_t kToTheEnd = -1;  // as k_end: all remaining k-steps of the problem
  std::string name;
  std::vector<std::vector<WorkTile>> of_cta;  // per CTA, in order
};

/// Assigns the tiles of an order to `ctas` persistent CTAs: CTA i computes slots i, i + ctas, ...,
/// each over all of K.
std::shared_ptr<const ExternalSchedule> round_robin_schedule(std::span<const TileCoord> order,
                                                             int64_t ctas);

/// A copy with only the work on one problem, which becomes problem 0.
std::shared_ptr<const ExternalSchedule> of_problem(const ExternalSchedule& work, int problem);

/// Visits the pieces on no tile of the output or beyond its K, also the ends of units that begin
/// inside. for_each_unit() leaves these pieces out.
void for_each_outside(const Plan& plan, const std::function<void(int64_t, const WorkTile&)>& visit);

/// The number of different tiles of a plan's problem in its external schedule.
int64_t external_tile_count(const Plan& plan, int problem);

/// Counts the external schedule instead of the config's; where it divides tiles, the config's
/// stream-k decomposition sets how the parts are reduced.
void count_external(Plan& plan);
void for_each_external_unit(const Plan& plan, const UnitVisitor& visit);
/// Visits each tile once. CTAs beyond the number of workers start where earlier ones have ended.
void for_each_external_tile(const Plan& plan, int problem, int64_t workers,
                            const std::function<bool(int64_t, TileCoord)>& visit);

}  // namespace tilewright
