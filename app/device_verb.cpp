// tilewright device: shows the properties of a GPU or a preset.
#include "device_verb.hpp"

#include <algorithm>
#include <ctime>
#include <memory>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "devices.hpp"
#include "gate/calibrate.hpp"
#include "job.hpp"
#include "output_files.hpp"
#include "progress_bar.hpp"
#include "store/device_json.hpp"
#include "store/device_preset.hpp"
#include "store/document.hpp"
#include "store/preset_path.hpp"
#include "store/rate_keys.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace tilewright {

namespace {

void print_row(std::ostream& out, const char* label, const std::string& value) {
  out << format("{:<22}{}\n", label, one_line(value));
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
            format("{} B per CTA ({} KiB)", d.smem_per_cta_bytes, d.smem_per_cta_bytes / 1024));
  print_row(out, "registers", format("{} per multiprocessor", d.registers_per_sm));
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
  print_row(out, "  L2 of the model", mebibytes(d.l2_effective_bytes));
  print_row(out, "  launch", format("{} us", d.launch_us));
  print_row(out, "  finer rates", own_rates_text(d));
  if (device.backend) print_row(out, "versions", device.backend->versions());
}

bool is_action(const std::string& word) {
  return std::find(std::begin(kDeviceActions), std::end(kDeviceActions), word) !=
         std::end(kDeviceActions);
}

// Explains that "device doktor" means the action "doctor", not a device of that name.
void explain_misspelt_action(const std::string& name) {
  const std::string meant = did_you_mean(name, kDeviceActions);
  const std::vector<std::string> presets = device_preset_names();
  const std::vector<std::string_view> views(presets.begin(), presets.end());
  if (meant.empty() || !did_you_mean(name, views).empty()) return;
  throw usage_error(format("unknown device or action '{}'{}", name, meant));
}

