// tilewright device calibrate: what the model should know of this GPU.

#include <ctime>
#include <memory>

#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "device_parts.hpp"
#include "gate/calibrate.hpp"
#include "job.hpp"
#include "progress_bar.hpp"
#include "store/calibration_json.hpp"
#include "store/device_yaml.hpp"

namespace tilewright {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16] = {};
  std::tm parts{};
  std::strftime(text, sizeof(text), "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

void print_rate(std::ostream& out, const char* label, const std::string& measured, double before,
                double now) {
  out << format("{:<20}{:<42}{:+7.1f} %\n", label, measured, 100 * (now / before - 1));
}

void print_rates(const Calibration& c, const DeviceSpec& before, std::ostream& out) {
  const DeviceSpec& d = c.device;
  const ProbedRates& p = c.probed;
  out << format("{}, measured; beside it the change from the rates so far\n", d.marketing_name);
  print_rate(out, "DRAM", format("{:.2f} TB/s copying", d.dram_bytes_per_s * 1e-12),
             before.dram_bytes_per_s, d.dram_bytes_per_s);
  print_rate(out, "L2 to SMs",
             format("{:.2f} TB/s to rows of CTAs, {:.0f} B/clock", p.shared_l2_bytes_per_s * 1e-12,
                    d.l2_bytes_per_clock),
             before.l2_bytes_per_clock, d.l2_bytes_per_clock);
  print_rate(out, "L2 that holds data",
             format("{:.1f} MB", static_cast<double>(c.held_bytes) * 1e-6),
             static_cast<double>(before.l2_effective_bytes), static_cast<double>(c.held_bytes));
  print_rate(out, "tensor",
             format("{:.0f} flop/clock/SM ({:.0f} MHz at full issue)",
                    d.tensor_flops_per_clock_per_sm, p.tensor.clock_hz * 1e-6),
             before.tensor_flops_per_clock_per_sm, d.tensor_flops_per_clock_per_sm);
  print_rate(out, "sustained clock", format("{:.0f} MHz", d.sustained_clock_hz * 1e-6),
             before.sustained_clock_hz, d.sustained_clock_hz);
  print_rate(out, "launch", format("{:.2f} us", d.launch_us), before.launch_us, d.launch_us);
  out << format("DRAM reads          {:.2f} TB/s; a dependent load {:.0f} clocks, {:.0f} ns\n",
                p.dram_read_bytes_per_s * 1e-12, p.dram_latency.clocks, p.dram_latency.ns);
  out << format("L2 load             {:.0f} clocks, {:.0f} ns; near partition {:.0f}, far {:.0f}\n",
                p.l2_latency.clocks, p.l2_latency.ns, p.l2_clocks.low, p.l2_clocks.high);
  out << format(
      "empty kernel        {:.2f} us; in pairs {:.2f} us; with a load from DRAM {:.2f} us\n",
      p.launch.empty_us, p.launch.cluster_us, p.launch.first_load_us);
  out << format("one wave over K     {:.2f} us + {:.3f} us a 64 of K, rms {:.2f} us\n",
                c.depth.intercept, c.depth.slope * 64, c.depth.rms_residual);
}

void print_products(const char* title, const std::vector<TimedProduct>& products,
                    std::ostream& out) {
  out << format("\n{:<20}{:>12}{:>13}{:>10}  config\n", title, "measured us", "predicted us",
                "residual");
  for (const TimedProduct& p : products) {
    out << format("{:<20}{:>12}{:>13}{:>8.1f} %  {}\n", to_string(p.problem.shape),
                  time_text(p.measured_us), time_text(p.predicted_us), residual_pct(p),
                  to_string(p.config));
  }
}

std::string why_no_gpu(const ResolvedDevice& device) {
  return device.why_no_gpu.empty() ? format("'{}' is a preset", device.spec.name)
                                   : device.why_no_gpu;
}

}  // namespace

ExitCode calibrate_device(const DeviceOptions& options, const ResolvedDevice& device,
                          Console& console) {
  if (device.gpu_index < 0) {
    throw environment_error(format(
        "device calibrate measures on a GPU: {}; run it on the GPU's host and carry the file over",
        why_no_gpu(device)));
  }
  if (!options.output.empty()) require_writable(options.output);
  ProgressBar progress(console);
  progress.subject("calibrate");
  // One at a time records activity: the probes first, then the products.
  const ProbedRates probed = probe_rates(
      *device.backend->open_prober(device.gpu_index, device.spec), device.spec, progress);
  throw_if_interrupted();
  const std::unique_ptr<Runner> runner =
      device.backend->open_runner(device.gpu_index, device.spec, kDataSeed);
  std::vector<TimedProduct> depths = depth_products(device.spec);
  std::vector<TimedProduct> products = sample_products(device.spec);
  time_products(depths, *runner, progress);
  throw_if_interrupted();
  time_products(products, *runner, progress);
  progress.clear();
  throw_if_interrupted();
  const Calibration c = solve_rates(device.spec, probed, std::move(depths), std::move(products));
  if (options.format == Format::Json) {
    console.out << calibration_json(c);
  } else {
    print_rates(c, device.spec, console.out);
    print_products("one wave", c.depths, console.out);
    print_products("all sizes", c.products, console.out);
  }
  if (!options.output.empty()) {
    write_file(options.output, device_yaml(c.device, calibration_sources(c, today())));
    console.err << format("wrote {}; every verb takes it as --device {}\n", options.output,
                          options.output);
  }
  return ExitCode::Good;
}

}  // namespace tilewright
