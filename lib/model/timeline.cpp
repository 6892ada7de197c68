#include "model/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>

#include "base/interruption.hpp"
#include "model/fixup.hpp"
#include "model/ping_pong_state.hpp"
#include "model/span_recorder.hpp"
#include "model/tile_waits.hpp"
#include "model/timeline_log.hpp"
#include "model/unit_lists.hpp"
#include "model/unit_times.hpp"

namespace tilewright {

namespace {

// Ping-pong's two warpgroups alternate over a CTA's units.
int64_t lanes_per_cta(const Plan& plan) {
  return plan.config.schedule == KernelSchedule::PingPong ? 2 : 1;
}

// Rounds of whole tiles already price the overlap.
int64_t workers_per_cta(const Plan& plan, const Price& price) {
  return price.rounds.empty() ? lanes_per_cta(plan) : 1;
}

// CTAs start in order as many at once as are resident; later CTAs start where earlier ones
// have ended.
class Places {
 public:
  Places(size_t ctas, int64_t workers_per_cta) : per_cta_(workers_per_cta), ctas_(ctas) {}

  // Returns the CTA that starts.
  int64_t start(int64_t place) {
    ctas_[static_cast<size_t>(started_)] = {place, per_cta_};
    return started_++;
  }
  // Returns the CTA's place if the worker was its last one, else -1.
  int64_t end_worker(int64_t cta) {
    Cta& own = ctas_[static_cast<size_t>(cta)];
    if (--own.at_work > 0) return -1;
    ++ended_;
    return own.place;
  }
  bool all_started() const { return started_ == std::ssize(ctas_); }
  bool all_ended() const { return ended_ == std::ssize(ctas_); }

 private:
  struct Cta {
    int64_t place = 0;
    int64_t at_work = 0;  // workers that have not ended
  };
  int64_t per_cta_;
  std::vector<Cta> ctas_;
  int64_t started_ = 0;
  int64_t ended_ = 0;
};

// Runs the listed units in order of time.
class Events {
 public:
  Events(const Plan& plan, const Price& price, const UnitLists& lists, SpanRecorder* recorder)
      : lists_(lists),
        times_(plan, price, lists),
        waits_(lists.parts, plan.reduction),
        per_cta_(workers_per_cta(plan, price)),
        log_(plan.ctas(), lanes_per_cta(plan), recorder),
        joins_(price.rounds.empty()),
        places_(lists.ctas.size(), per_cta_),
        states_(lists.ctas.size()) {
    for (int64_t cta = 0; cta < plan.ctas(); ++cta) {
      for (int64_t unit_index = 0; unit_index < per_cta_; ++unit_index)
        workers_.push_back({cta, unit_index});
    }
  }

  // Runs from `begin_us` on, with `resident` CTAs at once.
  Timeline run(int64_t resident, double begin_us) {
    log_.launch(resident, begin_us);
    for (int64_t i = 0; i < resident; ++i) start(i);
    // These events precede all that they cause, and are in order: no sorting is needed.
    for (int64_t worker = 0; worker < resident * per_cta_; ++worker) go(worker, begin_us);
    while (!queue_.empty()) {
      throw_if_interrupted();
      const Event event = queue_.top();
      queue_.pop();
      handle(event);
    }
    return log_.summed(places_.all_ended());
  }

 private:
  enum class Step { Go, Arrive, Done };
  struct Event {
    double us = 0;
    int64_t worker = -1;
    Step step = Step::Go;
    bool operator>(const Event& other) const {
      return std::tie(us, worker) > std::tie(other.us, other.worker);
    }
  };

  UnitIndex& unit_index_of(int64_t worker) { return workers_[static_cast<size_t>(worker)]; }
  PingPongState& state_of(int64_t cta) { return states_[static_cast<size_t>(cta)]; }
  size_t part_of(const UnitIndex& at) const {
    return static_cast<size_t>(unit_at(lists_, at).part);
  }

  void handle(const Event& event) {
    switch (event.step) {
      case Step::Go: return go(event.worker, event.us);
      case Step::Arrive: return arrive(event.worker, event.us);
      case Step::Done: return finish_part(event.worker, event.us);
    }
  }

  int64_t start(int64_t place) {
    const int64_t cta = places_.start(place);
    log_.start(cta, place);
    return cta;
  }

  // Runs whole units up to the worker's next part, or to its end.
  void go(int64_t worker, double us) {
    UnitIndex& at = unit_index_of(worker);
    const std::vector<ListedUnit>& units = lists_.ctas[static_cast<size_t>(at.cta)];
    PingPongState& state = state_of(at.cta);
    for (; at.unit_index < std::ssize(units); at.unit_index += per_cta_) {
      if (state.begun < at.unit_index) {
        state.waiting = {worker, us};
        return;
      }
      const ListedUnit& unit = units[static_cast<size_t>(at.unit_index)];
      const double begin_us = std::max(us, state.free_us) + times_.find_us(units, at.unit_index);
      const double main_us = times_.main_us(at, unit);
      us = begin_us + main_us;
      log_.main_loop(at, begin_us, main_us);
      main_loop_ends(state, us);
      if (unit.part >= 0 && joins_) return move_partial(worker, us);
      const double store = unit.works ? times_.store_us(at) : 0.0;
      const double since_us = us;
      us = moved(state, us, store);
      log_.finish(at, since_us, us, 0, store);
    }
    end(at.cta, us);
  }

