// A config for a product that was not tuned, out of the winners of those that were.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/bucket.hpp"
#include "search/trial_run.hpp"
#include "store/best_table.hpp"
#include "store/library_lead.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Where an answer comes from: an entry of this problem, the winner of another one of its kind, or
/// the model alone.
enum class Source { Tuned, Dispatched, Fallback };

inline constexpr std::string_view kSources[] = {"tuned", "dispatched", "fallback"};

/// An answer. What was not tuned has no times but the model's.
struct Dispatched {
  TuneEntry entry;
  Source source = Source::Tuned;
  Workload from;  // whose winner it is; of a fallback the problem itself
  std::optional<double> predicted_regret = {};  // its time over the model's best, less 1
  const Bucket* measured = nullptr;  // of the artefact: what was measured of this answer around it
  const Trial* tried = nullptr;      // of the artefact: it was the fastest there, of this product
  // Of the artefact: whose choice this is, or, of a fallback, was to be by the product's range;
  // null where `entry` itself was tuned, or nothing was.
  const TuneEntry* tuned = nullptr;
};

/// The entry whose winner answers in a range; null where the model does.
const TuneEntry* entry_of(const Artefact& artefact, const Bucket& range);

/// What the reference library was better by where the answer, or its range's winner, was tuned.
std::optional<LibraryLead> library_lead(const Dispatched& answer);

/// The fastest config of a trial of this very product that is legal.
struct TriedAnswer {
  const Trial* trial = nullptr;
  const TileConfig* fastest = nullptr;
};

/// Nothing where nobody tried the product, or all that was timed there is illegal.
std::optional<TriedAnswer> tried_answer(const Artefact& artefact, const Workload& workload,
                                        const DeviceSpec& device);

/// Where an answer comes from, in a few words for people.
std::string origin_text(const Dispatched& answer);

/// A winner farther behind the model's own best, by the model, gives way to that. On 75 products
/// timed on an H200 (2026-11-23) the answers were 0.7 % behind the fastest that was timed with 0.02
/// here, 2.3 % with 0.10: who is predicted to be slower is, tuned elsewhere or not.
inline constexpr double kMostPredictedRegret = 0.02;
/// The same of a winner in whose range a product is.
inline constexpr double kMostInRange = 0.05;

/// For a product that has no entry its tried_answer(), whoever's winner that is; else the winner
/// whose bucket it is in, where it is legal and not far behind; else the winner, among those for
/// the same types and layout, that the model predicts to be fastest, or the model's own best.
/// Nothing for groups, and where nothing is legal. Triangles have no trials and no ranges.
std::optional<Dispatched> dispatch(const Artefact& artefact, const Workload& workload,
                                   const DeviceSpec& device);

/// The preset of the device that the artefact is of; nothing where there is none.
std::optional<DeviceSpec> device_of(const Artefact& artefact);

/// Products between each two tuned ones that differ in one size and are next to each other in it:
/// at uneven ratios below two, in multiples of eight where both of them are.
std::vector<Workload> products_between(const Artefact& artefact);

/// What there is to try at a product: the model's own best and its answer, the winners of the
/// nearest tuned products, and those that the model does not expect to be far behind.
TrialPlan plan_trial(const Artefact& artefact, const Workload& workload, const DeviceSpec& device);

/// Adds a trial, in the place of one of the same product, and divides anew.
void add_trials(Artefact& artefact, const std::vector<Trial>& trials);

/// The entry's keys behind `source`, and where it was dispatched `from`, `predicted_regret`, and
/// `measured_regret` with the range of sizes that it is of; `tried` where this product was timed;
/// `library_faster` with library_lead().
Document to_document(const Dispatched& answer);

}  // namespace tilewright
