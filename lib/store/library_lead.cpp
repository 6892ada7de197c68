#include "store/library_lead.hpp"

#include "base/text.hpp"

namespace tilewright {

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

}  // namespace tilewright
