// tilewright device: shows, lists, calibrates and diagnoses GPUs and presets.

#include <algorithm>
#include <exception>
#include <memory>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "gate/calibrate.hpp"
#include "host/devices.hpp"
#include "host/output_files.hpp"
#include "record/document.hpp"
#include "render/progress_bar.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "store/calibration_sources.hpp"
#include "store/device_json.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"
#include "store/rate_keys.hpp"
#include "verbs/device_links.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

std::string fact(const char* label, const std::string& value) {
  return format("{:<22}{}\n", label, one_line(value));
}

std::string mebibytes(int64_t bytes) {
  return format("{} B ({:.1f} MiB)", bytes, static_cast<double>(bytes) / (1 << 20));
}

std::string rates_text(const DeviceSpec& d) {
  return fact("  tensor",
              format("{:.0f} TFLOP/s bf16 sustained ({:.0f} flop/clock/SM, {:.2f} GHz)",
                     d.tensor_flops_per_clock_per_sm * d.sustained_clock_hz * d.sm_count * 1e-12,
                     d.tensor_flops_per_clock_per_sm, d.sustained_clock_hz * 1e-9)) +
         fact("  DRAM", format("{:.2f} TB/s", d.dram_bytes_per_s * 1e-12)) +
         fact("  L2 to SMs", format("{:.0f} B/clock", d.l2_bytes_per_clock)) +
         fact("  L2 of the model", mebibytes(d.l2_effective_bytes)) +
         fact("  launch", format("{} us", d.launch_us)) +
         (d.gpus > 1 ? fact("  links", links_text(d.links)) : "") +
         fact("  finer rates", own_rates_text(d));
}

std::string device_text(const ResolvedDevice& device, const std::string& versions) {
  const DeviceSpec& d = device.spec;
  const bool preset = device.gpu_index < 0;
  const char* const times = predicts_time(d) ? "times are predicted" : "no time is predicted";
  std::string text = fact("device", preset ? format("{} (preset: nothing runs, {})", d.name, times)
                                           : format("cuda:{} {}", device.gpu_index, d.name));
  text += fact("marketing name", d.marketing_name);
  text += fact("compute capability",
               format("{}.{} ({})", d.compute_major, d.compute_minor, architecture(d)));
  text += fact("multiprocessors", format("{}", d.sm_count));
  text += fact("shared memory",
               format("{} B per CTA ({} KiB)", d.smem_per_cta_bytes, d.smem_per_cta_bytes / 1024));
  text += fact("registers", format("{} per multiprocessor", d.registers_per_sm));
  text += fact("largest cluster",
               format("{} CTA{}", d.max_cluster_size, d.max_cluster_size == 1 ? "" : "s"));
  text += fact("L2", mebibytes(d.l2_bytes));
  text += fact("memory", mebibytes(d.memory_bytes));
  if (d.gpus > 1) text += fact("GPUs", format("{} on one host, each linked to all others", d.gpus));
  text += preset ? "rates of the model\n" : "rates of the model, from the nearest preset\n";
  text += rates_text(d);
  return device.backend ? text + fact("versions", versions) : text;
}

struct ListedDevice {
  std::string name;
  DeviceSpec spec;
};

Table list_table(const std::vector<ListedDevice>& all) {
  Table table({{"device", false},
               {"name", false, 1},
               {"SMs"},
               {"L2, MiB", true, 3},
               {"memory, GiB", true, 2}});
  for (const ListedDevice& listed : all) {
    const DeviceSpec& d = listed.spec;
    table.add_row({listed.name, d.marketing_name, format("{}", d.sm_count),
                   format("{}", d.l2_bytes >> 20), format("{}", d.memory_bytes >> 30)});
  }
  return table;
}

Document list_document(const std::vector<ListedDevice>& all) {
  Document document = Document::array();
  for (const ListedDevice& listed : all) {
    document.push_back({{"name", listed.name},
                        {"marketing_name", listed.spec.marketing_name},
                        {"sm_count", listed.spec.sm_count},
                        {"l2_bytes", listed.spec.l2_bytes},
                        {"memory_bytes", listed.spec.memory_bytes}});
  }
  return document;
}

