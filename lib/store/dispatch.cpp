#include "store/dispatch.hpp"

#include <set>

#include "base/error.hpp"
#include "model/price.hpp"
#include "search/rank.hpp"
#include "store/device_preset.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// All that a workload is beside its sizes.
bool same_kind(Workload a, const Workload& b) {
  a.shapes = b.shapes;
  return a == b;
}

Estimate predicted(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  return estimate(make_plan(workload, config, device), device);
}

}  // namespace

std::optional<DeviceSpec> device_of(const Artefact& artefact) {
  for (const std::string& name : device_preset_names()) {
    DeviceSpec device = load_device_preset(name);
    if (same_architecture(fingerprint(device, true), artefact.device)) return device;
  }
  return std::nullopt;
}

std::optional<Dispatched> dispatch(const Artefact& artefact, const Workload& workload,
                                   const DeviceSpec& device) {
  if (!is_product(workload)) return std::nullopt;
  Dispatched best{.entry = {}, .source = Source::Fallback, .from = workload};
  best.entry.problem = workload;
  try {
    best.entry.choice = complete_config({}, workload, device);
  } catch (const Error&) {
    return std::nullopt;
  }
  best.entry.predicted = predicted(workload, best.entry.choice, device);
  const double least_us = best.entry.predicted.us;
  double most_us = least_us * (1 + kMostRegret);
  std::set<std::string> looked_at;
  for (const TuneEntry& entry : artefact.entries) {
    if (!is_product(entry.problem) || !same_kind(entry.problem, workload)) continue;
    if (!looked_at.insert(to_string(entry.choice)).second) continue;
    if (reject_workload(workload, entry.choice, device)) continue;
    const Estimate now = predicted(workload, entry.choice, device);
    if (now.us > most_us) continue;
    most_us = now.us;
    best.source = Source::Dispatched;
    best.from = entry.problem;
    best.entry.choice = entry.choice;
    best.entry.predicted = now;
  }
  best.entry.determinism = determinism_of(best.entry.choice.decomposition);
  best.predicted_regret = best.entry.predicted.us / least_us - 1;
  return best;
}

Document to_document(const Dispatched& answer) {
  Document document = {{"source", kSources[static_cast<size_t>(answer.source)]}};
  if (answer.source == Source::Dispatched) document["from"] = shapes_text(answer.from);
  if (answer.predicted_regret) document["predicted_regret"] = *answer.predicted_regret;
  document.update(to_document(answer.entry));
  return document;
}

}  // namespace tilewright
