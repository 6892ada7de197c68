// Where the reference library had the better kernel than a tuned choice.
#pragma once

#include <optional>
#include <string>

#include "search/result.hpp"
#include "store/document.hpp"

namespace tilewright {

/// The algorithm of the reference library that won over a tuned choice, and by how much.
struct LibraryLead {
  Workload at;        // both were timed at this problem
  std::string name;   // of the algorithm
  PairedRatio ratio;  // its time over the choice's, in the same rounds
  Objective objective = Objective::Time;
  double joules_ratio = 1;  // its joules over the choice's, where the objective counts them
};

/// Nothing where winner_of() the entry is ours.
std::optional<LibraryLead> library_lead(const TuneEntry& entry);

inline constexpr const char* kThisConfigs = "this config's";

/// "the library was faster at 512x512x512 bf16 tn: NAME takes 0.985 of the tuned config's time (95
/// % interval 0.983 to 0.988)"; where `asked` is that problem without the place, and of the time of
/// `here`.
std::string lead_text(const LibraryLead& lead, const Workload& asked,
                      const char* here = kThisConfigs);

/// Keys `at`, `name`, `ratio` and `ratio_ci`; `objective` and `joules_ratio` where joules count.
Document to_document(const LibraryLead& lead);

}  // namespace tilewright
