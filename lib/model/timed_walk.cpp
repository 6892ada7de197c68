#include <algorithm>
#include <functional>
#include <optional>
#include <queue>

#include "base/interruption.hpp"
#include "base/math.hpp"
#include "model/replay_walk.hpp"

namespace tilewright {
namespace {

constexpr int kClasses = 20;  // depths in the cache with a chance each
// Half of a step's arithmetic can run before the last of its slabs arrives.
constexpr double kHeadStart = 0.5;

// Serves one transfer after the other.
struct Channel {
  double us_per_byte;  // whole device
  double free_us = 0;

  // Returns when bytes that were requested at `asked_us` arrive.
  double serve(double asked_us, double bytes) {
    free_us = std::max(asked_us, free_us) + bytes * us_per_byte;
    return free_us;
  }
  // No worker waits for these bytes.
  void load(double bytes) { free_us += bytes * us_per_byte; }
};

struct SlabReads {
  double bytes = 0;
  double missed = 0;
};

// Reads the slabs of a step through the cache.
class SlabReader {
 public:
  SlabReader(const ReplayScope& scope, const SlabIndex& slabs, PartitionedL2& cache)
      : scope_(scope), slabs_(slabs), cache_(cache), covered_(scope.in_parts ? slabs.count : 0) {}

  SlabReads read(const ReplayWorker& worker, TileCoord cluster, int64_t step, int64_t depth) {
    SlabReads reads;
    scope_.panels.for_each(cluster, [&](int panel) {
      reads.bytes += static_cast<double>(slab_bytes(scope_, panel, depth));
      reads.missed += read_slab(worker.placement.partition, panel, step, depth);
    });
    return reads;
  }

 private:
  // Parts of a tile may end inside a slab; the unread rest of the slab is not in the cache.
  double read_slab(int partition, int panel, int64_t step, int64_t depth) {
    double missed = 0;
    uint32_t last = 0;
    const EvictionPolicy policy = eviction_policy_of(scope_, panel);
    // A line that holds the end of a k-step and the beginning of the next is loaded by both. Where
    // no other cluster loads the panel, the second load finds the line.
    const bool loads_next = policy == EvictionPolicy::EvictFirst && covered_.empty() &&
                            slabs_.block_lines == 0 && step + 1 < scope_.steps &&
                            scope_.slab_k == scope_.whole.config.cta.k &&
                            crosses_lines(scope_, panel) && is_shared(scope_, panel);
    slabs_.for_each(scope_.panels, panel, step, [&](uint32_t slab, int lines) {
      last = slab;
      const int64_t bytes = slab_bytes(scope_, panel, lines, depth);
      missed += cache_.read(partition, slab, bytes, policy);
      if (loads_next) missed += cache_.read(partition, slab + 1, bytes, policy);
    });
    if (covered_.empty()) return missed;
    int64_t& covered = covered_[last];
    const int64_t whole = std::min(scope_.slab_k, scope_.depth - step * scope_.slab_k);
    const int64_t fresh = std::min(depth, whole - covered);
    covered += fresh;
    const double again = static_cast<double>(depth - fresh) / static_cast<double>(depth);
    return static_cast<double>(slab_bytes(scope_, panel, fresh)) + again * missed;
  }

  const ReplayScope& scope_;
  const SlabIndex& slabs_;
  PartitionedL2& cache_;
  std::vector<int64_t> covered_;  // by slab, of parts: elements of K read so far
};

// How far a worker is.
struct Progress {
  size_t round = 0;
  int64_t k = 0;       // elements of the piece read so far
  double done_us = 0;  // end of the last step
};

class TimedWalk {
 public:
  // `partial` is null where tiles are whole.
  TimedWalk(const ReplayScope& scope, const ReplaySchedule& schedule, const SlabIndex& slabs,
            PartitionedL2& cache, FixupTraffic* partial)
      : scope_(scope),
        workers_(schedule.workers),
        cache_(cache),
        partial_(partial),
        reader_(scope, slabs, cache),
        us_per_depth_(us_per_depth(scope, schedule)),
        l2_{1 / (scope.device.l2_bytes_per_clock * clocks_per_us(scope))},
        dram_{kMicroseconds / scope.device.dram_bytes_per_s},
        progress_(workers_.size()) {
    misses_.operand_bytes.assign(schedule.rounds.waves.size(), 0);
  }

