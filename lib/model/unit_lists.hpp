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
  int64_t part = -1;  // index of the part, if its tile is divided
};

/// Early exits are left out.
struct UnitLists {
  std::vector<std::vector<ListedUnit>> ctas;
  std::vector<TilePart> parts;  // sorted by tile and k
};

/// A CTA and the index of one of its units.
struct UnitIndex {
  int64_t cta = 0;
  int64_t unit_index = 0;
};

inline const ListedUnit& unit_at(const UnitLists& lists, const UnitIndex& at) {
  return lists.ctas[static_cast<size_t>(at.cta)][static_cast<size_t>(at.unit_index)];
}

/// Lists the plan's units; also adds them to `recorder`, unless it is null.
UnitLists list_units(const Plan& plan, SpanRecorder* recorder);

}  // namespace tilewright
