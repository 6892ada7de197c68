// tilewright device: what the GPU or a preset offers.

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device_parts.hpp"
#include "devices.hpp"
#include "store/device_json.hpp"
#include "store/device_preset.hpp"
#include "store/rate_keys.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

void print_row(std::ostream& out, const char* label, const std::string& value) {
  out << format("{:<22}{}\n", label, value);
}

std::string mebibytes(int64_t bytes) {
  return format("{} B ({:.1f} MiB)", bytes, static_cast<double>(bytes) / (1 << 20));
}

void print_text(const ResolvedDevice& device, std::ostream& out) {
  const DeviceSpec& d = device.spec;
  const bool preset = device.gpu_index < 0;
  print_row(out, "device",
            preset ? d.name + " (preset: nothing runs, times are predicted)"
                   : format("cuda:{} {}", device.gpu_index, d.name));
  print_row(out, "marketing name", d.marketing_name);
  print_row(out, "compute capability",
            format("{}.{} ({})", d.compute_major, d.compute_minor, architecture(d)));
  print_row(out, "multiprocessors", format("{}", d.sm_count));
  print_row(out, "shared memory",
            format("{} B a CTA ({} KiB)", d.smem_per_cta_bytes, d.smem_per_cta_bytes / 1024));
  print_row(out, "registers", format("{} a multiprocessor", d.registers_per_sm));
  print_row(out, "largest cluster",
            format("{} CTA{}", d.max_cluster_size, d.max_cluster_size == 1 ? "" : "s"));
  print_row(out, "L2", mebibytes(d.l2_bytes));
  print_row(out, "memory", mebibytes(d.memory_bytes));
  out << (preset ? "rates of the model\n" : "rates of the model, from the nearest preset\n");
  print_row(out, "  tensor",
            format("{:.0f} TFLOP/s bf16 sustained ({:.0f} flop/clock/SM, {:.2f} GHz)",
                   d.tensor_flops_per_clock_per_sm * d.sustained_clock_hz * d.sm_count * 1e-12,
                   d.tensor_flops_per_clock_per_sm, d.sustained_clock_hz * 1e-9));
  print_row(out, "  DRAM", format("{:.2f} TB/s", d.dram_bytes_per_s * 1e-12));
  print_row(out, "  L2 to SMs", format("{:.0f} B/clock", d.l2_bytes_per_clock));
  print_row(out, "  L2 that holds data", mebibytes(d.l2_effective_bytes));
  print_row(out, "  launch", format("{} us", d.launch_us));
  print_row(out, "  finer rates", own_rates_text(d));
  if (device.backend) print_row(out, "versions", device.backend->versions());
}

}  // namespace

namespace {

constexpr std::string_view kActions[] = {"calibrate", "doctor"};

bool is_action(const std::string& word) {
  return std::find(std::begin(kActions), std::end(kActions), word) != std::end(kActions);
}

// "device doktor" means an action rather than a device of that name.
void explain_misspelt_action(const std::string& name) {
  const std::string meant = did_you_mean(name, kActions);
  const std::vector<std::string> presets = device_preset_names();
  const std::vector<std::string_view> views(presets.begin(), presets.end());
  if (meant.empty() || !did_you_mean(name, views).empty()) return;
  throw usage_error(format("unknown device or action '{}'{}", name, meant));
}

ExitCode show_device(const DeviceOptions& options, const ResolvedDevice& device, Console& console) {
  if (!device.why_no_gpu.empty()) {
    console.err << format("no usable GPU: {}; showing the {} preset\n", device.why_no_gpu,
                          device.spec.name);
  }
  if (options.format == Format::Json) {
    const std::string versions = device.backend ? device.backend->versions() : "";
    console.out << device_json(device.spec, device.gpu_index, versions, device.why_no_gpu);
  } else {
    print_text(device, console.out);
  }
  return ExitCode::Good;
}

}  // namespace

ExitCode run_device(const DeviceOptions& options, Console& console, const BackendLoader& load) {
  DeviceOptions o = options;
  // NAME may be left out before the action.
  if (o.action.empty() && is_action(o.name)) {
    o.action = o.name;
    o.name = "auto";
  }
  if (!o.action.empty() && !is_action(o.action)) {
    throw usage_error(format("unknown action '{}'{}; known are calibrate, doctor", o.action,
                             did_you_mean(o.action, kActions)));
  }
  if (!o.output.empty() && o.action != "calibrate") {
    throw usage_error("-o belongs to device calibrate, which writes a device file");
  }
  if (o.action == "doctor") return diagnose_host(o, console, load);
  if (o.action.empty()) explain_misspelt_action(o.name);
  const ResolvedDevice device = resolve_device(o.name, load);
  if (o.action == "calibrate") return calibrate_device(o, device, console);
  return show_device(o, device, console);
}

}  // namespace tilewright
