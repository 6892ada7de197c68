// tilewright profile: hardware counters beside their predictions.
#include "verbs/profile_verb.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "draw/picture.hpp"
#include "host/console.hpp"
#include "host/harness_files.hpp"
#include "host/output_files.hpp"
#include "page/trace_events.hpp"
#include "page/trace_spans.hpp"
#include "render/picture_output.hpp"
#include "render/profile_table.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/admission.hpp"
#include "search/complete.hpp"
#include "search/foreign_traffic.hpp"
#include "search/rank.hpp"
#include "store/layout_json.hpp"
#include "store/measured_json.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

std::optional<double> tensor_active_pct(const Workload& workload, const Estimate& e,
                                        const DeviceSpec& d) {
  if (!e.is_time) return std::nullopt;
  const double busy_clocks = flops(workload) / (tensor_flops_per_clock(d, workload.kind.dtype) *
                                                static_cast<double>(d.sm_count));
  return 100 * busy_clocks / (e.us * 1e-6 * d.sustained_clock_hz);
}

ProfilePrediction prediction_of(const Workload& workload, const TileConfig& config,
                                const DeviceSpec& device) {
  const Estimate e = estimate(make_plan(workload, config, device), device);
  return {.us = believed_us(e),
          .dram_read_bytes = e.dram_read_bytes,
          .dram_write_bytes = e.dram_write_bytes,
          .l2_hit_pct = 100 * e.l2_hit_rate,
          .tensor_active_pct = tensor_active_pct(workload, e, device)};
}

void require_runnable(Runner& runner, const Contender& contender) {
  const std::vector<BuildResult> builds = runner.build({&*contender.config, 1});
  if (!builds.front().ok()) {
    throw Error(ExitCode::No, format("{}: {}", contender.name, builds.front().reason));
  }
  const Verification verification = runner.verify(contender);
  if (!verification.ok) {
    throw Error(ExitCode::WrongResult,
                format("{}: wrong results: {}", contender.name, verification.detail));
  }
}

using TileLists = std::vector<std::vector<WorkTile>>;

// All tiles, sorted, whichever CTA computed them.
std::vector<std::tuple<int, int, int>> sorted_tiles(const TileLists& lists) {
  std::vector<std::tuple<int, int, int>> tiles;
  for (const std::vector<WorkTile>& list : lists) {
    for (const WorkTile& w : list) tiles.emplace_back(w.problem, w.m, w.n);
  }
  std::sort(tiles.begin(), tiles.end());
  return tiles;
}

// Compares the trace with the plan; with a dynamic schedule any CTA may take any tile.
std::string against_plan(const RecordedTrace& recorded, const DeviceSpec& device) {
  int ctas = 0;
  for (const TraceRecord& r : recorded.trace.records) ctas = std::max(ctas, r.cta + 1);
  TileLists traced(static_cast<size_t>(ctas));
  for (const TraceRecord& r : recorded.trace.records) {
    if (!r.inside) continue;
    traced[static_cast<size_t>(r.cta)].push_back({r.problem, r.m, r.n, r.k_begin, r.k_end});
  }
  const TileLists planned = assignments(
      make_plan(recorded.workload, recorded.config, device, {.ctas = ctas, .resident = ctas}));
  const bool dealt = recorded.config.group_schedule == GroupSchedule::Dynamic;
  const bool same = dealt ? sorted_tiles(traced) == sorted_tiles(planned) : traced == planned;
  return format("trace: {} tiles on {} CTAs, {}", sorted_tiles(traced).size(), ctas,
                !same   ? "not equal to the plan's"
                : dealt ? "each once"
                        : "as planned");
}

void write_trace(const ProfileRequest& request, const RecordedTrace& recorded,
                 const DeviceSpec& device, Console& console) {
  if (is_picture(request.trace)) {
    PictureOptions picture = request.picture;
    picture.output = request.trace;
    console.note(write_scene(picture, [&]() -> Drawing {
      return [&](const AvailableSize& available) {
        return trace_picture(recorded, device, available);
      };
    }));
  } else {
    write_file(request.trace, trace_json(recorded, trace_events(trace_spans(recorded, device))));
  }
  console.note(against_plan(recorded, device));
}

Table measured_table(const std::vector<ProbedAccess>& rows) {
  Table table({{"access", true, 0},
               {"op", false, 0},
               {"predicted", true, 0},
               {"measured", true, 0},
               {"", false, 0}});
  for (size_t i = 0; i < rows.size(); ++i) {
    const ProbedAccess& row = rows[i];
    const bool differs = row.measured && *row.measured != static_cast<double>(row.predicted);
    table.add_row({format("{}", i), to_string(row.op), format("{}", row.predicted),
                   row.measured ? format("{}", *row.measured) : "", differs ? "differs" : ""});
  }
  return table;
}

std::vector<std::string> violations(const std::vector<CheckExpression>& checks,
                                    const std::vector<ProbedAccess>& rows) {
  std::vector<std::string> violated;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<NamedNumber> numbers{{"predicted", static_cast<double>(rows[i].predicted)}};
    if (rows[i].measured) numbers.push_back({"measured", *rows[i].measured});
    for (const std::string& sentence : violated_checks(checks, numbers)) {
      violated.push_back(format("access {}: {}", i, sentence));
    }
    if (rows[i].measured && *rows[i].measured != static_cast<double>(rows[i].predicted)) {
      violated.push_back(format("access {}: predicted {} wavefronts, measured {}", i,
                                rows[i].predicted, *rows[i].measured));
    }
  }
  return violated;
}

