#include "store/dispatch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/price.hpp"
#include "search/rank.hpp"
#include "store/device_preset.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Estimate predicted(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  return estimate(make_plan(workload, config, device), device);
}

// A tuned winner of the kind at another product.
struct Candidate {
  const TuneEntry* entry = nullptr;
  Estimate predicted;
};

// Distinct configs that are legal, each with the first entry that has it, in the artefact's order.
std::vector<Candidate> candidates_at(const Artefact& artefact, const Workload& workload,
                                     const DeviceSpec& device) {
  std::vector<Candidate> candidates;
  std::set<std::string> looked_at;
  for (const TuneEntry& entry : artefact.entries) {
    if (!is_product(entry.problem) || !same_kind(entry.problem, workload)) continue;
    if (!looked_at.insert(to_string(entry.choice)).second) continue;
    if (reject_workload(workload, entry.choice, device)) continue;
    candidates.push_back({&entry, predicted(workload, entry.choice, device)});
  }
  return candidates;
}

// The model's own best; nothing where nothing is legal.
std::optional<Dispatched> own_best(const Workload& workload, const DeviceSpec& device) {
  Dispatched own{.entry = {}, .source = Source::Fallback, .from = workload};
  own.entry.problem = workload;
  try {
    own.entry.choice = complete_config({}, workload, device);
  } catch (const Error&) {
    return std::nullopt;
  }
  own.entry.predicted = predicted(workload, own.entry.choice, device);
  return own;
}

void take(Dispatched& answer, const Candidate& candidate) {
  answer.source = Source::Dispatched;
  answer.from = candidate.entry->problem;
  answer.entry.choice = candidate.entry->choice;
  answer.entry.predicted = candidate.predicted;
}

// Takes the fastest predicted winner that is not behind the model's own best.
void take_predicted(Dispatched& answer, const std::vector<Candidate>& candidates) {
  double most_us = answer.entry.predicted.us * (1 + kMostPredictedRegret);
  for (const Candidate& candidate : candidates) {
    if (candidate.predicted.us > most_us) continue;
    most_us = candidate.predicted.us;
    take(answer, candidate);
  }
}

const Candidate* find(const std::vector<Candidate>& candidates, const TileConfig& config) {
  for (const Candidate& candidate : candidates) {
    if (candidate.entry->choice == config) return &candidate;
  }
  return nullptr;
}

// What was the fastest when this very product was tried; null where nobody did.
const TileConfig* fastest_tried(const std::vector<Trial>& trials, const Workload& workload) {
  const auto trial = std::find_if(trials.begin(), trials.end(),
                                  [&](const Trial& one) { return one.problem == workload; });
  if (trial == trials.end()) return nullptr;
  const auto fastest =
      std::min_element(trial->times.begin(), trial->times.end(),
                       [](const Trial::Time& a, const Trial::Time& b) { return a.us < b.us; });
  return &fastest->config;
}

int64_t& size_of(GemmShape& shape, size_t axis) {
  return axis == 0 ? shape.m : axis == 1 ? shape.n : shape.k;
}

// The least size along an axis above the product's that a tuned one has, all else being the same;
// the product's own without any.
int64_t next_size(const Artefact& artefact, const Workload& product, size_t axis) {
  Workload asked = product;
  const int64_t own = size_of(asked.shapes.front(), axis);
  int64_t next = own;
  for (const TuneEntry& entry : artefact.entries) {
    if (!is_product(entry.problem)) continue;
    Workload other = entry.problem;
    const int64_t size = size_of(other.shapes.front(), axis);
    size_of(asked.shapes.front(), axis) = size;
    if (other == asked && size > own && (next == own || size < next)) next = size;
  }
  return next;
}