// One line per device: this host's GPUs, then the presets.
Report list_devices(const BackendLoader& load) {
  std::vector<ListedDevice> all;
  const BackendOrReason loaded = load();
  const int count = loaded.backend ? loaded.backend->device_count() : 0;
  all.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back({format("cuda:{}", i), loaded.backend->device(i)});
  for (const std::string& name : device_preset_names()) {
    all.push_back({name, load_device_preset(name)});
  }
  Table table = list_table(all);
  return {.text = {table, "NAMExW, such as h200x2, is W GPUs of a preset on one host\n"},
          .json = [all] { return to_json(list_document(all)); },
          .table = [table] { return table; }};
}

Report show_device(const ResolvedDevice& device) {
  const std::string versions = device.backend ? device.backend->versions() : "";
  Report report{.text = {device_text(device, versions)}, .json = [device, versions] {
                  return device_json(device.spec, device.gpu_index, versions, device.why_no_gpu);
                }};
  if (!device.why_no_gpu.empty()) {
    report.notes.push_back(
        format("no usable GPU: {}; this is the {} preset", device.why_no_gpu, device.spec.name));
  }
  return report;
}

std::string rate_line(const char* label, const std::string& measured, double before, double now) {
  return format("{:<20}{:<42}{:+7.1f} %\n", label, measured, 100 * (now / before - 1));
}

std::string rates_text(const Calibration& c, const DeviceSpec& before) {
  const DeviceSpec& d = c.device;
  const ProbedRates& p = c.probed;
  std::string text = format("{}, measured; beside each rate its change from the previous rates\n",
                            d.marketing_name);
  text += rate_line("DRAM", format("{:.2f} TB/s copying", d.dram_bytes_per_s * 1e-12),
                    before.dram_bytes_per_s, d.dram_bytes_per_s);
  text += rate_line("L2 to SMs",
                    format("{:.2f} TB/s to rows of CTAs, {:.0f} B/clock",
                           p.shared_l2_bytes_per_s * 1e-12, d.l2_bytes_per_clock),
                    before.l2_bytes_per_clock, d.l2_bytes_per_clock);
  text += rate_line("tensor",
                    format("{:.0f} flop/clock/SM ({:.0f} MHz at full issue)",
                           d.tensor_flops_per_clock_per_sm, p.tensor.clock_hz * 1e-6),
                    before.tensor_flops_per_clock_per_sm, d.tensor_flops_per_clock_per_sm);
  text += rate_line("sustained clock", format("{:.0f} MHz", d.sustained_clock_hz * 1e-6),
                    before.sustained_clock_hz, d.sustained_clock_hz);
  text += rate_line("launch", format("{:.2f} us", d.launch_us), before.launch_us, d.launch_us);
  text += format("DRAM reads          {:.2f} TB/s; a dependent load {:.0f} clocks, {:.0f} ns\n",
                 p.dram_read_bytes_per_s * 1e-12, p.dram_latency.clocks, p.dram_latency.ns);
  text +=
      format("L2 load             {:.0f} clocks, {:.0f} ns; near partition {:.0f}, far {:.0f}\n",
             p.l2_latency.clocks, p.l2_latency.ns, p.l2_clocks.low, p.l2_clocks.high);
  text += format(
      "L2 read knee        {:.1f} MB: for more, read by all SMs, L2 gives less than 90 % of its "
      "rate\n",
      static_cast<double>(c.read_knee_bytes) * 1e-6);
  text +=
      format("empty kernel        {:.2f} us; in pairs {:.2f} us; with a load from DRAM {:.2f} us\n",
             p.launch.empty_us, p.launch.cluster_us, p.launch.first_load_us);
  return text +
         format("one wave over K     {:.2f} us + {:.3f} us for each 64 of K, rms {:.2f} us\n",
                c.depth.intercept, c.depth.slope * 64, c.depth.rms_residual);
}

