// Chooses a config for a product that was not tuned, mostly from the winners of tuned products.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/document.hpp"
#include "search/bucket.hpp"
#include "search/result.hpp"
#include "search/trial_run.hpp"
#include "store/best_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A host with at least as many such GPUs as share the product.
DeviceSpec host_of(const Workload& workload, DeviceSpec device);

/// The reference library's algorithm that beat a tuned choice, and by how much.
struct LibraryLead {
  Workload at;        // both were timed at this problem
  std::string name;   // the algorithm's name
  PairedRatio ratio;  // its time divided by the choice's, in the same rounds
  Objective objective = Objective::Time;
  double joules_ratio = 1;  // its joules divided by the choice's, if the objective counts them
};

/// Returns nothing if winner_of(entry) is this project's kernel.
std::optional<LibraryLead> library_lead(const TuneEntry& entry);

inline constexpr const char* kThisConfigs = "this config's";

/// "the library was faster at 512x512x512 bf16 tn: NAME takes 0.985 of the tuned config's time (95
/// % interval 0.983 to 0.988)". If `asked` is that problem, the text leaves out the place and
/// compares with the time of `here`.
std::string lead_text(const LibraryLead& lead, const Workload& asked,
                      const char* here = kThisConfigs);

/// Keys `at`, `name`, `ratio` and `ratio_ci`; also `objective` and `joules_ratio` if the objective
/// counts joules.
Document to_document(const LibraryLead& lead);

/// Where an answer comes from: an entry of this problem, the winner of another problem of its kind,
/// or the model alone.
enum class DispatchSource { Tuned, Dispatched, Fallback };

inline constexpr std::string_view kDispatchSources[] = {"tuned", "dispatched", "fallback"};

/// An answer. An answer that was not tuned has only predicted times.
struct Dispatched {
  TuneEntry entry;
  DispatchSource source = DispatchSource::Tuned;
  Workload from;  // the problem that this config won; for a fallback the workload itself
  // Its predicted time over that of the model's best, less 1
  std::optional<double> predicted_regret = {};
  // The bucket of the artefact around the workload, if it was measured for this answer
  const Bucket* bucket = nullptr;
  const Trial* trial = nullptr;  // the artefact's trial of this product that it won
  // The artefact's entry that won with this config or, for a fallback, the winner of the product's
  // range. Null if `entry` itself was tuned, or if no entry applies.
  const TuneEntry* tuned_entry = nullptr;
};

/// The entry with the winner that answers in a range; null if the model answers.
const TuneEntry* entry_of(const Artefact& artefact, const Bucket& bucket);

/// The reference library's lead over the tuned entry behind the answer, or nothing.
std::optional<LibraryLead> library_lead(const Dispatched& answer);

/// The fastest legal config of a trial of this very product.
struct FastestOfTrial {
  const Trial* trial = nullptr;
  const TileConfig* fastest = nullptr;
};

/// Returns nothing if the product has no trial, or if every timed config is illegal.
std::optional<FastestOfTrial> fastest_of_trial(const Artefact& artefact, const Workload& workload,
                                               const DeviceSpec& device);

/// Where an answer comes from, a short text for people.
std::string origin_text(const Dispatched& answer);

/// dispatch() rejects a winner that the model predicts to be slower than the model's own best by
/// more than this share. On 75 products timed on an H200 (2026-11-23) the answers were 0.7 % behind
/// the fastest timed config with 0.02 and 2.3 % with 0.10: a config that is predicted to be slower
/// is slower, no matter where it was tuned.
inline constexpr double kMaxPredictedRegret = 0.02;
/// The same limit for the winner of the range that the product is in.
inline constexpr double kMaxInBucket = 0.05;

/// Answers for a product that has no entry: its fastest_of_trial(); else the winner of its range if
/// that is legal and within kMaxInBucket; else, among the winners for the same types and layout,
/// the one with the least predicted time, or the model's own best. Returns nothing for groups, and
/// if no config is legal. Triangles have no trials and no ranges.
std::optional<Dispatched> dispatch(const Artefact& artefact, const Workload& workload,
                                   const DeviceSpec& device);

/// The preset of the artefact's device, or nothing if there is none.
std::optional<DeviceSpec> device_of(const Artefact& artefact);

/// Products between each two tuned ones that differ in one size and are neighbours in it: at uneven
/// ratios below two, in multiples of eight if both sizes are.
std::vector<Workload> intermediate_products(const Artefact& artefact);

/// The configs to time at a product: the model's own best, the predicted answer, the first of the
/// product's short list, the winners of the nearest tuned products, and further winners that the
/// model predicts to be at most 1.5 times the best. Throws as rank_to_tune() does.
TrialPlan plan_trial(const Artefact& artefact, const Workload& workload, const DeviceSpec& device);

/// Adds the trials, each in place of an older one of the same product, and computes the ranges
/// again.
void add_trials(Artefact& artefact, const std::vector<Trial>& trials);

/// The keys `source`; `from` if the answer was dispatched; `predicted_regret`; `measured_regret`
/// with its range of sizes; `tried` if this product was timed; `library_faster` for library_lead();
/// then the keys of the entry.
Document to_document(const Dispatched& answer);

}  // namespace tilewright
