#include "model/shared_bandwidth.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Steps of the units before a place in the schedule, and the bytes that they move.
struct ScheduledLoad {
  double units = 0;
  double steps = 0;
  double l2_bytes = 0;
  double dram_bytes = 0;
};

// The sums up to a unit, which may lie within a problem; `ends` has those up to each problem's end.
ScheduledLoad load_before(const std::vector<ScheduledLoad>& ends, double unit) {
  const auto end =
      std::partition_point(ends.begin() + 1, ends.end() - 1,
                           [unit](const ScheduledLoad& one) { return one.units < unit; });
  const ScheduledLoad& from = *(end - 1);
  const ScheduledLoad& to = *end;
  const double share = to.units > from.units ? (unit - from.units) / (to.units - from.units) : 0;
  const auto between = [share](double a, double b) { return a + share * (b - a); };
  return {unit, between(from.steps, to.steps), between(from.l2_bytes, to.l2_bytes),
          between(from.dram_bytes, to.dram_bytes)};
}

}  // namespace

void share_bandwidth(std::vector<StepLoad>& loads, const Plan& plan) {
  std::vector<ScheduledLoad> ends = {{}};
  for (const int i : plan.order) {
    const tw::ProblemWork<int64_t>& work = plan.problem(i).work;
    const StepLoad& load = loads[static_cast<size_t>(i)];
    // A tile without K counts as one step: its epilogue moves bytes.
    const double steps = static_cast<double>(work.slots) * std::max(work.k_steps, 1);
    const ScheduledLoad& before = ends.back();
    ends.push_back({before.units + static_cast<double>(work.units()), before.steps + steps,
                    before.l2_bytes + steps * load.l2_bytes,
                    before.dram_bytes + steps * load.dram_bytes});
  }
  const double all = ends.back().units;
  const auto wave = static_cast<double>(plan.resident) / static_cast<double>(plan.cluster_size);
  for (size_t place = 0; place < plan.order.size(); ++place) {
    const double begin = ends[place].units;
    const double end = ends[place + 1].units;
    const double width = std::min(std::max(wave, end - begin), all);
    const double first = std::clamp((begin + end - width) / 2, 0.0, all - width);
    const ScheduledLoad low = load_before(ends, first);
    const ScheduledLoad high = load_before(ends, first + width);
    const double steps = high.steps - low.steps;
    if (steps <= 0 || plan.problem(plan.order[place]).work.k_steps == 0) continue;
    StepLoad& load = loads[static_cast<size_t>(plan.order[place])];
    load.l2_bytes = (high.l2_bytes - low.l2_bytes) / steps;
    load.dram_bytes = (high.dram_bytes - low.dram_bytes) / steps;
  }
}

}  // namespace tilewright