std::string products_text(const char* title, const std::vector<TimedProduct>& products) {
  std::string text = format("\n{:<20}{:>12}{:>13}{:>10}  config\n", title, "measured us",
                            "predicted us", "residual");
  for (const TimedProduct& p : products) {
    text += format("{:<20}{:>12}{:>13}{:>8.1f} %  {}\n", to_string(p.problem.shape),
                   time_text(p.measured_us), time_text(p.predicted_us), residual_pct(p),
                   to_string(p.config));
  }
  return text;
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

// Only one of them can record activity at a time: first the probes, then the products.
Calibration measure_rates(const ResolvedDevice& device, Console& console) {
  ProgressBar progress(console);
  progress.subject("calibrate");
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
  return c;
}

// The probes load by TMA and multiply by wgmma.
void require_probes(const DeviceSpec& device) {
  if (device.compute_major == 9) return;
  throw environment_error(
      format("device calibrate has probes for compute capability 9.0, and {} has {}.{}: give every "
             "rate of 'tilewright device {} --format json' in a device file, without 'base'",
             device.name, device.compute_major, device.compute_minor, nearest_preset(device).name));
}

// Writes the device file, unless `output` is empty.
void write_device(Report& report, const std::string& output, const DeviceSpec& device,
                  const std::vector<std::string>& sources) {
  if (output.empty()) return;
  try {
    write_file(output, device_yaml(device, sources));
    report.notes.push_back(
        format("wrote {}; every verb accepts it as --device {}", output, output));
  } catch (const Error&) {
    report.failure = std::current_exception();  // the rates, which took minutes, are shown
  }
}

// Measures the rates of a GPU, shows them beside the preset's, and writes the device file.
Report calibrate_rates(const ResolvedDevice& device, const std::string& output, Console& console) {
  const Calibration c = measure_rates(device, console);
  Report report{.text = {rates_text(c, device.spec), products_text("one wave", c.depths),
                         products_text("all sizes", c.products)},
                .json = [c] { return calibration_json(c); }};
  write_device(report, output, c.device, calibration_sources(c, today()));
  return report;
}

// The same for the links to other GPUs; all other rates stay as they are.
Report calibrate_host_links(const ResolvedDevice& device, const std::string& output,
                            Console& console) {
  const LinkCalibration c = measure_links(device, console);
  Report report{.text = links_report(c), .json = [c] { return link_calibration_json(c); }};
  write_device(report, output, c.device,
               link_sources(c, nearest_preset(device.spec).name, today()));
  return report;
}

Report calibrate_device(const DeviceRequest& request, Console& console, const BackendLoader& load) {
  const ResolvedDevice device = resolve_device(request.name, load);
  if (device.gpu_index < 0) {
    throw environment_error(
        format("device calibrate needs a GPU: {}; run it on a host with the GPU and copy the file "
               "to this host",
               why_no_gpu(device)));
  }
  require_own_schema({"-o", request.output}, "a device file", "tilewright.device/");
  require_probes(device.spec);
  return request.of_links ? calibrate_host_links(device, request.output, console)
                          : calibrate_rates(device, request.output, console);
}

// Checks what the host and its GPU of this index offer, line by line.
Report diagnose_host(int64_t asked, const BackendLoader& load) {
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
  Report report{.json = [findings, healthy] { return diagnosis_json(findings, healthy); },
                .code = healthy ? ExitCode::Good : ExitCode::Environment};
  for (const Finding& f : findings) {
    report.text.emplace_back(
        Sentence{f.detail, format("{:<9}{:<15}", to_string(f.health), f.subject)});
    if (!f.advice.empty()) {
      report.text.emplace_back(Sentence{f.advice, format("{:<24}-> ", "")});
    }
  }
  return report;
}

}  // namespace

Report run_device(const DeviceRequest& request, Console& console, const BackendLoader& load) {
  switch (request.action) {
    case DeviceAction::List: return list_devices(load);
    case DeviceAction::Doctor: return diagnose_host(request.gpu, load);
    case DeviceAction::Show: return show_device(resolve_device(request.name, load));
    case DeviceAction::Calibrate: break;
  }
  return calibrate_device(request, console, load);
}

}  // namespace tilewright
