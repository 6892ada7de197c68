#include "store/dispatch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "answer/bucket_division.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "model/estimate.hpp"
#include "record/kind_fields.hpp"
#include "search/complete.hpp"
#include "search/leaders.hpp"
#include "search/measured_bias.hpp"
#include "search/predict.hpp"
#include "search/rank.hpp"
#include "store/device_preset.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

Estimate predicted(const Workload& workload, const TileConfig& config, const DeviceSpec& device) {
  return estimate(make_plan(workload, config, device), device);
}

// Nothing for a config that is illegal, or that makes too many units here to be walked.
std::optional<Estimate> predicted_if_runnable(const Workload& workload, const TileConfig& config,
                                              const DeviceSpec& device) {
  if (reject_workload(workload, config, device)) return std::nullopt;
  try {
    return predicted(workload, config, device);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    return std::nullopt;
  }
}

// The winner of a tuned product of the same kind.
struct Candidate {
  const TuneEntry* entry = nullptr;
  Estimate predicted;
};

// The distinct legal configs, each with the first entry that has it, in the artefact's order.
std::vector<Candidate> candidates_at(const Artefact& artefact, const Workload& workload,
                                     const DeviceSpec& device) {
  std::vector<Candidate> candidates;
  std::set<std::string> looked_at;
  for (const TuneEntry& entry : artefact.entries) {
    if (is_group(entry.problem) || !same_kind(entry.problem, workload)) continue;
    if (!looked_at.insert(to_string(entry.choice)).second) continue;
    const std::optional<Estimate> here = predicted_if_runnable(workload, entry.choice, device);
    if (here) candidates.push_back({&entry, *here});
  }
  return candidates;
}

// The answer with a config that the model chose.
Dispatched own_answer(const Workload& workload, const TileConfig& choice,
                      const DeviceSpec& device) {
  Dispatched own{.entry = {}, .source = DispatchSource::Fallback, .from = workload};
  own.entry.problem = workload;
  own.entry.choice = choice;
  own.entry.predicted = predicted(workload, choice, device);
  return own;
}

// The model's own best; nothing if no config is legal.
std::optional<Dispatched> own_best(const Workload& workload, const DeviceSpec& device) {
  try {
    const DeviceSpec host = host_of(workload, device);
    return own_answer(workload, complete_config({}, workload, host), host);
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    return std::nullopt;
  }
}

void take(Dispatched& answer, const Candidate& candidate) {
  answer.source = DispatchSource::Dispatched;
  answer.from = candidate.entry->problem;
  answer.tuned_entry = candidate.entry;
  answer.entry.choice = candidate.entry->choice;
  answer.entry.predicted = candidate.predicted;
}

// Takes the winner with the least predicted time, corrected by what was measured nearby, if it is
// within kMaxPredictedRegret of the model's own best.
void take_predicted(Dispatched& answer, const std::vector<Candidate>& candidates,
                    const MeasuredBias& bias) {
  const auto corrected_us = [&bias](const Estimate& predicted, const TileConfig& config) {
    return predicted.us * bias.factor(config);
  };
  double most_us =
      corrected_us(answer.entry.predicted, answer.entry.choice) * (1 + kMaxPredictedRegret);
  for (const Candidate& candidate : candidates) {
    const double us = corrected_us(candidate.predicted, candidate.entry->choice);
    if (us > most_us) continue;
    most_us = us;
    take(answer, candidate);
  }
}

const Candidate* find(const std::vector<Candidate>& candidates, const TileConfig& config) {
  for (const Candidate& candidate : candidates) {
    if (candidate.entry->choice == config) return &candidate;
  }
  return nullptr;
}

// `winner` is null if the fastest config of the trial was the model's choice at that time.
void take_fastest(Dispatched& answer, const FastestOfTrial& tried, const Candidate* winner,
                  const DeviceSpec& device) {
  answer.trial = tried.trial;
  if (winner != nullptr) {
    take(answer, *winner);
  } else if (answer.entry.choice != *tried.fastest) {
    answer.entry.choice = *tried.fastest;
    answer.entry.predicted = predicted(answer.entry.problem, *tried.fastest, device);
  }
}

// The winner of the product's range, if it is legal and predicted to take at most 1 + kMaxInBucket
// times the model's best, `least_us`: between the trials of a range a wave of tiles may begin that
// none of the trials had.
const Candidate* winner_in_bucket(const Artefact& artefact,
                                  const std::vector<Candidate>& candidates,
                                  const Workload& workload, double least_us) {
  const Bucket* const bucket = find_bucket(artefact.buckets, workload);
  if (bucket == nullptr || bucket->by_model) return nullptr;
  const Candidate* const winner = find(candidates, bucket->choice);
  const bool is_slow = winner != nullptr && winner->predicted.us > least_us * (1 + kMaxInBucket);
  return is_slow ? nullptr : winner;
}

