#include "model/timeline.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "base/interruption.hpp"
#include "model/estimate.hpp"
#include "model/fix_up.hpp"
#include "model/span_recorder.hpp"
#include "tile/legality.hpp"
#include "tile/turnstile_proof.hpp"

namespace tilewright {
namespace {

// Equal units in a row: whole tiles of one problem, or one part.
struct Run {
  int problem = 0;
  int64_t k_steps = 0;  // of one unit
  int64_t units = 0;
  bool stores = false;  // runs the epilogue
  int64_t part = -1;    // index of the part
};

struct CtaPlan {
  std::vector<Run> runs;
  int64_t units = 0;
};

struct Plans {
  std::vector<CtaPlan> ctas;
  std::vector<TilePart> parts;  // by tile and k
};

Plans collect(const Schedule& s, SpanRecorder* recorder) {
  Plans plans;
  plans.ctas.resize(static_cast<size_t>(s.workers * s.cluster_size));
  std::vector<int64_t> first_tile;
  int64_t tiles = 0;
  for (const ScheduledProblem& p : s.problems) {
    first_tile.push_back(tiles);
    tiles += int64_t{p.tiles.m} * p.tiles.n;
  }
  for_each_unit(s, [&](const ScheduledUnit& unit) {
    if (recorder != nullptr) recorder->deal(unit);
    if (unit.kind == UnitKind::EarlyExit) return;
    CtaPlan& cta = plans.ctas[static_cast<size_t>(unit.cta)];
    const WorkTile& w = unit.work;
    const ScheduledProblem& p = s.problems[static_cast<size_t>(w.problem)];
    const bool works = unit.kind == UnitKind::Work;
    const bool divided = works && (w.k_begin > 0 || w.k_end < p.k_steps);
    ++cta.units;
    if (!divided && !cta.runs.empty()) {
      Run& last = cta.runs.back();
      if (last.part < 0 && last.problem == w.problem && last.stores == works &&
          last.k_steps == w.k_end - w.k_begin) {
        ++last.units;
        return;
      }
    }
    cta.runs.push_back(
        {w.problem, w.k_end - w.k_begin, 1, works && w.k_end == p.k_steps, divided ? 0 : -1});
    if (!divided) return;
    plans.parts.push_back(
        {first_tile[static_cast<size_t>(w.problem)] + int64_t{w.m} * p.tiles.n + w.n, w.k_begin,
         w.k_end, unit.cta, static_cast<int64_t>(cta.runs.size()) - 1});
  });
  std::sort(plans.parts.begin(), plans.parts.end(), [](const TilePart& a, const TilePart& b) {
    return std::tie(a.tile, a.k_begin) < std::tie(b.tile, b.k_begin);
  });
  for (size_t i = 0; i < plans.parts.size(); ++i) {
    const TilePart& part = plans.parts[i];
    plans.ctas[static_cast<size_t>(part.cta)].runs[static_cast<size_t>(part.turn)].part =
        static_cast<int64_t>(i);
  }
  return plans;
}

// How many CTAs take a unit beyond their first `turn`.
class Activity {
 public:
  explicit Activity(const std::vector<CtaPlan>& ctas) {
    for (const CtaPlan& cta : ctas) counts_.push_back(cta.units);
    std::sort(counts_.begin(), counts_.end());
  }
  int64_t active(int64_t turn) const {
    return counts_.end() - std::upper_bound(counts_.begin(), counts_.end(), turn);
  }
  /// Units of the CTA with the fewest: until then all are active.
  int64_t fewest() const { return counts_.front(); }

 private:
  std::vector<int64_t> counts_;
};

// Times of single units.
class Rates {
 public:
  Rates(const Schedule& s, DataType dtype, const DeviceSpec& device) : device_(device) {
    config_.cta = s.request.cta;
    config_.cluster = s.request.cluster;
    config_.raster = s.request.raster;
    config_.stages = deepest_stages(config_, {.dtype = dtype}, device);
    std::map<std::tuple<int64_t, int64_t, int64_t>, StepLoad> known;
    for (size_t i = 0; i < s.problems.size(); ++i) {
      const GemmShape& shape = s.request.problem.shapes[i];
      const auto key = std::make_tuple(shape.m, shape.n, shape.k);
      if (known.count(key) == 0) known[key] = corner_load({shape, dtype});
      loads_.push_back(known[key]);
    }
  }

  double step_us(int problem, int64_t active) const {
    StepLoad load = loads_[static_cast<size_t>(problem)];
    load.active = std::max<int64_t>(active, 1);
    return k_step_us(config_, device_, load);
  }
  double store_us(int64_t active) const { return epilogue_us(config_, device_, active); }
  double part_us(Reduction reduction, bool first, bool last) const {
    return fix_up_us(reduction, config_.cta, device_, first, last);
  }