void require_verified(Runner& runner, const Contender& contender) {
  const BuildResult built = runner.build_foreign({&contender, 1}).front();
  if (!built.ok()) {
    throw Error(ExitCode::No, format("{}: {}", contender.name, built.reason));
  }
  const Verification verification = runner.verify(contender);
  if (!verification.ok) {
    throw Error(ExitCode::WrongResult,
                format("{}: wrong results: {}", contender.name, verification.detail));
  }
}

// The replay predicts DRAM reads of a mapping; nothing else of a foreign kernel is predicted.
ProfilePrediction predict_traffic(Runner& runner, const Contender& contender,
                                  const Workload& workload, Console& console) {
  const ForeignMapping mapping = runner.mapping_of(contender);
  ProfilePrediction predicted;
  if (!is_product(workload) || !mapping.why_not.empty()) {
    console.note(format("{}: nothing is predicted of it{}{}", contender.name,
                        mapping.why_not.empty() ? "" : ": ", mapping.why_not));
    return predicted;
  }
  predicted.dram_read_bytes =
      foreseen_read_bytes(mapping, problem_of(workload, 0), runner.device());
  return predicted;
}

// The workload's counters of the foreign kernel `request.harness`, and the DRAM reads that the
// replay of its mapping predicts, if it has one. On host memory it only has a time.
Report profile_harness(const ProfileRequest& request, Console& console) {
  const Workload& workload = request.workload;
  const ResolvedDevice device = resolve_harness_device(request.device);
  if (!is_host(device)) require_room(workload, device.spec);
  const std::unique_ptr<Runner> runner = open_harness_runner(device, {.regime = request.regime});
  const Contender contender = contender_of(chosen_config(*runner, *request.harness, workload));
  runner->prepare(workload);
  require_verified(*runner, contender);
  const ProfilePrediction predicted = predict_traffic(*runner, contender, workload, console);
  std::string why_no_counters;
  const Measured measured = measure(*runner, contender, why_no_counters);
  if (!measured.counters) {
    if (!is_host(device)) {
      throw environment_error(
          format("no hardware counters: {}; bench times without them", why_no_counters));
    }
    console.note(format("no counters: {}", why_no_counters));
  }
  const ProfileResult result{.workload = workload,
                             .requested = request.requested,
                             .effective = contender.name,
                             .rows = profile_rows(predicted, measured),
                             .predicted = false,
                             .regime = measured.regime};
  return profile_report(result, device.spec);
}

}  // namespace

Report profile_config(const ProfileRequest& request, const ResolvedDevice& device,
                      Console& console) {
  const Workload& workload = request.workload;
  require_room(workload, device.spec);
  require_regime(request.regime, device);
  const bool predicted = device.gpu_index < 0;
  if (predicted && !request.trace.empty()) {
    throw environment_error(format(
        "--trace runs the kernel, and device {} is a preset: name cuda:N", device.spec.name));
  }
  const TileConfig config = complete_config(request.config, workload, device.spec);
  explain_device(device, console);
  const Contender contender = contender_of(config);
  Measured measured;
  if (!predicted) {
    const std::unique_ptr<Runner> runner = open_runner(device, {.regime = request.regime});
    runner->prepare(workload);
    require_runnable(*runner, contender);
    if (!request.trace.empty()) {
      write_trace(request, {workload, config, runner->trace(contender)}, device.spec, console);
    }
    std::string why_no_counters;
    measured = measure(*runner, contender, why_no_counters);
    if (!measured.counters) {
      throw environment_error(
          format("no hardware counters: {}; bench times without them", why_no_counters));
    }
  }
  const ProfileResult result{
      .workload = workload,
      .requested = request.requested,
      .effective = launch_config_text(config, workload),
      .rows = profile_rows(prediction_of(workload, config, device.spec), measured),
      .predicted = predicted,
      .regime = measured.regime};
  return profile_report(result, device.spec);
}

Report run_profile(const ProfileRequest& request, Console& console) {
  if (request.harness) return profile_harness(request, console);
  return profile_config(request, resolve_device(request.device), console);
}

Report profile_accesses(const std::vector<WarpAccess>& accesses,
                        const std::vector<CheckExpression>& checks, const ResolvedDevice& device) {
  const bool predicted_only = device.gpu_index < 0;
  std::vector<double> measured;
  if (!predicted_only) measured = device.backend->probe_wavefronts(device.gpu_index, accesses);
  std::vector<ProbedAccess> rows;
  for (size_t i = 0; i < accesses.size(); ++i) {
    rows.push_back({.op = accesses[i].op,
                    .predicted = count_wavefronts(accesses[i]).wavefronts,
                    .measured = predicted_only ? std::nullopt : std::optional(measured[i])});
  }
  const std::string& name = device.spec.name;
  return {
      .text = {format("{}, {}\n", name,
                      predicted_only ? "predicted, nothing ran" : "one warp, hardware counters"),
               measured_table(rows)},
      .json = [rows, name] { return probed_access_json(rows, name); },
      .violated = violations(checks, rows)};
}

Report run_profile_access(const AccessOptions& options, Console& console) {
  const std::vector<WarpAccess> accesses = read_accesses(options);  // before it looks for a GPU
  const ResolvedDevice device = resolve_device(options.device);
  explain_device(device, console);
  return profile_accesses(accesses, options.checks, device);
}

}  // namespace tilewright
