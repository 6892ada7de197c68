#include "gpu/measure/launch_metrics.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Indices into counter_metrics().
enum Metric { Reads, Writes, SectorsRead, TensorShare, SharedWavefronts };

constexpr double kSectorBytes = 32;

double percent(double part, double whole) {
  return whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0;
}

}  // namespace

std::vector<std::string> counter_metrics() {
  return {"dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_srcunit_tex_op_read.sum",
          "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};
}

Counters counters_of(std::span<const double> launch, std::span<const double> swept, int passes) {
  const double read = kSectorBytes * launch[SectorsRead];
  return {.dram_read_bytes = launch[Reads],
          .dram_write_bytes = std::max(swept[Writes], launch[Writes]),
          .l2_hit_pct = percent(read - launch[Reads], read),
          .tensor_active_pct = launch[TensorShare],
          .shared_wavefronts = launch[SharedWavefronts],
          .passes = passes};
}

}  // namespace tilewright
