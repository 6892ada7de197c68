#include "model/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <queue>
#include <tuple>

#include "base/interruption.hpp"
#include "base/math.hpp"
#include "model/fixup.hpp"
#include "model/span_recorder.hpp"
#include "tile/plan/turnstile_proof.hpp"

namespace tilewright {

namespace {

// What a CTA takes from the scheduler, early exits left out.
struct Unit {
  int problem = 0;
  int k_steps = 0;
  bool works = false;
  int64_t part = -1;  // index of the part of a divided tile
};

struct Lists {
  std::vector<std::vector<Unit>> ctas;
  std::vector<TilePart> parts;  // by tile and k
};

Lists collect(const Plan& plan, SpanRecorder* recorder) {
  Lists lists;
  lists.ctas.resize(static_cast<size_t>(plan.ctas()));
  std::vector<int64_t> first_tile;
  int64_t tiles = 0;
  for (const PlannedProblem& p : plan.problems) {
    first_tile.push_back(tiles);
    tiles += int64_t{p.tiles.m} * p.tiles.n;
  }
  for_each_unit(plan, [&](const ScheduledUnit& unit) {
    if (recorder != nullptr) recorder->deal(unit);
    if (unit.kind == UnitKind::EarlyExit) return;
    std::vector<Unit>& own = lists.ctas[static_cast<size_t>(unit.cta)];
    const WorkTile& w = unit.work;
    const PlannedProblem& p = plan.problem(w.problem);
    const bool works = unit.kind == UnitKind::Work;
    own.push_back({w.problem, w.k_end - w.k_begin, works, -1});
    if (!works || (w.k_begin == 0 && w.k_end == p.work.k_steps)) return;
    lists.parts.push_back(
        {first_tile[static_cast<size_t>(w.problem)] + int64_t{w.m} * p.tiles.n + w.n, w.k_begin,
         w.k_end, unit.cta, static_cast<int64_t>(own.size()) - 1});
  });
  std::sort(lists.parts.begin(), lists.parts.end(), [](const TilePart& a, const TilePart& b) {
    return std::tie(a.tile, a.k_begin) < std::tie(b.tile, b.k_begin);
  });
  for (size_t i = 0; i < lists.parts.size(); ++i) {
    const TilePart& part = lists.parts[i];
    lists.ctas[static_cast<size_t>(part.cta)][static_cast<size_t>(part.turn)].part =
        static_cast<int64_t>(i);
  }
  return lists;
}

// How many CTAs take a unit beyond their first `turn`, and, of a group, how long they have to do.
class Activity {
 public:
  Activity(const std::vector<std::vector<Unit>>& ctas, bool is_group) {
    size_t most = 0;
    for (const std::vector<Unit>& units : ctas) most = std::max(most, units.size());
    active_.assign(most + 1, 0);
    for (const std::vector<Unit>& units : ctas) {
      if (!units.empty()) ++active_[units.size() - 1];
    }
    for (size_t turn = most; turn > 0; --turn) active_[turn - 1] += active_[turn];
    if (!is_group) return;
    left_.resize(most);
    for (const std::vector<Unit>& units : ctas) {
      int64_t left = 0;
      for (size_t turn = units.size(); turn > 0; --turn) {
        left_[turn - 1].push_back(left += units[turn - 1].k_steps);
      }
    }
  }
  int64_t active(int64_t turn) const {
    return active_[std::min(static_cast<size_t>(turn), active_.size() - 1)];
  }
  // The mean while a unit of so many k-steps lasts: those beside it may have nothing left to do.
  int64_t during(int64_t turn, int64_t k_steps) const {
    if (left_.empty() || k_steps == 0) return active(turn);
    int64_t shared = 0;
    for (const int64_t left : left_[static_cast<size_t>(turn)]) shared += std::min(left, k_steps);
    return ceil_div(shared, k_steps);
  }