 private:
  // A corner of a large output has the traffic of the whole, and fits in memory.
  StepLoad corner_load(Problem problem) const {
    constexpr int64_t kMostTiles = 512;
    problem.shape.m = std::min(problem.shape.m, kMostTiles * config_.cta.m);
    problem.shape.n = std::min(problem.shape.n, kMostTiles * config_.cta.n);
    return step_load(problem, config_, device_);
  }

  TileConfig config_;
  DeviceSpec device_;
  std::vector<StepLoad> loads_;
};

class Events {
 public:
  Events(const Schedule& s, const Plans& plans, const Rates& rates, const DeviceSpec& device,
         SpanRecorder* recorder)
      : recorder_(recorder),
        plans_(plans),
        rates_(rates),
        activity_(plans.ctas),
        reduction_(reduction_of(s.request.decomposition)),
        resident_(s.request.resident > 0 ? s.request.resident : s.request.ctas),
        awaited_(awaited_parts(plans.parts)),
        done_(plans.parts.size()),
        meetings_(meetings_of(plans.parts)),
        place_(plans.ctas.size()),
        lane_(plans.ctas.size()) {
    timeline_.end.assign(plans.ctas.size(), 0);
    launch_us_ = device.launch_us;
  }

  Timeline run() {
    const int64_t lanes = std::min(resident_, static_cast<int64_t>(plans_.ctas.size()));
    if (recorder_ != nullptr) recorder_->launch(lanes, launch_us_);
    for (int64_t i = 0; i < lanes; ++i) start_next(launch_us_, i);
    while (!queue_.empty()) {
      const Event event = queue_.top();
      queue_.pop();
      handle(event);
    }
    timeline_.ends = ended_ == static_cast<int64_t>(plans_.ctas.size());
    timeline_.us = *std::max_element(timeline_.end.begin(), timeline_.end.end());
    return timeline_;
  }

 private:
  enum class Step { Begin, Turn, Done };
  struct Event {
    double us = 0;
    int64_t cta = 0;
    Step step = Step::Begin;
    double since = 0;  // Turn: when the main loop ended
    bool operator>(const Event& other) const {
      return std::tie(us, cta) > std::tie(other.us, other.cta);
    }
  };
  struct Place {
    size_t run = 0;
    int64_t turn = 0;
  };

  const Run& run_of(int64_t cta) const {
    return plans_.ctas[static_cast<size_t>(cta)].runs[place_[static_cast<size_t>(cta)].run];
  }

  void start_next(double us, int64_t lane) {
    if (started_ == static_cast<int64_t>(plans_.ctas.size())) return;
    lane_[static_cast<size_t>(started_)] = lane;
    if (recorder_ != nullptr) recorder_->start(started_, lane);
    queue_.push({us, started_++, Step::Begin});
  }

  // Parts that have come to their tile's meeting, and how many there are.
  struct Meeting {
    int64_t parts = 0;
    std::vector<Event> come;
  };
  static std::map<int64_t, Meeting> meetings_of(const std::vector<TilePart>& parts) {
    std::map<int64_t, Meeting> meetings;
    for (const TilePart& part : parts) ++meetings[part.tile].parts;
    return meetings;
  }

  // Main loops and epilogues of a run that begins at the CTA's `turn`.
  double run_us(const Run& run, int64_t turn) const {
    const int64_t together = std::clamp<int64_t>(activity_.fewest() - turn, 0, run.units);
    double us = together > 0 ? static_cast<double>(together) * unit_us(run, turn) : 0.0;
    for (int64_t i = together; i < run.units; ++i) {
      throw_if_interrupted();
      us += unit_us(run, turn + i);
    }
    return us;
  }

  int64_t active(int64_t turn) const { return std::min(activity_.active(turn), resident_); }
  double unit_us(const Run& run, int64_t turn) const {
    return main_loop_us(run, turn) + epilogue_us(run, turn);
  }
  double main_loop_us(const Run& run, int64_t turn) const {
    return static_cast<double>(run.k_steps) * rates_.step_us(run.problem, active(turn));
  }
  // Of a whole tile; a part's comes after its turn.
  double epilogue_us(const Run& run, int64_t turn) const {
    return run.stores && run.part < 0 ? rates_.store_us(active(turn)) : 0.0;
  }

  void record_run(int64_t cta, const Run& run, int64_t turn, double us) {
    for (int64_t i = turn; i < turn + run.units; ++i) {
      throw_if_interrupted();
      recorder_->work(cta, us, main_loop_us(run, i), epilogue_us(run, i));
      us += unit_us(run, i);
    }
  }

  double sum_us(const Run& run) const {
    const bool first = plans_.parts[static_cast<size_t>(run.part)].k_begin == 0;
    return rates_.part_us(reduction_, first, run.stores);
  }
  double finish_us(const Run& run) const {
    if (reduction_ == Reduction::ReduceScatter) {
      const int64_t tile = plans_.parts[static_cast<size_t>(run.part)].tile;
      return rates_.store_us(resident_) / static_cast<double>(meetings_.at(tile).parts);
    }
    const bool apart = reduction_ != Reduction::InPlace;  // where moving the sums is the store
    return run.stores && apart ? rates_.store_us(resident_) : 0.0;
  }
  double part_us(const Run& run) const { return sum_us(run) + finish_us(run); }