  ReplayMisses run() {
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i].pieces.empty()) events_.push({0, i});
    }
    while (!events_.empty()) {
      throw_if_interrupted();
      const Event event = events_.top();
      events_.pop();
      take(event);
    }
    if (partial_ != nullptr) count(partial_->sum_up(cache_));
    return misses_;
  }

 private:
  struct Event {
    double us;
    size_t worker;
    bool operator>(const Event& other) const {
      return us != other.us ? us > other.us : worker > other.worker;
    }
  };

  static double clocks_per_us(const ReplayScope& scope) {
    return scope.device.sustained_clock_hz / kMicroseconds;
  }
  // Time of a tile's arithmetic for one element of K; CTAs of one multiprocessor take turns.
  static double us_per_depth(const ReplayScope& scope, const ReplaySchedule& schedule) {
    const TileShape& cta = scope.whole.config.cta;
    const DataType dtype = scope.whole.workload.kind.dtype;
    const int64_t busy =
        std::count_if(schedule.workers.begin(), schedule.workers.end(),
                      [](const ReplayWorker& worker) { return !worker.pieces.empty(); });
    const int64_t sharers = ceil_div<int64_t>(
        busy * scope.whole.cluster_size / scope.whole.cluster_k(), scope.device.sm_count);
    return 2.0 * cta.m * cta.n * static_cast<double>(sharers) /
           tensor_flops_per_clock(scope.device, dtype) / clocks_per_us(scope);
  }

  // Runs a step of the worker's piece.
  void take(const Event& event) {
    const ReplayWorker& worker = workers_[event.worker];
    Progress& own = progress_[event.worker];
    const TilePiece& piece = worker.pieces[own.round];
    const int64_t at = piece.k_begin + own.k;
    const int64_t step = at / scope_.slab_k;
    const int64_t depth = std::min((step + 1) * scope_.slab_k, piece.k_end) - at;
    const SlabReads reads = reader_.read(worker, piece.cluster, step, depth);
    misses_.operand_bytes[own.round] += reads.missed;
    const double arrival = arrival_us(event.us, reads);
    const double step_us =
        us_per_depth_ * static_cast<double>(depth) * worker.placement.relative_time;
    const double begin = std::max({event.us, own.done_us, arrival - kHeadStart * step_us});
    own.done_us = std::max(begin + step_us, arrival);
    own.k += depth;
    // The next slabs are loaded while these are multiplied.
    if (at + depth < piece.k_end) {
      events_.push({begin, event.worker});
    } else {
      finish({begin, event.worker}, piece);
    }
  }

  double arrival_us(double asked_us, const SlabReads& reads) {
    const double arrival = l2_.serve(asked_us, reads.bytes);
    return reads.missed > 0 ? std::max(arrival, dram_.serve(asked_us, reads.missed)) : arrival;
  }

  // A part joins now, or once the parts before it are done.
  void finish(const Event& event, const TilePiece& piece) {
    if (partial_ == nullptr || !is_part(scope_, piece)) {
      store(event.worker, piece.cluster);
      return go_on(event);
    }
    const ArrivedPart arrived{piece, event.worker, workers_[event.worker].placement.partition};
    const FixupResult result = partial_->arrive(arrived, cache_);
    count(result.moved);
    for (const ArrivedPart& part : result.storing) store(part.worker, part.piece.cluster);
    for (const size_t worker : result.freed) go_on({event.us, worker});
  }

  void go_on(const Event& event) {
    Progress& own = progress_[event.worker];
    own.k = 0;
    if (++own.round < workers_[event.worker].pieces.size()) events_.push(event);
  }

  void store(size_t worker, TileCoord cluster) {
    const int64_t bytes = stored_bytes(scope_, cluster);
    cache_.write(workers_[worker].placement.partition, bytes);
    dram_.load(static_cast<double>(bytes));
  }

  void count(const DramTraffic& moved) {
    misses_.partial.read += moved.read;
    misses_.partial.written += moved.written;
    dram_.load(moved.read + moved.written);
  }

  const ReplayScope& scope_;
  const std::vector<ReplayWorker>& workers_;
  PartitionedL2& cache_;
  FixupTraffic* partial_;
  SlabReader reader_;
  double us_per_depth_;
  Channel l2_;
  Channel dram_;
  std::vector<Progress> progress_;  // by worker
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  ReplayMisses misses_;
};

int64_t part_count(const ReplayScope& scope, const ReplaySchedule& schedule) {
  int64_t parts = 0;
  for (const ReplayWorker& worker : schedule.workers) {
    parts += std::count_if(worker.pieces.begin(), worker.pieces.end(),
                           [&](const TilePiece& piece) { return is_part(scope, piece); });
  }
  return parts;
}

}  // namespace

ReplayMisses walk_in_time(const ReplayScope& scope, const ReplaySchedule& schedule,
                          const SlabIndex& slabs) {
  std::optional<FixupTraffic> partial;
  if (scope.in_parts) {
    partial.emplace(scope.plan, scope.depth, part_count(scope, schedule), slabs.count);
  }
  PartitionedL2 cache(scope.device, slabs.count + (partial ? partial->slab_count() : 0), kClasses,
                      scope.whole.config.evict_first != EvictFirst{});
  return TimedWalk(scope, schedule, slabs, cache, partial ? &*partial : nullptr).run();
}

}  // namespace tilewright