// One line per device: this host's GPUs, then the presets.
ExitCode list_devices(const DeviceOptions& o, Console& console, const BackendLoader& load) {
  struct Listed {
    std::string name;
    DeviceSpec spec;
  };
  std::vector<Listed> all;
  const BackendOrReason loaded = load();
  const int count = loaded.backend ? loaded.backend->device_count() : 0;
  all.reserve(all.size() + static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back({format("cuda:{}", i), loaded.backend->device(i)});
  for (const std::string& name : device_preset_names()) {
    all.push_back({name, load_device_preset(name)});
  }
  if (o.format == Format::Json) {
    Document document = Document::array();
    for (const Listed& listed : all) {
      document.push_back({{"name", listed.name},
                          {"marketing_name", listed.spec.marketing_name},
                          {"sm_count", listed.spec.sm_count},
                          {"l2_bytes", listed.spec.l2_bytes},
                          {"memory_bytes", listed.spec.memory_bytes}});
    }
    console.out << to_json(document);
    return ExitCode::Good;
  }
  Table table({{"device", false},
               {"name", false, 1},
               {"SMs"},
               {"L2, MiB", true, 3},
               {"memory, GiB", true, 2}});
  for (const Listed& listed : all) {
    const DeviceSpec& d = listed.spec;
    table.add_row({listed.name, d.marketing_name, format("{}", d.sm_count),
                   format("{}", d.l2_bytes >> 20), format("{}", d.memory_bytes >> 30)});
  }
  console.out << (o.format == Format::Csv ? table.csv() : table.render(table_width(console)));
  return ExitCode::Good;
}

ExitCode show_device(const DeviceOptions& options, const ResolvedDevice& device, Console& console) {
  if (!device.why_no_gpu.empty()) {
    console.note(
        format("no usable GPU: {}; this is the {} preset", device.why_no_gpu, device.spec.name));
  }
  if (options.format == Format::Json) {
    const std::string versions = device.backend ? device.backend->versions() : "";
    console.out << device_json(device.spec, device.gpu_index, versions, device.why_no_gpu);
  } else {
    print_text(device, console.out);
  }
  return ExitCode::Good;
}

void print_rate(std::ostream& out, const char* label, const std::string& measured, double before,
                double now) {
  out << format("{:<20}{:<42}{:+7.1f} %\n", label, measured, 100 * (now / before - 1));
}

void print_rates(const Calibration& c, const DeviceSpec& before, std::ostream& out) {
  const DeviceSpec& d = c.device;
  const ProbedRates& p = c.probed;
  out << format("{}, measured; beside each rate its change from the previous rates\n",
                d.marketing_name);
  print_rate(out, "DRAM", format("{:.2f} TB/s copying", d.dram_bytes_per_s * 1e-12),
             before.dram_bytes_per_s, d.dram_bytes_per_s);
  print_rate(out, "L2 to SMs",
             format("{:.2f} TB/s to rows of CTAs, {:.0f} B/clock", p.shared_l2_bytes_per_s * 1e-12,
                    d.l2_bytes_per_clock),
             before.l2_bytes_per_clock, d.l2_bytes_per_clock);
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
      "L2 read knee        {:.1f} MB: for more, read by all SMs, L2 gives less than 90 % of its "
      "rate\n",
      static_cast<double>(c.read_knee_bytes) * 1e-6);
  out << format(
      "empty kernel        {:.2f} us; in pairs {:.2f} us; with a load from DRAM {:.2f} us\n",
      p.launch.empty_us, p.launch.cluster_us, p.launch.first_load_us);
  out << format("one wave over K     {:.2f} us + {:.3f} us for each 64 of K, rms {:.2f} us\n",
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

Finding presets() {
  try {
    return {"presets", Health::Ok,
            format("{}: {}", presets_folder().string(), join(device_preset_names(), ", ")), ""};
  } catch (const std::exception& error) {
    return {"presets", Health::Problem, error.what(),
            "start the program from its own build or bundle, which contains the presets"};
  }
}

Finding no_gpu(const std::string& why) {
  return {"GPU", Health::Problem, why,
          "analyze, draw and --dry-run need no GPU; with a preset, such as --device h200, times "
          "are predicted"};
}

// The GPU index in `name`, even if this host has no such GPU; 0 for "auto" and "cuda".
int64_t gpu_asked_for(const std::string& name) {
  if (name == "auto" || name == "cuda") return 0;
  if (name.rfind("cuda:", 0) != 0) {
    load_device_preset(name);  // throws for a misspelt name, as other verbs do
    throw usage_error(
        format("device doctor checks a GPU of this host, not the preset '{}': give cuda:N, or omit "
               "the name",
               name));
  }
  const auto index = parse_count(std::string_view(name).substr(5));
  if (!index) throw usage_error(format("device '{}': write cuda:N with N from 0", name));
  return *index;
}

// The index `asked`; -1 and a finding if there is no such GPU.
int gpu_index(int64_t asked, Backend& backend, std::vector<Finding>& findings) {
  const int count = backend.device_count();
  if (asked < count) return static_cast<int>(asked);
  findings.push_back(
      no_gpu(count == 0 ? backend.why_no_device()
                        : format("cuda:{} does not exist: this host has {}, numbered from cuda:0",
                                 asked, count)));
  return -1;
}

}  // namespace

ExitCode run_device(const DeviceOptions& options, Console& console, const BackendLoader& load) {
  DeviceOptions o = options;
  // The user may leave out NAME before the action.
  if (o.action.empty() && is_action(o.name)) {
    o.action = o.name;
    o.name = "auto";
  }
  if (!o.action.empty() && !is_action(o.action)) {
    throw usage_error(format("unknown action '{}'{}; the actions are calibrate and doctor",
                             o.action, did_you_mean(o.action, kDeviceActions)));
  }
  if (o.name == "list" && o.action.empty() && o.output.empty()) {
    return list_devices(o, console, load);
  }
  if (o.format == Format::Csv)
    throw usage_error("only device list prints a table: omit --format csv");
  if (!o.output.empty() && o.action != "calibrate") {
    throw usage_error("only device calibrate writes a file: omit -o");
  }
  if (o.action == "doctor") return diagnose_host(o, console, load);
  if (o.action.empty()) explain_misspelt_action(o.name);
  const ResolvedDevice device = resolve_device(o.name, load);
  if (o.action == "calibrate") return calibrate_device(o, device, console);
  return show_device(o, device, console);
}

ExitCode calibrate_device(const DeviceOptions& options, const ResolvedDevice& device,
                          Console& console) {
  if (device.gpu_index < 0) {
    throw environment_error(
        format("device calibrate needs a GPU: {}; run it on a host with the GPU and copy the file "
               "to this host",
               why_no_gpu(device)));
  }
  require_own_schema({"-o", options.output}, "a device file", "tilewright.device/");
  ProgressBar progress(console);
  progress.subject("calibrate");
  // Only one of them can record activity at a time: first the probes, then the products.
  const ProbedRates probed = probe_rates(
      *device.backend->open_prober(device.gpu_index, device.spec), device.spec, progress);
  throw_if_interrupted();
  const std::unique_ptr<Runner> runner = open_runner(device);
  std::vector<TimedProduct> depths = depth_products(device.spec);
  std::vector<TimedProduct> products = sample_products(device.spec);
  time_products(depths, *runner, progress);
  throw_if_interrupted();
  time_products(products, *runner, progress);
  progress.clear();
  throw_if_interrupted();
  Calibration c = solve_rates(device.spec, probed, std::move(depths), std::move(products));
  c.device.base = nearest_preset(device.spec).name;
  if (options.format == Format::Json) {
    console.out << calibration_json(c);
  } else {
    print_rates(c, device.spec, console.out);
    print_products("one wave", c.depths, console.out);
    print_products("all sizes", c.products, console.out);
  }
  if (!options.output.empty()) {
    write_file(options.output, device_yaml(c.device, calibration_sources(c, today())));
    console.note(
        format("wrote {}; every verb accepts it as --device {}", options.output, options.output));
  }
  return ExitCode::Good;
}

ExitCode diagnose_host(const DeviceOptions& options, Console& console, const BackendLoader& load) {
  const int64_t asked = gpu_asked_for(options.name);
  std::vector<Finding> findings{presets()};
  const BackendOrReason loaded = load();
  if (!loaded.backend) {
    findings.push_back(no_gpu(loaded.why_not));
  } else {
    const int index = gpu_index(asked, *loaded.backend, findings);
    for (Finding& f : loaded.backend->diagnose(index)) findings.push_back(std::move(f));
  }
  const bool healthy = std::none_of(findings.begin(), findings.end(),
                                    [](const Finding& f) { return f.health == Health::Problem; });
  if (options.format == Format::Json) {
    console.out << diagnosis_json(findings, healthy);
  } else {
    for (const Finding& f : findings) {
      const int width = table_width(console);
      console.out << sentence_lines(f.detail, width,
                                    format("{:<9}{:<15}", to_string(f.health), f.subject));
      if (!f.advice.empty()) {
        console.out << sentence_lines(f.advice, width, format("{:<24}-> ", ""));
      }
    }
  }
  return healthy ? ExitCode::Good : ExitCode::Environment;
}

}  // namespace tilewright