  void handle(const Event& event) {
    throw_if_interrupted();
    const auto cta = static_cast<size_t>(event.cta);
    if (event.step == Step::Begin) {
      if (place_[cta].run == plans_.ctas[cta].runs.size()) return finish(event);
      const Run& next = run_of(event.cta);
      const double us = event.us + run_us(next, place_[cta].turn);
      if (recorder_ != nullptr) record_run(event.cta, next, place_[cta].turn, event.us);
      queue_.push({us, event.cta, Step::Turn, us});
      return;
    }
    const Run& run = run_of(event.cta);
    if (event.step == Step::Turn && run.part >= 0) return take_turn(event, run);
    if (run.part >= 0) {
      done_[static_cast<size_t>(run.part)] = true;
      const auto woken = blocked_.find(run.part);
      if (woken != blocked_.end()) {
        queue_.push({event.us, woken->second.cta, Step::Turn, woken->second.since});
        blocked_.erase(woken);
      }
    }
    place_[cta].turn += run.units;
    ++place_[cta].run;
    queue_.push({event.us, event.cta, Step::Begin});
  }

  // The last part to come lets all of its tile go on.
  void meet(const Event& event, const Run& run) {
    Meeting& meeting = meetings_.at(plans_.parts[static_cast<size_t>(run.part)].tile);
    meeting.come.push_back(event);
    if (static_cast<int64_t>(meeting.come.size()) < meeting.parts) return;
    for (const Event& waiting : meeting.come) {
      go_on({event.us, waiting.cta, Step::Turn, waiting.since}, run_of(waiting.cta));
    }
  }

  void take_turn(const Event& event, const Run& run) {
    if (reduction_ == Reduction::ReduceScatter) return meet(event, run);
    const int64_t awaited = is_turnstile(reduction_) ? awaited_[static_cast<size_t>(run.part)] : -1;
    if (awaited == -2) return;
    if (awaited >= 0 && !done_[static_cast<size_t>(awaited)]) {
      blocked_[awaited] = event;
      return;
    }
    go_on(event, run);
  }

  void go_on(const Event& event, const Run& run) {
    timeline_.waiting_us += event.us - event.since;
    timeline_.fix_up_us += part_us(run);
    if (recorder_ != nullptr) {
      recorder_->part(event.cta, event.since, event.us - event.since, sum_us(run), finish_us(run));
    }
    queue_.push({event.us + part_us(run), event.cta, Step::Done});
  }

  void finish(const Event& event) {
    timeline_.end[static_cast<size_t>(event.cta)] = event.us;
    ++ended_;
    start_next(event.us, lane_[static_cast<size_t>(event.cta)]);
  }

  SpanRecorder* recorder_;
  const Plans& plans_;
  const Rates& rates_;
  Activity activity_;
  Reduction reduction_;
  int64_t resident_;
  std::vector<int64_t> awaited_;
  std::vector<bool> done_;
  std::map<int64_t, Meeting> meetings_;  // by tile
  std::vector<Place> place_;
  std::vector<int64_t> lane_;         // of every CTA that started
  std::map<int64_t, Event> blocked_;  // by the part that is awaited
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  double launch_us_ = 0;
  int64_t started_ = 0;
  int64_t ended_ = 0;
  Timeline timeline_;
};

Timeline predict(const Schedule& schedule, DataType dtype, const DeviceSpec& device,
                 SpanRecorder* recorder) {
  const Plans plans = collect(schedule, recorder);
  const Rates rates(schedule, dtype, device);
  Timeline timeline = Events(schedule, plans, rates, device, recorder).run();
  if (reduction_of(schedule.request.decomposition) == Reduction::Workspace &&
      !plans.parts.empty()) {
    const double kernel_us =
        workspace_kernel_us(static_cast<int64_t>(plans.parts.size()), schedule.request.cta, device);
    if (recorder != nullptr) {
      recorder->second_kernel(timeline.us, device.launch_us, kernel_us - device.launch_us);
    }
    timeline.us += kernel_us;
  }
  return timeline;
}

}  // namespace

Timeline predict_timeline(const Schedule& schedule, DataType dtype, const DeviceSpec& device) {
  return predict(schedule, dtype, device, nullptr);
}

Timeline predict_timeline(const Schedule& schedule, DataType dtype, const DeviceSpec& device,
                          std::vector<WorkSpan>& spans) {
  SpanRecorder recorder(schedule.workers * schedule.cluster_size, spans);
  return predict(schedule, dtype, device, &recorder);
}

}  // namespace tilewright