  // The next main loop begins after this one, perhaps on a worker that already waits.
  void main_loop_ends(PingPongState& state, double us) {
    ++state.begun;
    if (per_cta_ == 1) return;
    const auto next = hand_over(state, us + times_.handed_us(state.begun - 1));
    if (next.worker >= 0) queue_.push({next.since_us, next.worker, Step::Go});
  }

  // A CTA's only worker waits for no other to move.
  double moved(PingPongState& state, double us, double length_us) const {
    return per_cta_ == 1 ? us + length_us : move(state, us, length_us);
  }

  // A worker ends; another CTA takes the place once all workers of its CTA have ended.
  void end(int64_t cta, double us) {
    const double end_us = log_.end(cta, us);
    const int64_t place = places_.end_worker(cta);
    if (place < 0 || places_.all_started()) return;
    const int64_t next = start(place);
    for (int64_t i = 0; i < per_cta_; ++i) queue_.push({end_us, next * per_cta_ + i, Step::Go});
  }

  FixupCost cost_of(const UnitIndex& at) const {
    return times_.cost_of_part(waits_.role_of(part_of(at)), at.unit_index);
  }

  // A part moves its sums, then arrives at the wait for its tile's other parts.
  void move_partial(int64_t worker, double us) {
    const UnitIndex& at = unit_index_of(worker);
    const double before = cost_of(at).before_us;
    const double end_us = moved(state_of(at.cta), us, before);
    log_.move(at, us, end_us, before);
    queue_.push({end_us, worker, Step::Arrive});
  }

  void arrive(int64_t worker, double us) {
    const size_t part = part_of(unit_index_of(worker));
    switch (waits_.arrive(part, {worker, us})) {
      case TileWaits::Arrival::Waits: return;
      case TileWaits::Arrival::Exits: return leave(worker, us);
      case TileWaits::Arrival::Proceeds: return proceed(worker, us, us);
      case TileWaits::Arrival::AllProceed:
        for (const auto& waiter : waits_.waiters(part)) proceed(waiter.worker, us, waiter.since_us);
    }
  }

  // A part continues that has waited since `since_us`.
  void proceed(int64_t worker, double us, double since_us) {
    const UnitIndex& at = unit_index_of(worker);
    const FixupCost cost = cost_of(at);
    const double store = cost.stores ? times_.store_us(at, cost.finished) : 0.0;
    const double end_us =
        moved(state_of(at.cta), us + cost.signal_us, cost.after_us - cost.signal_us + store);
    log_.finish(at, since_us, end_us, cost.after_us, store);
    leave(worker, end_us);
  }

  // Done at once where no part waits for it and no CTA for the place: events take time.
  void leave(int64_t worker, double us) {
    if (waits_.is_turnstile() || !places_.all_started()) {
      queue_.push({us, worker, Step::Done});
    } else {
      finish_part(worker, us);
    }
  }

  void finish_part(int64_t worker, double us) {
    UnitIndex& at = unit_index_of(worker);
    const TileWaits::Waiter woken = waits_.finish(part_of(at));
    if (woken.worker >= 0) proceed(woken.worker, us, woken.since_us);
    at.unit_index += per_cta_;
    go(worker, us);
  }

  const UnitLists& lists_;
  UnitTimes times_;
  TileWaits waits_;
  int64_t per_cta_;  // workers per CTA
  TimelineLog log_;
  bool joins_;  // false: the price adds the cost of parts after all rounds
  Places places_;
  std::vector<PingPongState> states_;  // by CTA
  std::vector<UnitIndex> workers_;     // each one's current unit, CTA by CTA
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
};

// Time of joining parts after the kernel.
double second_us(const Plan& plan, const Price& price, const UnitLists& lists) {
  if (!price.rounds.empty()) return price.tail_us;
  return price.tail_us +
         second_kernel_us(plan.reduction, std::ssize(lists.parts), plan.config.cta, price.join);
}

}  // namespace

std::optional<double> believed_us(const Timeline& timeline) {
  const bool is_time = timeline.completed && !timeline.counts_k_steps;
  return is_time ? std::optional(timeline.us) : std::nullopt;
}

Timeline predict_timeline(const Plan& plan, const Price& price, std::vector<WorkSpan>* spans) {
  const double begin_us = price.copies_us + price.launch_us;
  if (plan.ctas() == 0) {
    return {.us = begin_us, .end = {}, .counts_k_steps = price.counts_k_steps};
  }
  require_walkable(plan);
  std::optional<SpanRecorder> recorder;
  if (spans != nullptr) recorder.emplace(plan.ctas(), lanes_per_cta(plan), *spans);
  SpanRecorder* const record = recorder ? &*recorder : nullptr;
  const UnitLists lists = list_units(plan, record);
  const int64_t resident = std::min(plan.resident, plan.ctas());
  Timeline timeline = Events(plan, price, lists, record).run(resident, begin_us);
  const double later_us = second_us(plan, price, lists);
  if (record != nullptr && later_us > 0) record->second_kernel(timeline.us, later_us);
  timeline.us += later_us;
  timeline.counts_k_steps = price.counts_k_steps;
  return timeline;
}

Timeline predict_timeline(const Plan& plan, const DeviceSpec& device,
                          std::vector<WorkSpan>* spans) {
  return predict_timeline(plan, price_of(plan, device), spans);
}

}  // namespace tilewright
