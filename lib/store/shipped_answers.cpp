#include "store/shipped_answers.hpp"

#include <algorithm>
#include <optional>

#include "answer/library_choice.hpp"
#include "answer/shipped_kernels.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "store/dispatch.hpp"

namespace tilewright {
namespace {

DeviceSpec device_of_all(std::span<const TunedFile> files) {
  for (const TunedFile& file : files) {
    if (same_architecture(file.artefact.device, files.front().artefact.device)) continue;
    throw usage_error(format("{} was tuned on {}, and {} on {}: a library is for one device",
                             file.name, to_string(file.artefact.device), files.front().name,
                             to_string(files.front().artefact.device)));
  }
  std::optional<DeviceSpec> device = device_of(files.front().artefact);
  if (device) return std::move(*device);
  throw usage_error(
      format("{} was tuned on {}, and no preset describes that device: add a device file to "
             "presets/devices",
             files.front().name, to_string(files.front().artefact.device)));
}

// The pins that may change the answer. A pinned row has none, because its user chose the config.
std::vector<LibraryPin> shipped_pins(const TuneEntry& entry) {
  if (entry.pinned || !library_may_answer(entry.library_pins)) return {};
  std::vector<LibraryPin> pins = entry.library_pins;
  for (LibraryPin& pin : pins) pin.beside.reset();
  return pins;
}

// What orders the answer among others; an artefact without times records none.
double ranked_us(const TuneEntry& entry, const DeviceSpec& device) {
  if (entry.predicted.us > 0) return entry.predicted.us;
  return estimate(make_plan(entry.problem, entry.choice, device), device).us;
}

AnswerRow row_of(const TuneEntry& entry, const std::string& file, const DeviceSpec& device) {
  AnswerRow row{.problem = entry.problem,
                .choice = entry.choice,
                .pinned = entry.pinned,
                .predicted_us = ranked_us(entry, device),
                .median_us = entry.timing ? entry.timing->median_us : 0,
                .file = file,
                .library_pins = shipped_pins(entry)};
  row.problem.kind = normalised(row.problem.kind);
  return row;
}

}  // namespace

std::string why_not_shipped(const Workload& workload) {
  if (!is_group(workload)) return "";
  if (is_triangular(workload)) return "a library's groups are of products, not of rank-k updates";
  return packing_of(workload) == Packing::Rows
             ? ""
             : "a library's groups share N and K and have layout tn, so that their rows are packed";
}

AnswerTable shipped_answers(std::span<const TunedFile> files) {
  AnswerTable table;
  table.device = device_of_all(files);
  for (const TunedFile& file : files) {
    const Artefact& artefact = file.artefact;
    for (const TuneEntry& entry : artefact.entries) {
      if (why_not_shipped(entry.problem).empty()) {
        table.device = host_of(entry.problem, table.device);
        table.rows.push_back(row_of(entry, file.name, table.device));
      }
    }
    for (Trial trial : artefact.trials) {
      if (!why_not_shipped(trial.problem).empty()) continue;
      trial.origin.reset();
      table.trials.push_back(std::move(trial));
    }
    table.buckets.insert(table.buckets.end(), artefact.buckets.begin(), artefact.buckets.end());
  }
  table.kernels = shipped_kernels(table.rows, table.trials, table.device);
  return table;
}

}  // namespace tilewright