 private:
  std::vector<int64_t> active_;             // by turn; the last is 0
  std::vector<std::vector<int64_t>> left_;  // of a group by turn: k-steps of each CTA from it on
};

// The parts of one divided tile.
struct TileMeeting {
  int64_t first = 0;  // index of its first part
  int64_t parts = 0;
  int64_t done_after = 0;    // parts that are there
  std::vector<size_t> come;  // events that wait, by number
};

// In rounds of whole tiles the price has what overlaps.
int64_t workers_per_cta(const Plan& plan, const Price& price) {
  const bool takes_turns = plan.config.schedule == KernelSchedule::PingPong;
  return takes_turns && price.rounds.empty() ? 2 : 1;
}

class Events {
 public:
  Events(const Plan& plan, const Price& price, const Lists& lists, SpanRecorder* recorder)
      : recorder_(recorder),
        lists_(lists),
        price_(price),
        activity_(lists.ctas, plan.problems.size() > 1),
        reduction_(plan.reduction),
        cta_(plan.config.cta),
        joins_(price.rounds.empty()),
        workers_(workers_per_cta(plan, price)),
        resident_(plan.resident),
        awaited_(awaited_parts(lists.parts)),
        done_(lists.parts.size()),
        blocked_(lists.parts.size(), Event{}),
        meeting_of_(lists.parts.size()),
        turn_(lists.ctas.size() * static_cast<size_t>(workers_)),
        turns_(lists.ctas.size()),
        lane_(lists.ctas.size()) {
    timeline_.end.assign(lists.ctas.size(), 0);
    timeline_.lanes_per_cta = workers_;
    for (size_t i = 0; i < turn_.size(); ++i) turn_[i] = static_cast<int64_t>(i) % workers_;
    for (size_t i = 0; i < lists.parts.size(); ++i) {
      if (i == 0 || lists.parts[i].tile != lists.parts[i - 1].tile) {
        meetings_.push_back({.first = static_cast<int64_t>(i), .come = {}});
      }
      ++meetings_.back().parts;
      meeting_of_[i] = meetings_.size() - 1;
    }
  }

  Timeline run() {
    const double begin_us = price_.copies_us + price_.launch_us;
    const int64_t lanes = std::min(resident_, static_cast<int64_t>(lists_.ctas.size()));
    if (recorder_ != nullptr) recorder_->launch(lanes, begin_us);
    for (int64_t i = 0; i < lanes; ++i) start(i);
    // They come before whatever they lead to, and in order: nothing to sort.
    for (int64_t worker = 0; worker < lanes * workers_; ++worker) go(worker, begin_us);
    while (!queue_.empty()) {
      throw_if_interrupted();
      const Event event = queue_.top();
      queue_.pop();
      handle(event);
    }
    timeline_.ends = ended_ == static_cast<int64_t>(lists_.ctas.size());
    timeline_.us = *std::max_element(timeline_.end.begin(), timeline_.end.end());
    return timeline_;
  }

 private:
  enum class Step { Go, Arrive, Done };
  struct Event {
    double us = 0;
    int64_t worker = -1;
    Step step = Step::Go;
    double since = 0;  // Arrive: when the part began to wait
    bool operator>(const Event& other) const {
      return std::tie(us, worker) > std::tie(other.us, other.worker);
    }
  };
  // What a CTA's workers do one after the other: main loops, and moving sums and tiles.
  struct Turns {
    int64_t begun = 0;    // main loops
    double free_us = 0;   // for the next one
    double moved_us = 0;  // for whoever moves next
    Event waits = {};     // the worker of the one after next
    int64_t at_work = 0;  // workers that have not come to their end
  };

  int64_t cta_of(int64_t worker) const { return worker / workers_; }
  int64_t turn_of(int64_t worker) const { return turn_[static_cast<size_t>(worker)]; }
  const Unit& unit_of(int64_t worker) const {
    return lists_.ctas[static_cast<size_t>(cta_of(worker))][static_cast<size_t>(turn_of(worker))];
  }

  int64_t start(int64_t lane) {
    turns_[static_cast<size_t>(started_)].at_work = workers_;
    lane_[static_cast<size_t>(started_)] = lane;
    if (recorder_ != nullptr) recorder_->start(started_, lane);
    return started_++;
  }
  void start_next(double us, int64_t lane) {
    if (started_ == static_cast<int64_t>(lists_.ctas.size())) return;
    const int64_t cta = start(lane);
    for (int64_t i = 0; i < workers_; ++i) queue_.push({us, cta * workers_ + i, Step::Go});
  }

  int64_t active(int64_t turn) const { return std::min(activity_.active(turn), resident_); }
  // CTAs that start when others have ended take part in a later round.
  int64_t round_of(int64_t cta, int64_t turn) const { return turn + cta / resident_; }

  // What it takes to find the unit of a turn.
  double found_us(const std::vector<Unit>& units, int64_t turn) const {
    const SchedulingCost& cost = price_.scheduling;
    const auto at = static_cast<size_t>(turn);
    if (turn == 0) return cost.first_us + cost.problem_us;
    const bool other = units[at].problem != units[at - 1].problem;
    return cost.unit_us + (other ? cost.problem_us : 0);
  }

