#include "model/l2_replay.hpp"

#include <algorithm>
#include <optional>
#include <queue>

#include "base/interruption.hpp"
#include "base/math.hpp"
#include "model/operand_lines.hpp"
#include "model/partial_tiles.hpp"
#include "model/partitioned_l2.hpp"
#include "model/placement.hpp"
#include "tile/plan/partial_store.hpp"
#include "tile/plan/tile_count.hpp"

namespace tilewright {
namespace {

// Steps of clusters that are replayed: some 20 ms of work, of a coarse replay 1 ms; and clusters,
// where these have few steps.
constexpr int64_t kMostSteps = 200'000;
constexpr int64_t kMostCoarseSteps = 10'000;
constexpr int64_t kMostClusters = int64_t{1} << 15;
constexpr int64_t kFewestRounds = 8;
constexpr int64_t kFewestLongRounds = 2;  // where as many as usual were much more work
constexpr int64_t kCoarseSteps = 4;
// Of a problem, what a replay looks at: no walk of so many steps gets further along a side, and
// nothing is read twice along K.
constexpr int64_t kLongestSide = int64_t{1} << 18;  // tiles
constexpr int64_t kDeepest = int64_t{1} << 20;      // elements
// Of depth in the cache.
constexpr int kClasses = 20;
constexpr int kCoarseClasses = 8;
// A fine replay of more steps than this takes deeper slabs; all of a step's must fit in the cache.
constexpr int64_t kManySteps = 16;
constexpr int64_t kDeepestSlab = 1024;
// Half of a step's arithmetic can run before the last of its slabs is there.
constexpr double kHeadStart = 0.5;

// What a cluster does in turn.
struct Worker {
  std::vector<TilePiece> pieces;  // of the replayed rounds
  Placement placement;
  size_t round = 0;
  int64_t k = 0;       // of the piece, elements that are read
  double done_us = 0;  // end of the last step
};

// Rates in microseconds.
struct Clockwork {
  double us_per_depth;      // arithmetic of a tile, for one element of K
  double us_per_l2_byte;    // whole device
  double us_per_dram_byte;  // likewise
};

Clockwork clockwork_of(const TileConfig& config, DataType dtype, const DeviceSpec& d) {
  const double clock = d.sustained_clock_hz / kMicroseconds;
  return {2.0 * config.cta.m * config.cta.n / tensor_flops_per_clock(d, dtype) / clock,
          1 / (d.l2_bytes_per_clock * clock), kMicroseconds / d.dram_bytes_per_s};
}

int64_t slab_depth(int64_t k, Grain grain, int64_t at_once) {
  // One round of all clusters fits in.
  const int64_t least = ceil_div(k, std::max<int64_t>(kMostSteps / at_once, 1));
  if (grain == Grain::Coarse) return std::max({kReplaySlabK, ceil_div(k, kCoarseSteps), least});
  return std::max(std::clamp(ceil_div(k, kManySteps), kReplaySlabK, kDeepestSlab), least);
}

// Of rounds of so many clusters, each of so many steps.
int64_t rounds_to_replay(int64_t clusters, int64_t steps, Grain grain) {
  const int64_t most = grain == Grain::Fine ? kMostSteps : kMostCoarseSteps;
  const int64_t fewest =
      kFewestRounds * clusters * steps <= 2 * kMostSteps ? kFewestRounds : kFewestLongRounds;
  return std::max(fewest, std::min(most / (clusters * steps), kMostClusters / clusters));
}

// The plan of the problem's first rows, columns and K; nothing where that is all of it.
std::optional<Plan> corner_of(const Plan& plan, const DeviceSpec& device) {
  const GemmShape& whole = plan.problems.front().shape;
  const GemmShape corner{.m = std::min(whole.m, kLongestSide * plan.config.cta.m),
                         .n = std::min(whole.n, kLongestSide * plan.config.cta.n),
                         .k = std::min(whole.k, kDeepest)};
  if (corner == whole) return std::nullopt;
  Workload workload = plan.workload;
  workload.shapes = {kernel_shape(corner, plan.config)};
  TileConfig config = plan.config;
  config.decomposition = DataParallel{};
  return make_plan(workload, config, device, plan.options);
}

class Replay {
 public:
  Replay(const Plan& plan, const DeviceSpec& device, Grain grain)
      : whole_(plan.problems.front()),
        whole_tiles_(visited_tiles(plan, 0)),
        corner_(corner_of(plan, device)),
        plan_(corner_ ? *corner_ : plan),
        shape_(plan_.problems.front().shape),
        depth_(shape_.k * phases(plan.workload.op)),
        element_bytes_(bytes_of(plan.workload.kind.dtype)),
        output_bytes_(bytes_of(output_type(plan.product.kind)) *
                      tw::record_of(plan.workload.op).planes),
        config_(plan.config),
        device_(device),
        clockwork_(clockwork_of(plan.config, plan.workload.kind.dtype, device)),
        lines_(plan_.problems.front(), plan.config),
        grain_(grain) {
    const auto size = static_cast<int>(plan.cluster_size);
    traffic_.ctas = plan.options.ctas > 0 ? std::min(plan.options.ctas, plan.resident) / size * size
                                          : resident_clusters(device, size) * size;
    const int64_t at_once = traffic_.ctas / size;
    for (const Placement& placement : placements(device, at_once, size)) {
      for (int slice = 0; slice < plan.cluster_k(); ++slice) {
        workers_.push_back({.pieces = {}, .placement = placement});
      }
    }
    slab_k_ = slab_depth(depth_, grain, at_once);
    steps_ = ceil_div(depth_, slab_k_);
    replayed_ = rounds_to_replay(at_once, steps_, grain);
    if (is_dealt_in_parts()) {
      collect_parts();
    } else {
      collect();
    }
  }

