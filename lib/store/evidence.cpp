#include "store/evidence.hpp"

#include <array>
#include <limits>

#include "store/best_table.hpp"
#include "store/foreign_entry.hpp"

namespace tilewright {
namespace {

double relative_width(const Timing& timing) {
  return timing.median_us > 0 ? (timing.ci_us.high - timing.ci_us.low) / timing.median_us
                              : std::numeric_limits<double>::infinity();
}

// The answer with the greater `value` wins; a rule applies if all earlier rules are equal.
template <class Entry>
struct EvidenceRule {
  double (*value)(const Entry&);
  std::string_view winner;
};

constexpr std::array kRules = {
    EvidenceRule<TuneEntry>{[](const TuneEntry& e) { return e.timing ? 1.0 : 0.0; },
                            "because it was timed"},
    EvidenceRule<TuneEntry>{
        [](const TuneEntry& e) { return e.verified && e.verified->ok ? 1.0 : 0.0; },
        "because it was verified"},
    EvidenceRule<TuneEntry>{[](const TuneEntry& e) { return e.required.empty() ? 1.0 : 0.0; },
                            "because its search excluded no config"},
    EvidenceRule<TuneEntry>{
        [](const TuneEntry& e) { return static_cast<double>(e.origin ? e.origin->rounds : 0); },
        "because it has more rounds"},
    EvidenceRule<TuneEntry>{
        [](const TuneEntry& e) { return -relative_width(e.timing.value_or(Timing{})); },
        "because its interval is narrower"},
    EvidenceRule<TuneEntry>{
        [](const TuneEntry& e) { return static_cast<double>(e.considered.measured); },
        "because its search measured more configs"},
    EvidenceRule<TuneEntry>{
        [](const TuneEntry& e) { return e.timing ? -e.timing->median_us : 0.0; },
        "because it is faster with equal evidence"},
};

// A foreign answer was always timed.
constexpr std::array kForeignRules = {
    EvidenceRule<ForeignEntry>{[](const ForeignEntry& e) { return e.verified.ok ? 1.0 : 0.0; },
                               "because it was verified"},
    EvidenceRule<ForeignEntry>{
        [](const ForeignEntry& e) { return static_cast<double>(e.considered.measured); },
        "because its search measured more configs"},
    EvidenceRule<ForeignEntry>{
        [](const ForeignEntry& e) { return static_cast<double>(e.origin.rounds); },
        "because it has more rounds"},
    EvidenceRule<ForeignEntry>{[](const ForeignEntry& e) { return -relative_width(e.timing); },
                               "because its interval is narrower"},
    EvidenceRule<ForeignEntry>{[](const ForeignEntry& e) { return -e.timing.median_us; },
                               "because it is faster with equal evidence"},
};

constexpr auto& rules_of(const TuneEntry&) {
  return kRules;
}
constexpr auto& rules_of(const ForeignEntry&) {
  return kForeignRules;
}

// The first rule by which the entries differ; null where all values are equal.
template <class Entry>
const EvidenceRule<Entry>* deciding_rule(const Entry& a, const Entry& b) {
  for (const EvidenceRule<Entry>& rule : rules_of(a)) {
    if (rule.value(a) != rule.value(b)) return &rule;
  }
  return nullptr;
}

template <class Entry>
bool is_better(const Entry& a, const Entry& b) {
  if (a == b) return false;
  const EvidenceRule<Entry>* const rule = deciding_rule(a, b);
  if (rule != nullptr) return rule->value(a) > rule->value(b);
  return to_document(a).dump() > to_document(b).dump();
}

}  // namespace

bool has_better_evidence(const TuneEntry& a, const TuneEntry& b) {
  return is_better(a, b);
}

bool has_better_evidence(const ForeignEntry& a, const ForeignEntry& b) {
  return is_better(a, b);
}

std::string_view why_better(const TuneEntry& kept, const TuneEntry& dropped) {
  const EvidenceRule<TuneEntry>* const rule = deciding_rule(kept, dropped);
  return rule != nullptr ? rule->winner : "because it is later in the alphabet with equal evidence";
}

}  // namespace tilewright