  // Units of one turn and problem come one after the other: the last answer is kept.
  double main_us(int64_t cta, const Unit& unit, int64_t turn) {
    const int64_t at_once = std::min(activity_.during(turn, unit.k_steps), resident_);
    const Asked asked{unit.problem, unit.k_steps, round_of(cta, turn), at_once};
    if (!(asked == asked_)) {
      asked_ = asked;
      answer_us_ = main_loop_us(price_, unit.problem, unit.k_steps, asked.round, asked.active);
    }
    return answer_us_;
  }
  // The same of what follows: powers of the share that is active take time.
  double store_us(int64_t cta, int64_t turn) {
    const Asked asked{.round = round_of(cta, turn), .active = active(turn)};
    if (!(asked == stored_)) {
      stored_ = asked;
      store_us_ = epilogue_us(price_, asked.round, asked.active);
    }
    return store_us_;
  }
  double handed_us(int64_t turn) {
    if (active(turn) != handed_to_) {
      handed_to_ = active(turn);
      handed_us_ = hand_over_us(price_, handed_to_);
    }
    return handed_us_;
  }

  PartCost cost_of(const Unit& unit, int64_t turn) const {
    const auto part = static_cast<size_t>(unit.part);
    const TileMeeting& meeting = meetings_[meeting_of_[part]];
    return part_cost(reduction_, cta_, price_.device->join,
                     {.first = unit.part == meeting.first,
                      .last = unit.part == meeting.first + meeting.parts - 1,
                      .parts = meeting.parts,
                      .active = active(turn)});
  }

  void handle(const Event& event) {
    switch (event.step) {
      case Step::Go: return go(event.worker, event.us);
      case Step::Arrive: return arrive(event);
      case Step::Done: return finish_part(event);
    }
  }

  // Whole units up to the worker's next part, or to its end.
  void go(int64_t worker, double us) {
    const int64_t cta = cta_of(worker);
    const std::vector<Unit>& units = lists_.ctas[static_cast<size_t>(cta)];
    Turns& turns = turns_[static_cast<size_t>(cta)];
    int64_t& turn = turn_[static_cast<size_t>(worker)];
    for (; turn < static_cast<int64_t>(units.size()); turn += workers_) {
      if (turns.begun < turn) {
        turns.waits = {us, worker, Step::Go};
        return;
      }
      const Unit& unit = units[static_cast<size_t>(turn)];
      us = std::max(us, turns.free_us) + found_us(units, turn);
      const double main = main_us(cta, unit, turn);
      const bool whole = unit.part < 0 || !joins_;
      const double store = whole && unit.works ? store_us(cta, turn) : 0.0;
      if (recorder_ != nullptr) recorder_->main_loop(cta, turn, us, main);
      us += main;
      main_loop_ends(turns, us);
      const double before = whole ? 0 : cost_of(unit, turn).before_us;
      const double since = us;
      us = moved(turns, us, store + before);
      const double waiting_us = us - before - store - since;
      timeline_.waiting_us += waiting_us;
      if (recorder_ != nullptr) recorder_->part(cta, turn, since, waiting_us, 0, store);
      if (whole) continue;
      timeline_.fix_up_us += before;
      if (recorder_ != nullptr) recorder_->fix_up(cta, turn, us - before, before);
      queue_.push({us, worker, Step::Arrive, us});
      return;
    }
    double& end = timeline_.end[static_cast<size_t>(cta)];
    end = std::max(end, us);
    if (--turns.at_work > 0) return;
    ++ended_;
    start_next(end, lane_[static_cast<size_t>(cta)]);
  }

  // Returns when so much is moved: behind what the CTA moved before.
  double moved(Turns& turns, double us, double length_us) const {
    if (workers_ == 1 || length_us == 0) return us + length_us;
    turns.moved_us = std::max(us, turns.moved_us) + length_us;
    return turns.moved_us;
  }

  // The next one begins behind it, by a worker that may wait for that.
  void main_loop_ends(Turns& turns, double us) {
    ++turns.begun;
    if (workers_ == 1) return;
    turns.free_us = us + handed_us(turns.begun - 1);
    if (turns.waits.worker < 0) return;
    queue_.push({std::max(turns.waits.us, turns.free_us), turns.waits.worker, Step::Go});
    turns.waits = {};
  }

  void arrive(const Event& event) {
    const auto part = static_cast<size_t>(unit_of(event.worker).part);
    switch (tw::meeting_of(reduction_)) {
      case Meeting::None: return go_on(event);
      case Meeting::Turn: return wait_for_turn(event, part);
      case Meeting::Last: {
        TileMeeting& meeting = meetings_[meeting_of_[part]];
        if (++meeting.done_after == meeting.parts) return go_on(event);
        return done({event.us, event.worker, Step::Done});
      }
      case Meeting::All: return meet(event, part);
    }
  }

