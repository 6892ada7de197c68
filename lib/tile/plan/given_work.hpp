// Work that somebody else's scheduler deals out, walked in the place of a plan's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tile/plan/plan.hpp"

namespace tilewright {

struct GivenWork {
  static constexpr int32_t kToTheEnd = -1;  // as k_end: all k-steps that the problem has
  std::string name;
  std::vector<std::vector<WorkTile>> of_cta;  // each in its order
};

/// The tiles of an order as `ctas` persistent CTAs take them: CTA i those of the slots i, i + ctas,
/// ..., each over all of K.
std::shared_ptr<const GivenWork> dealt_in_turn(std::span<const TileCoord> order, int64_t ctas);

/// The same with the work on one problem only, which becomes problem 0.
std::shared_ptr<const GivenWork> of_problem(const GivenWork& work, int problem);

/// Visits the pieces that lie on no tile of the output or beyond its K, also those of units that
/// begin before its end; for_each_unit() leaves them out.
void for_each_outside(const Plan& plan, const std::function<void(int64_t, const WorkTile&)>& visit);

/// Tiles of a plan's problem that its given work names, each once.
int64_t given_tile_count(const Plan& plan, int problem);

/// Counts the given work instead of the config's; where it divides tiles, the config's stream-k
/// says how the parts meet.
void count_given(Plan& plan);
void for_each_given_unit(const Plan& plan, const UnitVisitor& visit);
/// A CTA beyond the workers starts where an earlier one has ended. A tile comes once.
void for_each_given_tile(const Plan& plan, int problem, int64_t workers,
                         const std::function<bool(int64_t, TileCoord)>& visit);

}  // namespace tilewright
