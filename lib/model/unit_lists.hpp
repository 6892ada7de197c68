// What each CTA of a plan takes from the scheduler, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/span_recorder.hpp"
#include "tile/plan/plan.hpp"
#include "tile/plan/schedule_proof.hpp"

namespace tilewright {

struct ListedUnit {
  int problem = 0;
  int k_steps = 0;
  bool works = false;
  int64_t part = -1;  // index of the part of a divided tile
};

/// Early exits are left out.
struct UnitLists {
  std::vector<std::vector<ListedUnit>> ctas;
  std::vector<TilePart> parts;  // by tile and k
};

/// What a CTA takes as its how-many-th unit.
struct UnitTurn {
  int64_t cta = 0;
  int64_t turn = 0;
};

inline const ListedUnit& unit_at(const UnitLists& lists, const UnitTurn& at) {
  return lists.ctas[static_cast<size_t>(at.cta)][static_cast<size_t>(at.turn)];
}

/// Deals the plan's units to `recorder`, too, unless it is null.
UnitLists list_units(const Plan& plan, SpanRecorder* recorder);

}  // namespace tilewright
