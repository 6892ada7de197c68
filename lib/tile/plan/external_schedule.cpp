#include "tile/plan/external_schedule.hpp"

#include <algorithm>
#include <optional>

#include "base/interruption.hpp"

namespace tilewright {
namespace {

bool names_problem(const Plan& plan, const WorkTile& work) {
  return work.problem >= 0 && work.problem < std::ssize(plan.problems);
}

bool names_tile(const Plan& plan, const WorkTile& work) {
  return names_problem(plan, work) && work.m >= 0 && work.n >= 0 &&
         is_in_output(plan, work.problem, {work.m, work.n});
}

WorkTile with_end(const Plan& plan, WorkTile work) {
  if (work.k_end == ExternalSchedule::kToTheEnd && names_problem(plan, work)) {
    work.k_end = plan.problem(work.problem).work.k_steps;
  }
  return work;
}

// For work with its k_end resolved. A tile without k-steps is beta C, which is also computed once.
bool is_inside(const Plan& plan, const WorkTile& work) {
  if (!names_tile(plan, work)) return false;
  const int32_t steps = plan.problem(work.problem).work.k_steps;
  return work.k_begin >= 0 && work.k_end <= steps && (work.k_begin < work.k_end || steps == 0);
}

// Cuts off and returns the k-steps after the last one of the tile; k_end must be resolved.
std::optional<WorkTile> cut_off(const Plan& plan, WorkTile& work) {
  if (!names_tile(plan, work) || work.k_begin < 0) return std::nullopt;
  const int32_t steps = plan.problem(work.problem).work.k_steps;
  if (work.k_begin >= steps || work.k_end <= steps) return std::nullopt;
  WorkTile behind = work;
  behind.k_begin = work.k_end = steps;
  return behind;
}

// Calls visit(cta, work, inside); a unit that runs past the last k-step is visited as two pieces.
template <class Visit>
void for_each_piece(const Plan& plan, const Visit& visit) {
  const auto& of_cta = plan.options.external->of_cta;
  for (size_t cta = 0; cta < of_cta.size(); ++cta) {
    throw_if_interrupted();
    for (const WorkTile& work : of_cta[cta]) {
      WorkTile unit = with_end(plan, work);
      const std::optional<WorkTile> behind = cut_off(plan, unit);
      visit(static_cast<int64_t>(cta), unit, is_inside(plan, unit));
      if (behind) visit(static_cast<int64_t>(cta), *behind, false);
    }
  }
}

// The tiles of one problem that were already visited.
class SeenTiles {
 public:
  explicit SeenTiles(TileCoord tiles)
      : columns_(tiles.n), seen_(static_cast<size_t>(int64_t{tiles.m} * tiles.n)) {}

  bool add(TileCoord tile) {
    const auto at = static_cast<size_t>(int64_t{tile.m} * columns_ + tile.n);
    if (seen_[at]) return false;
    seen_[at] = true;
    return true;
  }

 private:
  int64_t columns_;
  std::vector<bool> seen_;
};

// A worker's position: it runs its CTAs one after the other.
struct Place {
  size_t cta = 0;
  size_t turn = 0;
};

}  // namespace

std::shared_ptr<const ExternalSchedule> round_robin_schedule(std::span<const TileCoord> order,
                                                             int64_t ctas) {
  auto work = std::make_shared<ExternalSchedule>();
  work->of_cta.resize(static_cast<size_t>(ctas));
  for (size_t slot = 0; slot < order.size(); ++slot) {
    work->of_cta[slot % work->of_cta.size()].push_back(
        {0, order[slot].m, order[slot].n, 0, ExternalSchedule::kToTheEnd});
  }
  return work;
}

std::shared_ptr<const ExternalSchedule> of_problem(const ExternalSchedule& work, int problem) {
  auto own = std::make_shared<ExternalSchedule>(work);
  for (std::vector<WorkTile>& works : own->of_cta) {
    std::erase_if(works, [problem](const WorkTile& w) { return w.problem != problem; });
    for (WorkTile& w : works) w.problem = 0;
  }
  return own;
}

void for_each_outside(const Plan& plan,
                      const std::function<void(int64_t, const WorkTile&)>& visit) {
  if (!plan.options.external) return;
  for_each_piece(plan, [&](int64_t cta, const WorkTile& work, bool inside) {
    if (!inside) visit(cta, work);
  });
}

int64_t external_tile_count(const Plan& plan, int problem) {
  int64_t count = 0;
  SeenTiles seen(plan.problem(problem).tiles);
  for_each_piece(plan, [&](int64_t, const WorkTile& work, bool) {
    if (work.problem == problem && names_tile(plan, work)) count += seen.add({work.m, work.n});
  });
  return count;
}

void count_external(Plan& plan) {
  bool divided = false;
  plan.options.ctas = std::ssize(plan.options.external->of_cta);
  plan.units = plan.stream_k_tiles = plan.stream_k_steps = plan.most_units = plan.launched_workers =
      0;
  for_each_piece(plan, [&](int64_t, const WorkTile& work, bool inside) {
    const int32_t steps = inside ? plan.problem(work.problem).work.k_steps : 0;
    divided = divided || (inside && (work.k_begin > 0 || work.k_end < steps));
  });
  for (const std::vector<WorkTile>& works : plan.options.external->of_cta) {
    plan.units += std::ssize(works);
    plan.most_units = std::max(plan.most_units, std::ssize(works));
    if (!works.empty()) ++plan.launched_workers;
  }
  Decomposition& decomposition = plan.config.decomposition;
  if (!divided) {
    decomposition = DataParallel{};
  } else if (!std::holds_alternative<StreamK>(decomposition)) {
    decomposition = StreamK{};
  }
  plan.reduction = reduction_of(decomposition);
}

void for_each_external_unit(const Plan& plan, const UnitVisitor& visit) {
  for_each_piece(plan, [&](int64_t cta, const WorkTile& work, bool inside) {
    if (inside) visit({cta, work, UnitKind::Work});
  });
}

void for_each_external_tile(const Plan& plan, int problem, int64_t workers,
                            const std::function<bool(int64_t, TileCoord)>& visit) {
  const auto& of_cta = plan.options.external->of_cta;
  SeenTiles seen(plan.problem(problem).tiles);
  std::vector<Place> places(static_cast<size_t>(std::min(workers, std::ssize(of_cta))));
  for (size_t i = 0; i < places.size(); ++i) places[i].cta = i;
  const auto take = [&](size_t worker) {
    Place& place = places[worker];
    while (place.cta < of_cta.size()) {
      if (place.turn == of_cta[place.cta].size()) {
        place = {place.cta + places.size(), 0};
        continue;
      }
      const WorkTile& work = of_cta[place.cta][place.turn++];
      if (work.problem != problem || !names_tile(plan, work) || !seen.add({work.m, work.n})) {
        continue;
      }
      if (!visit(static_cast<int64_t>(worker), {work.m, work.n})) place.cta = of_cta.size();
      return true;
    }
    return false;
  };
  for (bool any = true; any;) {
    throw_if_interrupted();
    any = false;
    for (size_t worker = 0; worker < places.size(); ++worker) any |= take(worker);
  }
}

}  // namespace tilewright
