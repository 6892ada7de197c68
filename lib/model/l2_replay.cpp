#include "model/l2_replay.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "model/lru_cache.hpp"

namespace tilewright {
namespace {

// Beyond this many slab reads a replay goes on by extrapolation: about 20 ms of work.
constexpr int64_t kMostReads = 2'000'000;

// Slabs that the CTAs of one wave read in every step, each once: in the order of the first reader
// (that order decides what comes in) and of the last (that order decides what is oldest later).
struct WaveSlabs {
  std::vector<int> first;
  std::vector<int> last;
};

// Tiles of one launch as blocks of a cache: rows of A, columns of B, then output tiles.
class Replay {
 public:
  Replay(const Problem& problem, const TileConfig& config, const DeviceSpec& device)
      : shape_(kernel_shape(problem.shape, config)),
        element_bytes_(element_bytes(problem.dtype)),
        output_bytes_(element_bytes(output_type(problem))),
        config_(config),
        tiles_(tile_grid(shape_, config.cta)),
        clusters_(cluster_grid(problem.shape, config)),
        steps_(ceil_div<int64_t>(shape_.k, kReplaySlabK)),
        slots_(tw::slot_count<long long>(cluster_raster(config), clusters_)),
        cache_(block_count(), device.l2_effective_bytes),
        reader_(static_cast<size_t>(tiles_.m) + static_cast<size_t>(tiles_.n), -1) {
    traffic_.ctas = persistent_ctas(config, device);
    traffic_.slots = slots_ * config.cluster.m * config.cluster.n;
  }

  L2Traffic run() {
    const int64_t cluster_size = int64_t{config_.cluster.m} * config_.cluster.n;
    const int64_t clusters_at_once = traffic_.ctas / cluster_size;
    const int64_t waves = ceil_div<int64_t>(slots_, clusters_at_once);
    int64_t reads = 0;
    for (int64_t wave = 0; wave < waves; ++wave) {
      const int64_t begin = wave * clusters_at_once;
      collect(begin, std::min<int64_t>(begin + clusters_at_once, slots_));
      traffic_.waves.push_back(reads < kMostReads ? replay_wave() : repeat_mean());
      reads += steps_ * static_cast<int64_t>(slabs_.first.size());
      for (const uint32_t tile : outputs_) cache_.touch(tile, output_bytes(tile));
    }
    for (const WaveTraffic& wave : traffic_.waves) {
      traffic_.dram_read_bytes += wave.dram_read_bytes;
      traffic_.l2_read_bytes += wave.l2_read_bytes;
    }
    traffic_.hit_rate = 1 - traffic_.dram_read_bytes / traffic_.l2_read_bytes;
    // Every output byte is written once and leaves the cache once, now or after the run.
    traffic_.dram_write_bytes =
        static_cast<double>(shape_.m) * static_cast<double>(shape_.n) * output_bytes_;
    return traffic_;
  }

 private:
  size_t row_count() const { return static_cast<size_t>(tiles_.m); }
  size_t block_count() const {
    const size_t slabs =
        (row_count() + static_cast<size_t>(tiles_.n)) * static_cast<size_t>(steps_);
    return slabs + row_count() * static_cast<size_t>(tiles_.n);
  }

  // A line is a row of A tiles (its index) or a column of B tiles (tiles_.m + its index).
  int line_extent(int line) const {
    const bool row = line < tiles_.m;
    const int tile = row ? config_.cta.m : config_.cta.n;
    const int64_t begin = static_cast<int64_t>(row ? line : line - tiles_.m) * tile;
    return static_cast<int>(std::min<int64_t>(tile, (row ? shape_.m : shape_.n) - begin));
  }

  int32_t output_bytes(uint32_t block) const {
    const auto index = static_cast<int64_t>(block) -
                       static_cast<int64_t>(tiles_.m + static_cast<int64_t>(tiles_.n)) * steps_;
    const int m = static_cast<int>(index / tiles_.n);
    const int n = static_cast<int>(index % tiles_.n);
    return line_extent(m) * line_extent(tiles_.m + n) * output_bytes_;
  }