// The product's range, if it was measured for this answer: for its winner, or for the model's
// current choice.
const Bucket* bucket_that_names(const Artefact& artefact, const Dispatched& answer) {
  const Bucket* const bucket = find_bucket(artefact.buckets, answer.entry.problem);
  if (bucket == nullptr) return nullptr;
  const TileConfig& choice = answer.entry.choice;
  const bool by_model = answer.trial == nullptr || answer.trial->predicted == choice;
  const bool by_winner = answer.source == DispatchSource::Dispatched && bucket->choice == choice;
  return (bucket->by_model ? by_model : by_winner) ? bucket : nullptr;
}

// Several entries may have chosen the winner's config; the range names the right one.
void name_tuned(Dispatched& answer, const Artefact& artefact) {
  const Bucket* const bucket = find_bucket(artefact.buckets, answer.entry.problem);
  const TuneEntry* const named = bucket == nullptr ? nullptr : entry_of(artefact, *bucket);
  if (named == nullptr) return;
  const bool is_fallback = answer.source == DispatchSource::Fallback;
  if (!is_fallback && named->choice != answer.entry.choice) return;
  answer.tuned_entry = named;
  if (!is_fallback) answer.from = named->problem;
}

int64_t& size_of(GemmShape& shape, size_t axis) {
  return axis == 0 ? shape.m : axis == 1 ? shape.n : shape.k;
}

// The next larger size along an axis among tuned products that are otherwise the same; the
// product's own size if there is none.
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

