#include "store/device_yaml.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "store/document.hpp"
#include "store/rate_keys.hpp"

namespace tilewright {
namespace {

// As many digits as a measurement has.
double rounded(double value) {
  return std::stod(format("{:.5g}", value));
}

std::string residuals(const std::vector<TimedProduct>& products) {
  std::vector<std::string> each;
  each.reserve(products.size());
  for (const TimedProduct& p : products) {
    each.push_back(format("{} {:.1f} us {:+.1f} %", to_string(p.problem.shape), p.measured_us,
                          residual_pct(p)));
  }
  return join(each, ", ");
}

// The best of the working sets.
double own_lines(const ProbedRates& p) {
  double best = 0;
  for (const WorkingSetRate& w : p.working_sets) best = std::max(best, w.bytes_per_clock);
  return best;
}

}  // namespace

std::string device_yaml(const DeviceSpec& d, const std::vector<std::string>& sources) {
  Document figures = {{"schema", "tilewright.device/1"},
                      {"name", d.name},
                      {"marketing_name", d.marketing_name},
                      {"compute_capability", format("{}.{}", d.compute_major, d.compute_minor)},
                      {"sm_count", d.sm_count},
                      {"smem_per_cta_bytes", d.smem_per_cta_bytes},
                      {"registers_per_sm", d.registers_per_sm},
                      {"max_cluster_size", d.max_cluster_size},
                      {"l2_bytes", d.l2_bytes},
                      {"l2_effective_bytes", d.l2_effective_bytes},
                      {"memory_bytes", d.memory_bytes},
                      {"tensor_flops_per_clock_per_sm", rounded(d.tensor_flops_per_clock_per_sm)},
                      {"sustained_clock_hz", rounded(d.sustained_clock_hz)},
                      {"dram_bytes_per_s", rounded(d.dram_bytes_per_s)},
                      {"l2_bytes_per_clock", rounded(d.l2_bytes_per_clock)},
                      {"launch_us", rounded(d.launch_us)}};
  write_rates(d, figures);
  // One source a line, as in the presets; a JSON string is a YAML one.
  std::string text = to_yaml(figures) + (sources.empty() ? "sources: []\n" : "sources:\n");
  for (const std::string& source : sources) {
    text += format("  - {}\n", Document(source).dump());
  }
  return text;
}

std::vector<std::string> calibration_sources(const Calibration& c, const std::string& day) {
  const ProbedRates& p = c.probed;
  return {
      format("limits: read off the device by the CUDA runtime, {}", day),
      format("dram_bytes_per_s: measured {}, a copy far beyond L2, reads plus writes; reads alone "
             "{:.3f} TB/s; "
             "a dependent load {:.0f} clocks, {:.0f} ns",
             day, p.dram_read_bytes_per_s * 1e-12, p.dram_latency.clocks, p.dram_latency.ns),
      format(
          "l2_bytes_per_clock: measured {}, {:.2f} TB/s to rows of CTAs that read the same "
          "lines, by the sustained clock; {:.2f} TB/s where each reads its own, at {:.0f} MHz; a "
          "dependent load {:.0f} clocks, {:.0f} ns; near partition {:.0f}, far {:.0f} clocks",
          day, p.shared_l2_bytes_per_s * 1e-12, own_lines(p) * p.read_clock_hz * 1e-12,
          p.read_clock_hz * 1e-6, p.l2_latency.clocks, p.l2_latency.ns, p.l2_clocks.low,
          p.l2_clocks.high),
      format("l2_effective_bytes: all of L2; measured {}, working sets to {:.1f} MB keep 90 % of "
             "what L2 gives beyond DRAM, the rest is held twice",
             day, static_cast<double>(c.held_bytes) * 1e-6),
      format("tensor_flops_per_clock_per_sm: measured {}, wgmma on random bf16 in shared memory, "
             "at {:.0f} MHz under that load",
             day, p.tensor.clock_hz * 1e-6),
      format("sustained_clock_hz: fitted {}, the model's large products take the measured time in "
             "the geometric mean; residuals: {}",
             day, residuals(c.products)),
      format(
          "launch_us: fitted {}, one wave over K: {:.2f} us + {:.4f} us a 64 of K, rms {:.3f} us, "
          "worst {:.3f} us; an empty kernel {:.2f} us, in pairs {:.2f} us, with one load from "
          "DRAM {:.2f} us; launch_us is that wave's start plus launch.first_load_sooner_us, {} us; "
          "residuals: {}",
          day, c.depth.intercept, c.depth.slope * 64, c.depth.rms_residual, c.depth.worst_residual,
          p.launch.empty_us, p.launch.cluster_us, p.launch.first_load_us,
          c.device.launch.first_load_sooner_us, residuals(c.depths)),
      "defaults: not measured; as in the preset that the calibration began with"};
}

}  // namespace tilewright