  // Finds the wave's slabs and outputs, and what its clusters read of L2 in a step.
  void collect(int64_t begin, int64_t end) {
    slabs_ = {};
    outputs_.clear();
    rows_read_ = 0;
    std::vector<int>& lines = scratch_;
    lines.clear();
    for (int64_t slot = begin; slot < end; ++slot) {
      const TileCoord cluster = tw::tile_at<long long>(cluster_raster(config_), clusters_, slot);
      if (!tw::is_inside(clusters_, cluster)) continue;
      add_cluster({cluster.m * config_.cluster.m, cluster.n * config_.cluster.n}, lines);
    }
    for (const int line : lines) {
      if (reader_[static_cast<size_t>(line)]++ < 0) slabs_.first.push_back(line);
    }
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (reader_[static_cast<size_t>(*line)] < 0) continue;
      reader_[static_cast<size_t>(*line)] = -1;
      slabs_.last.push_back(*line);
    }
    std::reverse(slabs_.last.begin(), slabs_.last.end());
  }

  void add_cluster(TileCoord origin, std::vector<int>& lines) {
    const int end_m = std::min(origin.m + config_.cluster.m, tiles_.m);
    const int end_n = std::min(origin.n + config_.cluster.n, tiles_.n);
    const auto outputs_begin = static_cast<int64_t>(tiles_.m + static_cast<int64_t>(tiles_.n));
    for (int m = origin.m; m < end_m; ++m) {
      for (int n = origin.n; n < end_n; ++n) {
        lines.push_back(m);
        lines.push_back(tiles_.m + n);
        outputs_.push_back(
            static_cast<uint32_t>(outputs_begin * steps_ + static_cast<int64_t>(m) * tiles_.n + n));
      }
    }
    for (int m = origin.m; m < end_m; ++m) rows_read_ += line_extent(m);
    for (int n = origin.n; n < end_n; ++n) rows_read_ += line_extent(tiles_.m + n);
  }

  WaveTraffic replay_wave() {
    int64_t missed = 0;
    for (int64_t step = 0; step < steps_; ++step) {
      const auto depth =
          static_cast<int32_t>(std::min<int64_t>(kReplaySlabK, shape_.k - step * kReplaySlabK));
      for (const int line : slabs_.first) {
        const int32_t bytes = line_extent(line) * depth * element_bytes_;
        if (!cache_.touch(slab_block(line, step), bytes)) missed += bytes;
      }
      for (const int line : slabs_.last) cache_.refresh(slab_block(line, step));
    }
    return wave_traffic(static_cast<double>(missed));
  }

  uint32_t slab_block(int line, int64_t step) const {
    return static_cast<uint32_t>(line * steps_ + step);
  }

  WaveTraffic wave_traffic(double dram_read_bytes) const {
    const double row_bytes = static_cast<double>(shape_.k) * element_bytes_;
    return {static_cast<int64_t>(outputs_.size()), dram_read_bytes,
            static_cast<double>(rows_read_) * row_bytes};
  }

  WaveTraffic repeat_mean() {
    if (replayed_waves_ == 0) replayed_waves_ = traffic_.waves.size();
    const size_t begin = replayed_waves_ / 2;
    double share = 0;
    for (size_t i = begin; i < replayed_waves_; ++i) {
      share += traffic_.waves[i].dram_read_bytes / traffic_.waves[i].l2_read_bytes;
    }
    const WaveTraffic all_missed = wave_traffic(0);
    return wave_traffic(share / static_cast<double>(replayed_waves_ - begin) *
                        all_missed.l2_read_bytes);
  }

  GemmShape shape_;
  int element_bytes_;
  int output_bytes_;
  TileConfig config_;
  TileCoord tiles_;
  TileCoord clusters_;
  int64_t steps_;
  int64_t slots_;
  LruCache cache_;
  std::vector<int> reader_;  // by line, while a wave is collected: readers beyond the first
  std::vector<int> scratch_;
  WaveSlabs slabs_;
  std::vector<uint32_t> outputs_;
  int64_t rows_read_ = 0;  // rows of A and columns of B that the wave's clusters read a step
  size_t replayed_waves_ = 0;
  L2Traffic traffic_;
};

}  // namespace

int64_t persistent_ctas(const TileConfig& config, const DeviceSpec& device) {
  const int64_t size = int64_t{config.cluster.m} * config.cluster.n;
  return std::max<int64_t>(device.sm_count / size, 1) * size;
}

L2Traffic replay_l2(const Problem& problem, const TileConfig& config, const DeviceSpec& device) {
  return Replay(problem, config, device).run();
}

}  // namespace tilewright
