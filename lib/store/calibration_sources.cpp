#include "store/calibration_sources.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tilewright {
namespace {

std::string residuals(const std::vector<TimedProduct>& products) {
  std::vector<std::string> each;
  each.reserve(products.size());
  for (const TimedProduct& p : products) {
    each.push_back(format("{} {:.1f} us {:+.1f} %", to_string(p.problem.shape), p.measured_us,
                          residual_pct(p)));
  }
  return join(each, ", ");
}

// The highest rate among the working sets.
double own_lines(const ProbedRates& p) {
  double best = 0;
  for (const WorkingSetRate& w : p.working_sets) best = std::max(best, w.bytes_per_clock);
  return best;
}

}  // namespace

std::vector<std::string> calibration_sources(const Calibration& c, const std::string& day) {
  const ProbedRates& p = c.probed;
  return {
      format("limits: read from the device by the CUDA runtime, {}", day),
      format("dram_bytes_per_s: measured {}, a copy far larger than L2, reads plus writes; reads "
             "alone {:.3f} TB/s; a dependent load {:.0f} clocks, {:.0f} ns",
             day, p.dram_read_bytes_per_s * 1e-12, p.dram_latency.clocks, p.dram_latency.ns),
      format("l2_bytes_per_clock: measured {}, {:.2f} TB/s to rows of CTAs that read the same "
             "lines, divided by the sustained clock; {:.2f} TB/s where each CTA reads its own "
             "lines, at {:.0f} MHz; a dependent load {:.0f} clocks, {:.0f} ns; near partition "
             "{:.0f}, far {:.0f} clocks",
             day, p.shared_l2_bytes_per_s * 1e-12, own_lines(p) * p.read_clock_hz * 1e-12,
             p.read_clock_hz * 1e-6, p.l2_latency.clocks, p.l2_latency.ns, p.l2_clocks.low,
             p.l2_clocks.high),
      format("l2_effective_bytes: all of L2, whose partitions hold copies of each other's lines; "
             "measured {}, working sets up to {:.1f} MB that all multiprocessors read get 90 % of "
             "L2's rate above DRAM's",
             day, static_cast<double>(c.read_knee_bytes) * 1e-6),
      format("tensor_flops_per_clock_per_sm: measured {}, wgmma on random bf16 in shared memory, "
             "at {:.0f} MHz under that load",
             day, p.tensor.clock_hz * 1e-6),
      format("sustained_clock_hz: fitted {}, so that the model's large products take the measured "
             "time in the geometric mean; residuals: {}",
             day, residuals(c.products)),
      format("launch_us: fitted {}, one wave over K: {:.2f} us + {:.4f} us for each 64 of K, rms "
             "{:.3f} us, worst {:.3f} us; an empty kernel {:.2f} us, in pairs {:.2f} us, with one "
             "load from DRAM {:.2f} us; launch_us is that wave's start plus "
             "launch.first_load_sooner_us, {} us; residuals: {}",
             day, c.depth.intercept, c.depth.slope * 64, c.depth.rms_residual,
             c.depth.worst_residual, p.launch.empty_us, p.launch.cluster_us, p.launch.first_load_us,
             c.device.launch.first_load_sooner_us, residuals(c.depths)),
      "base, defaults: not measured; as in the preset that the calibration started from"};
}

std::vector<std::string> link_sources(const LinkCalibration& c, const std::string& preset,
                                      const std::string& day) {
  const ProbedFlows& flows = c.pairs.front().both_ways;
  const bool by_vectors = flows.vector_store_bytes_per_us > flows.bulk_store_bytes_per_us;
  int64_t lost_count = 0;
  for (const ProbedPair& pair : c.pairs) lost_count += pair.adds.lost_count;
  return {
      format("limits: read from the device by the CUDA runtime, {}", day),
      format("links: measured {}, {} GPUs, both directions at once, of each rate the worst of {} "
             "pair{}{}; sums of two GPUs at one address: {}",
             day, c.gpus.size(), c.pairs.size(), c.pairs.size() == 1 ? "" : "s",
             c.ring ? " and of the ring of all" : "",
             lost_count == 0 ? "exact" : format("{} lost", lost_count)),
      format("links.store_bytes_per_us, cta_store_bytes_per_us, add_bytes_per_us, "
             "load_bytes_per_us: 256 MiB of all multiprocessors, 32 MiB of one; stores were faster "
             "{}",
             by_vectors ? "by 16-byte vectors than by TMA" : "by TMA than by 16-byte vectors"),
      format(
          "links.copy_us, copy_bytes_per_us: the line through copies of 1, 16 and 256 MiB, off by "
          "{:.1f} us at worst; links.flag_us: half of a round trip",
          flows.copy.worst_residual),
      format("all other rates: those of the {} preset, which has their sources", preset)};
}

}  // namespace tilewright