  L2Traffic run() {
    const uint32_t slabs = slab_count_ + (partial_ ? partial_->slab_count() : 0);
    PartitionedL2 cache(device_, slabs, grain_ == Grain::Fine ? kClasses : kCoarseClasses,
                        config_.evict_first != EvictFirst{});
    if (grain_ == Grain::Fine) {
      run_in_time(cache);
      if (partial_) count(partial_->sum_up(cache));
    } else {
      for (size_t round = 0; run_in_lockstep(round, cache); ++round) {
      }
    }
    extrapolate();
    sum_up();
    return traffic_;
  }

 private:
  struct Turn {
    double us;
    size_t worker;
    bool operator>(const Turn& other) const {
      return us != other.us ? us > other.us : worker > other.worker;
    }
  };

  void run_in_time(PartitionedL2& cache) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i].pieces.empty()) turns_.push({0, i});
    }
    while (!turns_.empty()) {
      const Turn turn = turns_.top();
      turns_.pop();
      take(turn, cache);
    }
  }

  // False when no cluster has a tile in this round.
  bool run_in_lockstep(size_t round, PartitionedL2& cache) {
    throw_if_interrupted();
    std::vector<std::pair<int, int>> reads;  // partition and line
    for (const Worker& worker : workers_) {
      if (round >= worker.pieces.size()) continue;
      lines_.for_each(worker.pieces[round].cluster,
                      [&](int line) { reads.emplace_back(worker.placement.partition, line); });
    }
    if (reads.empty()) return false;
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    for (int64_t step = 0; step < steps_; ++step) {
      const int64_t depth = std::min(slab_k_, depth_ - step * slab_k_);
      for (const auto& read : reads) {
        traffic_.waves[round].dram_read_bytes +=
            cache.read(read.first, slab(read.second, step), slab_bytes(read.second, depth),
                       keep_of(read.second));
      }
    }
    for (const Worker& worker : workers_) {
      if (round < worker.pieces.size()) {
        cache.write(worker.placement.partition, output_bytes(worker.pieces[round].cluster));
      }
    }
    return true;
  }

  uint32_t slab(int line, int64_t step) const {
    return static_cast<uint32_t>(line_ids_[static_cast<size_t>(line)] + step);
  }

  int64_t slab_bytes(int line, int64_t depth) const {
    return lines_.extent(line) * depth * element_bytes_;
  }

  int64_t output_bytes(TileCoord cluster) const {
    int64_t rows = 0;
    int64_t columns = 0;
    lines_.for_each(cluster, [&](int line) {
      (line < lines_.tiles().m ? rows : columns) += lines_.extent(line);
    });
    const int stores = is_mirrored(plan_.workload) && cluster.m != cluster.n ? 2 : 1;
    return stores * rows * columns * output_bytes_;
  }

  // Deals the slots of the replayed rounds out to the clusters; overhang is passed over.
  void collect() {
    last_rounds_.assign(static_cast<size_t>(lines_.count()) * kGroupCount, -1);
    line_ids_.assign(static_cast<size_t>(lines_.count()), -1);
    std::vector<size_t> rounds(workers_.size(), 0);
    const auto at_once = static_cast<int64_t>(workers_.size());
    for_each_whole_tile(plan_, 0, at_once, [&](int64_t number, TileCoord cluster) {
      const auto worker = static_cast<size_t>(number);
      const size_t round = rounds[worker]++;
      if (round == traffic_.waves.size()) traffic_.waves.emplace_back();
      written_bytes_ += output_bytes(cluster);
      add(traffic_.waves[round], {cluster, 0, depth_});
      add_distinct(round, workers_[worker].placement.group, cluster);
      workers_[worker].pieces.push_back({cluster, 0, depth_});
      lines_.for_each(cluster, [this](int line) { use(line); });
      return static_cast<int64_t>(rounds[worker]) < replayed_;
    });
    name_slabs();
  }

  void use(int line) { line_ids_[static_cast<size_t>(line)] = 0; }

  // By line, so that the same tiles have the same slabs in whatever order they are dealt.
  void name_slabs() {
    for (int& id : line_ids_) {
      if (id < 0) continue;
      id = static_cast<int>(slab_count_);
      slab_count_ += static_cast<uint32_t>(steps_);
    }
  }

  void add(WaveTraffic& wave, const TilePiece& piece) const {
    int64_t extents = 0;
    int64_t rows = 0;
    int64_t columns = 0;
    lines_.for_each(piece.cluster, [&](int line) {
      extents += lines_.extent(line);
      ++(line < lines_.tiles().m ? rows : columns);
    });
    wave.tiles += rows * columns;
    wave.l2_read_bytes += static_cast<double>(extents) *
                          static_cast<double>(piece.k_end - piece.k_begin) * element_bytes_;
  }

  // Lines that nobody of the group has read in this round.
  void add_distinct(size_t round, int group, TileCoord cluster) {
    const auto stamp = static_cast<int>(round);
    const size_t base = static_cast<size_t>(group) * static_cast<size_t>(lines_.count());
    lines_.for_each(cluster, [&](int line) {
      int& last = last_rounds_[base + static_cast<size_t>(line)];
      if (last == stamp) return;
      last = stamp;
      traffic_.waves[round].distinct_bytes +=
          static_cast<double>(lines_.extent(line)) * static_cast<double>(depth_) * element_bytes_;
    });
  }

  void take(const Turn& turn, PartitionedL2& cache) {
    throw_if_interrupted();
    Worker& worker = workers_[turn.worker];
    const TilePiece piece = worker.pieces[worker.round];
    const int64_t at = piece.k_begin + worker.k;
    const int64_t step = at / slab_k_;
    const int64_t depth = std::min((step + 1) * slab_k_, piece.k_end) - at;
    double read = 0;
    double missed = 0;
    lines_.for_each(piece.cluster, [&](int line) {
      const int64_t bytes = slab_bytes(line, depth);
      read += static_cast<double>(bytes);
      missed += read_slab(worker.placement.partition, line, step, depth, cache);
    });
    traffic_.waves[worker.round].dram_read_bytes += missed;
    l2_free_us_ = std::max(turn.us, l2_free_us_) + read * clockwork_.us_per_l2_byte;
    double arrival = l2_free_us_;
    if (missed > 0) {
      dram_free_us_ = std::max(turn.us, dram_free_us_) + missed * clockwork_.us_per_dram_byte;
      arrival = std::max(arrival, dram_free_us_);
    }
    const double step_us =
        clockwork_.us_per_depth * static_cast<double>(depth) * worker.placement.pace;
    const double begin = std::max({turn.us, worker.done_us, arrival - kHeadStart * step_us});
    worker.done_us = std::max(begin + step_us, arrival);
    worker.k += depth;
    // The next slabs follow while these are being multiplied.
    if (at + depth < piece.k_end) {
      turns_.push({begin, turn.worker});
    } else if (partial_ && piece.k_end - piece.k_begin < depth_) {
      arrive({begin, turn.worker}, piece, cache);
    } else {
      store(worker, piece.cluster, cache);
      go_on({begin, turn.worker});
    }
  }

  void go_on(const Turn& turn) {
    Worker& worker = workers_[turn.worker];
    worker.k = 0;
    if (++worker.round < worker.pieces.size()) turns_.push(turn);
  }

  void store(const Worker& worker, TileCoord cluster, PartitionedL2& cache) {
    const int64_t bytes = output_bytes(cluster);
    cache.write(worker.placement.partition, bytes);
    dram_free_us_ += static_cast<double>(bytes) * clockwork_.us_per_dram_byte;
  }

  // A part is multiplied: it joins the others now, or when its turn comes.
  void arrive(const Turn& turn, const TilePiece& piece, PartitionedL2& cache) {
    const JoinedParts joined = partial_->arrive({piece, turn.worker}, cache);
    count(joined.moved);
    for (const ArrivedPart& part : joined.storing) {
      store(workers_[part.worker], part.piece.cluster, cache);
    }
    for (const size_t worker : joined.freed) go_on({turn.us, worker});
  }

  Keep keep_of(int line) const {
    const EvictFirst& first = config_.evict_first;
    const bool of_a = (line < lines_.tiles().m) != config_.swap_ab;
    return (of_a ? first.a : first.b) ? Keep::EvictFirst : Keep::Usual;
  }

  // Parts of a tile may end inside of a slab; what nobody has read of it is not in the cache.
  double read_slab(int partition, int line, int64_t step, int64_t depth, PartitionedL2& cache) {
    const uint32_t name = slab(line, step);
    const double missed = cache.read(partition, name, slab_bytes(line, depth), keep_of(line));
    if (covered_.empty()) return missed;
    int64_t& covered = covered_[name];
    const int64_t whole = std::min(slab_k_, depth_ - step * slab_k_);
    const int64_t fresh = std::min(depth, whole - covered);
    covered += fresh;
    const double again = static_cast<double>(depth - fresh) / static_cast<double>(depth);
    return static_cast<double>(slab_bytes(line, fresh)) + again * missed;
  }

  void count(const MovedBytes& moved) {
    traffic_.partial_read_bytes += moved.read;
    partial_written_ += moved.written;
    dram_free_us_ += (moved.read + moved.written) * clockwork_.us_per_dram_byte;
  }

  bool is_divided() const {
    return record_of(config_.family).persistent &&
           !std::holds_alternative<DataParallel>(plan_.config.decomposition);
  }

  // Where that is no more work than whole tiles are.
  bool is_dealt_in_parts() const {
    if (!is_divided() || grain_ == Grain::Coarse) return false;
    const int64_t units = std::max(plan_.units + plan_.streamed, plan_.launched_workers);
    return units * plan_.cluster_k() + plan_.problems.front().work.slots * steps_ <= 2 * kMostSteps;
  }

  // Every unit of the plan in its worker's order.
  void collect_parts() {
    line_ids_.assign(static_cast<size_t>(lines_.count()), -1);
    const int64_t of_cluster = int64_t{config_.cluster.m} * config_.cluster.n;
    int64_t parts = 0;
    for_each_unit(plan_, [&](const ScheduledUnit& unit) {
      const WorkTile& w = unit.work;
      const bool leads = w.m % config_.cluster.m == 0 && w.n % config_.cluster.n == 0;
      if (unit.kind != UnitKind::Work || !leads) return;
      const TilePiece piece = piece_of(plan_, w);
      Worker& worker = workers_[static_cast<size_t>(unit.cta / of_cluster) % workers_.size()];
      const size_t round = worker.pieces.size();
      if (round == traffic_.waves.size()) traffic_.waves.emplace_back();
      worker.pieces.push_back(piece);
      add(traffic_.waves[round], piece);
      if (piece.k_end - piece.k_begin < depth_) ++parts;
      lines_.for_each(piece.cluster, [this](int line) { use(line); });
    });
    name_slabs();
    covered_.assign(slab_count_, 0);
    partial_.emplace(plan_, depth_, parts, slab_count_);
  }

  bool is_square() const { return plan_.workload.op == MatrixOp::Gemm && !plan_.options.given; }

  // What the replayed rounds leave goes on like their later half.
  void extrapolate() {
    const double deeper = static_cast<double>(whole_.shape.k) / static_cast<double>(shape_.k);
    int64_t replayed = 0;
    double read_bytes = 0;
    WaveTraffic half{.rounds = 0};
    for (WaveTraffic& wave : traffic_.waves) {
      wave.dram_read_bytes *= deeper;
      wave.l2_read_bytes *= deeper;
      wave.distinct_bytes *= deeper;
      replayed += wave.tiles;
      read_bytes += wave.l2_read_bytes;
      if (&wave - traffic_.waves.data() >= std::ssize(traffic_.waves) / 2) add_up(half, wave);
    }
    const int64_t left = partial_ ? 0 : whole_tiles_ - replayed;
    if (left <= 0) return;
    const double of_tile = is_square() ? (all_read_bytes() - read_bytes) / static_cast<double>(left)
                                       : read_bytes / static_cast<double>(replayed);
    written_bytes_ += written_bytes_ / replayed * left;
    const auto go_on = [&](int64_t round_tiles, int64_t rounds) {
      const double read = of_tile * static_cast<double>(round_tiles);
      const double share = read / half.l2_read_bytes;
      traffic_.waves.push_back(
          {round_tiles, share * half.dram_read_bytes, read, share * half.distinct_bytes, rounds});
    };
    const int64_t full = half.tiles / half.rounds;
    const int64_t full_rounds = ceil_div(left, full) - 1;
    if (full_rounds > 0) go_on(full, full_rounds);
    go_on(left - full_rounds * full, 1);
  }

  static void add_up(WaveTraffic& sum, const WaveTraffic& wave) {
    ++sum.rounds;
    sum.tiles += wave.tiles;
    sum.dram_read_bytes += wave.dram_read_bytes;
    sum.l2_read_bytes += wave.l2_read_bytes;
    sum.distinct_bytes += wave.distinct_bytes;
  }

  // Every cluster column reads all rows of A, every cluster row all columns of B.
  double all_read_bytes() const {
    const GemmShape& s = whole_.shape;
    const TileCoord grid = whole_.map.clusters;
    const double lines = static_cast<double>(s.m) * grid.n + static_cast<double>(s.n) * grid.m;
    return lines * static_cast<double>(s.k) * element_bytes_;
  }

  void sum_up() {
    for (const WaveTraffic& wave : traffic_.waves) {
      traffic_.dram_read_bytes += static_cast<double>(wave.rounds) * wave.dram_read_bytes;
      traffic_.l2_read_bytes += static_cast<double>(wave.rounds) * wave.l2_read_bytes;
    }
    traffic_.slots = whole_.work.slots * config_.cluster.m * config_.cluster.n;
    if (traffic_.l2_read_bytes > 0)
      traffic_.hit_rate = 1 - traffic_.dram_read_bytes / traffic_.l2_read_bytes;
    if (!partial_) keep_parts();
    traffic_.dram_read_bytes += traffic_.partial_read_bytes;
    // Every output byte is written once and leaves the cache once, now or after the run.
    const double square = static_cast<double>(whole_.shape.m) * static_cast<double>(whole_.shape.n);
    const bool all = is_square() || is_mirrored(plan_.workload);
    const double written = all ? square * output_bytes_ : static_cast<double>(written_bytes_);
    traffic_.dram_write_bytes = written + partial_written_;
  }

  // Partial tiles of parts that were not dealt: as if L2 held them all.
  void keep_parts() {
    const PartialStore store = is_divided() ? partial_store(plan_) : PartialStore{};
    partial_written_ = static_cast<double>(store.bytes);
    if (store.zeroed) traffic_.partial_read_bytes = partial_written_;
  }

  PlannedProblem whole_;        // the problem
  int64_t whole_tiles_;         // of it, of those clusters that compute anything
  std::optional<Plan> corner_;  // what is replayed of it, where not all is
  const Plan& plan_;
  GemmShape shape_;
  int64_t depth_;  // of K, of all phases
  int element_bytes_;
  int output_bytes_;  // of an element of D, in all planes
  TileConfig config_;
  const DeviceSpec& device_;
  Clockwork clockwork_;
  OperandLines lines_;
  Grain grain_;
  int64_t slab_k_ = 0;
  int64_t steps_ = 0;
  int64_t replayed_ = 0;          // rounds
  std::vector<int> line_ids_;     // of the first slab of each line that is replayed, else -1
  std::vector<int> last_rounds_;  // by group and line: in which a cluster of it read the line
  uint32_t slab_count_ = 0;
  std::vector<Worker> workers_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::optional<PartialTiles> partial_;
  std::vector<int64_t> covered_;  // by slab, elements of K that were read; of parts
  double partial_written_ = 0;    // bytes
  int64_t written_bytes_ = 0;
  double l2_free_us_ = 0;
  double dram_free_us_ = 0;
  L2Traffic traffic_;
};

}  // namespace

L2Traffic replay_l2(const Plan& plan, const DeviceSpec& device, Grain grain) {
  return Replay(plan, device, grain).run();
}

}  // namespace tilewright