// Sizes strictly between two. Steps are uneven, because powers of two fill whole waves.
std::vector<int64_t> sizes_between(int64_t low, int64_t high) {
  constexpr double kPerDoubling = 1.5;
  constexpr double kUneven = 0.35;  // share of a step, alternately up and down
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

DeviceSpec host_of(const Workload& workload, DeviceSpec device) {
  device.gpus = std::max(device.gpus, workload.parallel.gpus);
  return device;
}

std::optional<DeviceSpec> device_of(const Artefact& artefact) {
  return preset_like(artefact.device);
}

const TuneEntry* entry_of(const Artefact& artefact, const Bucket& bucket) {
  if (bucket.by_model) return nullptr;
  Workload named = bucket.kind;
  named.shapes = {bucket.from};
  const TuneEntry* const entry = find_entry(artefact, named);
  return entry != nullptr && entry->choice == bucket.choice ? entry : nullptr;
}

std::optional<LibraryLead> library_lead(const TuneEntry& entry) {
  if (winner_of(entry) != Winner::Library) return std::nullopt;
  const ReferenceResult& reference = *entry.reference;
  LibraryLead lead{.at = entry.problem, .name = reference.name, .ratio = reference.ratio};
  if (entry.objective != Objective::Time && entry.energy && reference.energy) {
    lead.objective = entry.objective;
    lead.joules_ratio = reference.energy->joules / entry.energy->joules;
  }
  return lead;
}

std::string lead_text(const LibraryLead& lead, const Workload& asked, const char* here) {
  const bool is_here = lead.at == asked;
  const std::string place = is_here ? "" : format(" at {}", to_string(lead.at));
  const char* const whose = is_here ? here : "the tuned config's";
  const std::string time =
      format("{:.3f} of {} time (95 % interval {:.3f} to {:.3f})", lead.ratio.ratio, whose,
             lead.ratio.interval.low, lead.ratio.interval.high);
  if (lead.objective == Objective::Time) {
    return format("the library was faster{}: {} takes {}", place, lead.name, time);
  }
  return format("the library was better by {}{}: {} takes {:.3f} of {} joules and {}",
                kObjectives[static_cast<size_t>(lead.objective)], place, lead.name,
                lead.joules_ratio, whose, time);
}

Document to_document(const LibraryLead& lead) {
  Document document = {
      {"at", shapes_text(lead.at)},
      {"name", lead.name},
      {"ratio", lead.ratio.ratio},
      {"ratio_ci", Document::array({lead.ratio.interval.low, lead.ratio.interval.high})}};
  if (lead.objective != Objective::Time) {
    document["objective"] = kObjectives[static_cast<size_t>(lead.objective)];
    document["joules_ratio"] = lead.joules_ratio;
  }
  return document;
}

std::optional<LibraryLead> library_lead(const Dispatched& answer) {
  return library_lead(answer.tuned_entry == nullptr ? answer.entry : *answer.tuned_entry);
}

std::optional<FastestOfTrial> fastest_of_trial(const Artefact& artefact, const Workload& workload,
                                               const DeviceSpec& device) {
  const auto trial = std::find_if(artefact.trials.begin(), artefact.trials.end(),
                                  [&](const Trial& one) { return one.problem == workload; });
  if (trial == artefact.trials.end()) return std::nullopt;
  const Trial::Time* fastest = nullptr;
  for (const Trial::Time& time : trial->times) {
    if (fastest != nullptr && time.us >= fastest->us) continue;
    if (!reject_workload(workload, time.config, device)) fastest = &time;
  }
  if (fastest == nullptr) return std::nullopt;
  return FastestOfTrial{&*trial, &fastest->config};
}

std::string origin_text(const Dispatched& answer) {
  std::string origin = answer.entry.pinned   ? "pinned"
                       : answer.entry.timing ? "tuned"
                                             : "predicted; nothing ran";
  if (answer.source == DispatchSource::Dispatched)
    origin = format("the winner of {}", to_string(answer.from));
  if (answer.source == DispatchSource::Fallback) {
    origin = answer.trial == nullptr ? "fallback: the model's best config"
                                     : "the config that the model chose then";
  }
  if (answer.trial == nullptr) return origin;
  return format("{}, the fastest of {} configs that were timed at this product on {}", origin,
                answer.trial->times.size(), answer.trial->date);
}

std::optional<Dispatched> dispatch(const Artefact& artefact, const Workload& workload,
                                   const DeviceSpec& device) {
  if (is_group(workload)) return std::nullopt;
  std::optional<Dispatched> answer = own_best(workload, device);
  if (!answer) return answer;
  const double least_us = answer->entry.predicted.us;
  const std::vector<Candidate> candidates = candidates_at(artefact, workload, device);
  if (const std::optional<FastestOfTrial> tried = fastest_of_trial(artefact, workload, device)) {
    take_fastest(*answer, *tried, find(candidates, *tried->fastest), device);
  } else if (const Candidate* const winner =
                 winner_in_bucket(artefact, candidates, workload, least_us)) {
    take(*answer, *winner);
  } else {
    take_predicted(*answer, candidates, MeasuredBias(artefact.trials, workload, device));
  }
  name_tuned(*answer, artefact);
  answer->bucket = bucket_that_names(artefact, *answer);
  answer->entry.determinism = determinism_of(answer->entry.choice.decomposition);
  if (answer->entry.predicted.is_time) {
    answer->predicted_regret = answer->entry.predicted.us / least_us - 1;
  }
  return answer;
}

std::vector<Workload> intermediate_products(const Artefact& artefact) {
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
  constexpr size_t kOfShortlist = 6;
  constexpr size_t kMax = 18;
  const Ranking ranking = rank_to_tune(workload, {}, device);
  const Dispatched own = own_answer(workload, ranking.kernels.front().config, device);
  std::vector<Candidate> candidates = candidates_at(artefact, workload, device);
  Dispatched answer = own;
  take_predicted(answer, candidates, MeasuredBias(artefact.trials, workload, device));
  TrialPlan plan{.problem = workload, .predicted = answer.entry.choice, .configs = {}};
  const auto add = [&plan](const TileConfig& config) {
    const auto at = std::find(plan.configs.begin(), plan.configs.end(), config);
    if (at == plan.configs.end()) plan.configs.push_back(config);
  };
  add(own.entry.choice);
  add(plan.predicted);
  // No winner may be near: then one of the kernels that a race would try is.
  for (const RankedConfig& one : shortlisted(ranking.kernels, kOfShortlist)) add(one.config);
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
    if (plan.configs.size() >= kMax) break;
    if (candidate.predicted.us > kHopeless * own.entry.predicted.us) break;
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
  Document document = {{"source", kDispatchSources[static_cast<size_t>(answer.source)]}};
  if (answer.source == DispatchSource::Dispatched) document["from"] = shapes_text(answer.from);
  const bool lacks_time = answer.source != DispatchSource::Tuned && !answer.entry.predicted.is_time;
  if (answer.predicted_regret || lacks_time) {
    document["predicted_regret"] = value_or_null(answer.predicted_regret);
  }
  if (answer.bucket != nullptr) {
    Document measured = to_document(*answer.bucket);
    erase_kind(measured);
    for (const char* const key : {"config", "from"}) measured.erase(key);
    document["measured_regret"] = measured;
  }
  if (answer.trial != nullptr) {
    const auto time =
        std::find_if(answer.trial->times.begin(), answer.trial->times.end(),
                     [&](const Trial::Time& one) { return one.config == answer.entry.choice; });
    document["tried"] = {
        {"us", time->us}, {"configs", answer.trial->times.size()}, {"date", answer.trial->date}};
  }
  if (const auto lead = library_lead(answer)) document["library_faster"] = to_document(*lead);
  document.update(to_document(answer.entry));
  return document;
}

}  // namespace tilewright