// Sizes between two, without them. Not in even steps: powers of two are full of whole waves.
std::vector<int64_t> sizes_between(int64_t low, int64_t high) {
  constexpr double kPerDoubling = 1.5;
  constexpr double kUneven = 0.35;  // of a step, to and fro
  constexpr int64_t kMultiple = 8;
  if (low == high) return {};
  const int64_t multiple = std::gcd(std::gcd(low, high), kMultiple);
  const double ratio = static_cast<double>(high) / static_cast<double>(low);
  const double count = std::max(std::ceil(kPerDoubling * std::log2(ratio)) - 1, 1.0);
  std::vector<int64_t> sizes;
  int64_t last = low;
  for (int64_t i = 1; i <= static_cast<int64_t>(count); ++i) {
    const double step = static_cast<double>(i) + (i % 2 == 0 ? -kUneven : kUneven) / 2;
    const double size = static_cast<double>(low) * std::pow(ratio, step / (count + 1));
    const auto rounded =
        static_cast<int64_t>(std::llround(size / static_cast<double>(multiple))) * multiple;
    if (rounded <= last || rounded >= high) continue;
    sizes.push_back(rounded);
    last = rounded;
  }
  return sizes;
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
  std::optional<Dispatched> answer = own_best(workload, device);
  if (!answer) return answer;
  const double least_us = answer->entry.predicted.us;
  const std::vector<Candidate> candidates = candidates_at(artefact, workload, device);
  const Bucket* const bucket = find_bucket(artefact.buckets, workload);
  const bool by_model = bucket == nullptr || bucket->by_model;
  const Candidate* winner = by_model ? nullptr : find(candidates, bucket->choice);
  // Between the trials of a range a wave of tiles may begin that none of them had.
  const double most_us = least_us * (1 + kMostInRange);
  if (winner != nullptr && winner->predicted.us > most_us) winner = nullptr;
  const TileConfig* const tried = fastest_tried(artefact.trials, workload);
  const Candidate* const fastest = tried == nullptr ? nullptr : find(candidates, *tried);
  const bool own_is_fastest = tried != nullptr && *tried == answer->entry.choice;
  if (fastest != nullptr || own_is_fastest) winner = fastest;
  if (winner != nullptr) take(*answer, *winner);
  if (winner == nullptr && !own_is_fastest) take_predicted(*answer, candidates);
  // The range speaks of whom it names alone.
  const bool is_named =
      winner == nullptr ? by_model : !by_model && winner->entry->choice == bucket->choice;
  if (is_named) answer->measured = bucket;
  answer->entry.determinism = determinism_of(answer->entry.choice.decomposition);
  answer->predicted_regret = answer->entry.predicted.us / least_us - 1;
  return answer;
}

std::vector<Workload> products_between(const Artefact& artefact) {
  std::vector<Workload> products;
  std::set<std::string> known;
  for (const TuneEntry& entry : artefact.entries) known.insert(full_text(entry.problem));
  for (const TuneEntry& entry : artefact.entries) {
    if (!is_product(entry.problem)) continue;
    for (const size_t axis : std::initializer_list<size_t>{0, 1, 2}) {
      Workload product = entry.problem;
      int64_t& size = size_of(product.shapes.front(), axis);
      for (const int64_t between : sizes_between(size, next_size(artefact, product, axis))) {
        size = between;
        if (known.insert(full_text(product)).second) products.push_back(product);
      }
    }
  }
  return products;
}

TrialPlan plan_trial(const Artefact& artefact, const Workload& workload, const DeviceSpec& device) {
  constexpr double kHopeless = 1.5;  // times the model's own best
  constexpr size_t kNearest = 4;
  constexpr size_t kMost = 14;
  const std::optional<Dispatched> own = own_best(workload, device);
  if (!own) throw usage_error(format("{}: no config is legal", to_string(workload)));
  std::vector<Candidate> candidates = candidates_at(artefact, workload, device);
  Dispatched answer = *own;
  take_predicted(answer, candidates);
  TrialPlan plan{.problem = workload, .predicted = answer.entry.choice, .configs = {}};
  const auto add = [&plan](const TileConfig& config) {
    const auto at = std::find(plan.configs.begin(), plan.configs.end(), config);
    if (at == plan.configs.end()) plan.configs.push_back(config);
  };
  add(own->entry.choice);
  add(plan.predicted);
  std::stable_sort(
      candidates.begin(), candidates.end(), [&workload](const Candidate& a, const Candidate& b) {
        return distance(a.entry->problem, workload) < distance(b.entry->problem, workload);
      });
  for (size_t i = 0; i < std::min(kNearest, candidates.size()); ++i) {
    add(candidates[i].entry->choice);
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.predicted.us < b.predicted.us; });
  for (const Candidate& candidate : candidates) {
    if (plan.configs.size() >= kMost) break;
    if (candidate.predicted.us > kHopeless * own->entry.predicted.us) break;
    add(candidate.entry->choice);
  }
  return plan;
}

void add_trials(Artefact& artefact, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    const auto same = std::find_if(artefact.trials.begin(), artefact.trials.end(),
                                   [&](const Trial& t) { return t.problem == trial.problem; });
    if (same == artefact.trials.end()) {
      artefact.trials.push_back(trial);
    } else {
      *same = trial;
    }
  }
  artefact.buckets = buckets_of(artefact.entries, artefact.trials);
}

Document to_document(const Dispatched& answer) {
  Document document = {{"source", kSources[static_cast<size_t>(answer.source)]}};
  if (answer.source == Source::Dispatched) document["from"] = shapes_text(answer.from);
  if (answer.predicted_regret) document["predicted_regret"] = *answer.predicted_regret;
  if (answer.measured != nullptr) {
    Document measured = to_document(*answer.measured);
    for (const char* const key : {"dtype", "out_dtype", "layout", "bias", "config", "from"}) {
      measured.erase(key);
    }
    document["measured_regret"] = measured;
  }
  document.update(to_document(answer.entry));
  return document;
}

}  // namespace tilewright
