// Reports that the reference library was faster than a tuned choice.
#pragma once

#include <optional>
#include <string>

#include "search/result.hpp"
#include "store/document.hpp"

namespace tilewright {

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

}  // namespace tilewright