  void wait_for_turn(const Event& event, size_t part) {
    const int64_t awaited = awaited_[part];
    if (awaited == -2) return;
    if (awaited >= 0 && !done_[static_cast<size_t>(awaited)]) {
      blocked_[static_cast<size_t>(awaited)] = event;
      return;
    }
    go_on(event);
  }

  // The last part to come lets all of its tile go on.
  void meet(const Event& event, size_t part) {
    TileMeeting& meeting = meetings_[meeting_of_[part]];
    meeting.come.push_back(waiting_.size());
    waiting_.push_back(event);
    if (static_cast<int64_t>(meeting.come.size()) < meeting.parts) return;
    for (const size_t waiting : meeting.come) {
      Event woken = waiting_[waiting];
      woken.us = event.us;
      go_on(woken);
    }
  }

  void go_on(const Event& event) {
    const int64_t cta = cta_of(event.worker);
    const int64_t turn = turn_of(event.worker);
    const PartCost cost = cost_of(unit_of(event.worker), turn);
    const double store = cost.stores ? store_us(cta, turn) : 0.0;
    const double end_us = moved(turns_[static_cast<size_t>(cta)], event.us + cost.signal_us,
                                cost.after_us - cost.signal_us + store);
    const double waiting_us = end_us - store - cost.after_us - event.since;
    timeline_.waiting_us += waiting_us;
    timeline_.fix_up_us += cost.after_us;
    if (recorder_ != nullptr) {
      recorder_->part(cta, turn, event.since, waiting_us, cost.after_us, store);
    }
    done({end_us, event.worker, Step::Done});
  }

  // At once, where nobody waits for the part, or for the CTA's place: events take time.
  void done(const Event& event) {
    const bool is_awaited = tw::meeting_of(reduction_) == Meeting::Turn ||
                            started_ < static_cast<int64_t>(lists_.ctas.size());
    if (is_awaited) {
      queue_.push(event);
    } else {
      finish_part(event);
    }
  }

  void finish_part(const Event& event) {
    const auto part = static_cast<size_t>(unit_of(event.worker).part);
    done_[part] = true;
    Event& woken = blocked_[part];
    if (woken.worker >= 0) go_on({event.us, woken.worker, Step::Arrive, woken.since});
    turn_[static_cast<size_t>(event.worker)] += workers_;
    go(event.worker, event.us);
  }

  struct Asked {
    int problem = -1;
    int k_steps = 0;
    int64_t round = 0;
    int64_t active = 0;
    bool operator==(const Asked&) const = default;
  };

  SpanRecorder* recorder_;
  const Lists& lists_;
  const Price& price_;
  Activity activity_;
  Reduction reduction_;
  TileShape cta_;
  bool joins_;       // else what parts cost is behind all rounds
  int64_t workers_;  // of a CTA: ping-pong's warpgroups take its units in turns
  int64_t resident_;
  std::vector<int64_t> awaited_;
  std::vector<bool> done_;
  std::vector<Event> blocked_;  // by the part that is awaited
  std::vector<TileMeeting> meetings_;
  std::vector<size_t> meeting_of_;  // by part
  std::vector<Event> waiting_;
  std::vector<int64_t> turn_;  // by worker
  std::vector<Turns> turns_;   // by CTA, as the next
  std::vector<int64_t> lane_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  Asked asked_;
  double answer_us_ = 0;
  Asked stored_;
  double store_us_ = 0;
  int64_t handed_to_ = -1;
  double handed_us_ = 0;
  int64_t started_ = 0;
  int64_t ended_ = 0;
  Timeline timeline_;
};

}  // namespace

Timeline predict_timeline(const Plan& plan, const Price& price, std::vector<WorkSpan>* spans) {
  if (plan.ctas() == 0) return {.us = price.copies_us + price.launch_us, .end = {}};
  require_walkable(plan);
  std::optional<SpanRecorder> recorder;
  if (spans != nullptr) recorder.emplace(plan.ctas(), workers_per_cta(plan, price), *spans);
  SpanRecorder* const record = recorder ? &*recorder : nullptr;
  const Lists lists = collect(plan, record);
  Timeline timeline = Events(plan, price, lists, record).run();
  const Reduction reduction = plan.reduction;
  const double second_us =
      price.tail_us + (price.rounds.empty()
                           ? second_kernel_us(reduction, static_cast<int64_t>(lists.parts.size()),
                                              plan.config.cta, price.device->join)
                           : 0.0);
  if (record != nullptr && second_us > 0) record->second_kernel(timeline.us, second_us);
  timeline.us += second_us;
  return timeline;
}

Timeline predict_timeline(const Plan& plan, const DeviceSpec& device,
                          std::vector<WorkSpan>* spans) {
  return predict_timeline(plan, price_of(plan, device), spans);
}

}  // namespace tilewright
