#include "search/pinning.hpp"

#include <algorithm>

#include "search/admission.hpp"
#include "search/confirmation.hpp"

namespace tilewright {

std::optional<LibraryPin> pin_of(const LibraryAlgorithms& library,
                                 std::span<const RaceEntry> entries, const RaceEntry& fastest,
                                 const RaceEntry& ours) {
  const auto number = static_cast<size_t>(fastest.contender.reference_algorithm);
  const auto first = std::find_if(entries.begin(), entries.end(), [](const RaceEntry& entry) {
    return entry.contender.reference_algorithm == 0;
  });
  if (number >= library.list.size() || first == entries.end()) return std::nullopt;
  return LibraryPin{.version = library.version,
                    .name = fastest.contender.name,
                    .algorithm = library.list[number],
                    .median_us = median(fastest.samples_us),
                    .ratio = paired_ratio(fastest.samples_us, ours.samples_us),
                    .first_us = median(first->samples_us),
                    .first_ratio = paired_ratio(first->samples_us, ours.samples_us)};
}

std::optional<LibraryPin> measure_pin(const Workload& product, const TileConfig& config,
                                      Runner& runner, const PinPolicy& policy,
                                      ProgressListener& progress) {
  progress.begin("prepare", 1);
  runner.prepare(product);
  const std::vector<Contender> references = runner.reference_contenders();
  const LibraryAlgorithms library = runner.library_algorithms();
  if (references.empty() || library.list.empty()) return std::nullopt;
  Admission admission(product, runner, progress);
  const std::vector<Contender> ours = admission.admit({config}, 0);
  if (ours.empty()) throw admission.nothing_runs();
  progress.begin("confirm", policy.rounds);
  const ConfirmationPolicy rounds{
      .rounds = policy.rounds, .seed = policy.seed, .between_races = policy.between_races};
  const Confirmation timed =
      confirm(product, runner, ours, references, rounds,
              [&progress, total = int64_t{0}](int64_t done, int64_t expected) mutable {
                if (expected != total) progress.begin("confirm", total = expected);
                progress.advance(done, 0);
              });
  policy.between_races();
  for (const RaceEntry& entry : timed.lost) admission.withdraw(entry);
  if (timed.choice == nullptr) throw admission.nothing_runs();
  if (timed.reference == nullptr) return std::nullopt;
  return pin_of(library, timed.entries, *timed.reference, *timed.choice);
}

}  // namespace tilewright
