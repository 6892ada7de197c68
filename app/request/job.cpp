#include "request/job.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/rate_keys.hpp"
#include "tile/plan/legality.hpp"
#include "tile/workload/product_bytes.hpp"

namespace tilewright {

Workload parse_kind(const KindOptions& options) {
  ProductKind kind{.dtype = parse_data_type(options.dtype),
                   .layout = parse_matrix_layout(options.layout)};
  if (!options.epilogue.empty()) kind.epilogue = parse_epilogue(options.epilogue);
  kind.epilogue.bias |= options.bias;
  if (!options.scale_a.empty()) kind.epilogue.scale_a = parse_scale(options.scale_a, Operand::A);
  if (!options.scale_b.empty()) kind.epilogue.scale_b = parse_scale(options.scale_b, Operand::B);
  if (!options.accumulate.empty()) kind.accumulation = parse_accumulation(options.accumulate);
  kind.epilogue.scale_d = !options.scale_d.empty() && parse_output_scale(options.scale_d);
  kind.epilogue.absmax = options.absmax;
  kind.sms = static_cast<int>(options.sms);
  if (!options.out_dtype.empty()) kind.epilogue.out_dtype = parse_output_type(options.out_dtype);
  return {.op = parse_op(options.op),
          .uplo = options.uplo.empty() ? Uplo::Lower : parse_uplo(options.uplo),
          .kind = normalised(kind),
          .shapes = {},
          .parallel = {options.parallel, static_cast<int>(options.gpus)}};
}

std::vector<ProblemArgument> read_arguments(const std::vector<std::string>& texts) {
  std::vector<ProblemArgument> arguments;
  arguments.reserve(texts.size());
  for (const std::string& text : texts) arguments.push_back(read_problem_argument(text));
  return arguments;
}

std::vector<Workload> read_workloads(const std::vector<ProblemArgument>& arguments,
                                     const KindOptions& kind) {
  const Workload common = parse_kind(kind);
  std::vector<Workload> workloads;
  for (const ProblemArgument& argument : arguments) {
    for (const Workload& workload : workloads_of(argument, common)) {
      workloads.push_back(workload);
    }
  }
  if (!kind.uplo.empty() && std::none_of(workloads.begin(), workloads.end(), is_triangular)) {
    throw usage_error("--uplo applies to rank-k updates only (--op syrk, syr2k or her2k): omit it");
  }
  return workloads;
}

Workload read_workload(const ProblemArgument& argument, const KindOptions& kind) {
  const std::vector<Workload> workloads = read_workloads({argument}, kind);
  if (workloads.size() == 1) return workloads.front();
  throw usage_error(format("'{}' holds {} problems; this verb takes one, such as {}", argument.text,
                           workloads.size(), shapes_text(workloads.front())));
}

std::vector<Workload> read_runnable(const std::vector<ProblemArgument>& arguments,
                                    const KindOptions& kind) {
  std::vector<Workload> workloads = read_workloads(arguments, kind);
  for (const Workload& workload : workloads) {
    if (const auto rejection = reject_workload_kind(workload)) {
      throw usage_error(format("'{}': {}; only analyze schedule and draw schedule take it",
                               shapes_text(workload), rejection->reason));
    }
  }
  return workloads;
}

Workload read_runnable_one(const ProblemArgument& argument, const KindOptions& kind) {
  const std::vector<Workload> workloads = read_runnable({argument}, kind);
  if (workloads.size() == 1) return workloads.front();
  throw usage_error(format("'{}' holds {} problems; this verb takes one, such as {}", argument.text,
                           workloads.size(), shapes_text(workloads.front())));
}

void require_one_gpu(std::span<const Workload> workloads, std::string_view option) {
  for (const Workload& workload : workloads) {
    if (!is_across_gpus(workload)) continue;
    throw usage_error(
        format("{}: {} is for products of one GPU: omit it", to_string(workload), option));
  }
}

void require_sms(const Workload& workload, const DeviceSpec& device) {
  if (workload.kind.sms <= device.sm_count) return;
  throw usage_error(format("{}: {} has {} multiprocessors, fewer than the {} of --sms",
                           to_string(workload), device.name, device.sm_count, workload.kind.sms));
}

void require_room(const Workload& workload, const DeviceSpec& device) {
  require_sms(workload, device);
  const double bytes = operand_bytes(workload);
  if (bytes <= static_cast<double>(device.memory_bytes)) return;
  throw usage_error(format("{}: its operands take {}, and {} has {} of memory: use smaller sizes",
                           to_string(workload), human_bytes(bytes), device.name,
                           human_bytes(static_cast<double>(device.memory_bytes))));
}

std::string internal_error_line(const Workload& problem, const std::exception& error) {
  return format("tilewright: internal error in {}: {}", to_string(problem), error.what());
}

ExitCode attempt(const Workload& problem, ExitCode before, Console& console,
                 const std::function<ExitCode()>& work) {
  try {
    return std::max(before, work());
  } catch (const std::exception& error) {
    if (!is_internal(error)) throw;
    console.note(internal_error_line(problem, error));
    return std::max(before, ExitCode::Internal);
  }
}

void require_regime(Regime regime, const ResolvedDevice& device) {
  if (regime != Regime::Hot || device.gpu_index >= 0) return;
  throw environment_error(
      format("--regime hot is measured only, and device {} is a preset: omit it or name cuda:N",
             device.spec.name));
}

std::string regime_words(Regime regime) {
  if (regime == Regime::Rotate) return "";
  return format(", {} launches", kRegimes[static_cast<size_t>(regime)]);
}

std::string short_name(const Workload& workload) {
  if (!is_group(workload)) return to_string(workload.shapes.front());
  return format("{} products", workload.shapes.size());
}

void explain_device(const ResolvedDevice& device, Console& console) {
  if (device.gpu_index < 0) {
    if (!device.why_no_gpu.empty()) {
      console.note(format("no GPU is used: {}", device.why_no_gpu));
    }
    if (predicts_time(device.spec)) {
      console.note(
          format("device {} is a preset: times are predicted, nothing runs", device.spec.name));
    }
  }
  explain_rates(device.spec, console);
}

std::vector<std::string> rates_notes(const DeviceSpec& device) {
  std::vector<std::string> notes;
  if (std::string line = borrowed_rates_line(device); !line.empty()) {
    notes.push_back(std::move(line));
  }
  return notes;
}

void explain_rates(const DeviceSpec& device, Console& console) {
  console.note(rates_notes(device));
}

int table_width(const Console& console) {
  return console.terminal_out ? console.width : 0;
}

std::string pinned_line(const std::string& path, size_t pinned, int64_t replaced) {
  return format("{}: {} pinned row{} kept instead of {} answer{}", path, pinned,
                pinned == 1 ? " is" : "s are", replaced, replaced == 1 ? "" : "s");
}

std::string now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const int64_t us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  const std::time_t seconds = us / 1'000'000;
  char text[32] = {};
  std::tm parts{};
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &parts));
  return format("{}.{:06}Z", text, us % 1'000'000);
}

std::string today() {
  return now().substr(0, std::string_view("2026-11-23").size());
}

std::string time_text(double us) {
  return us < 100 ? format("{:.2f}", us) : format("{:.1f}", us);
}

std::string time_text(const std::optional<double>& us) {
  return us ? time_text(*us) : "";
}

std::string ratio_text(const PairedRatio& ratio) {
  return format("{:.3f} ({:.3f}-{:.3f})", ratio.ratio, ratio.interval.low, ratio.interval.high);
}

}  // namespace tilewright
