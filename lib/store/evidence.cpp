#include "store/evidence.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "store/best_table.hpp"

namespace tilewright {
namespace {

double relative_width(const TuneEntry& entry) {
  const Timing timing = entry.timing.value_or(Timing{});
  return timing.median_us > 0 ? (timing.ci_us.high - timing.ci_us.low) / timing.median_us
                              : std::numeric_limits<double>::infinity();
}

// The answer with the greater `value` wins; a rule applies if all earlier rules are equal.
struct EvidenceRule {
  double (*value)(const TuneEntry&);
  std::string_view winner;
};

constexpr std::array kRules = {
    EvidenceRule{[](const TuneEntry& e) { return e.timing ? 1.0 : 0.0; }, "because it was timed"},
    EvidenceRule{[](const TuneEntry& e) { return e.verified && e.verified->ok ? 1.0 : 0.0; },
                 "because it was verified"},
    EvidenceRule{[](const TuneEntry& e) { return e.required.empty() ? 1.0 : 0.0; },
                 "because its search excluded no config"},
    EvidenceRule{
        [](const TuneEntry& e) { return static_cast<double>(e.origin ? e.origin->rounds : 0); },
        "because it has more rounds"},
    EvidenceRule{[](const TuneEntry& e) { return -relative_width(e); },
                 "because its interval is narrower"},
    EvidenceRule{[](const TuneEntry& e) { return static_cast<double>(e.considered.measured); },
                 "because its search measured more configs"},
    EvidenceRule{[](const TuneEntry& e) { return e.timing ? -e.timing->median_us : 0.0; },
                 "because it is faster with equal evidence"},
};

// The first rule by which the entries differ; null where all values are equal.
const EvidenceRule* deciding_rule(const TuneEntry& a, const TuneEntry& b) {
  const auto* const rule = std::find_if(kRules.begin(), kRules.end(), [&](const EvidenceRule& r) {
    return r.value(a) != r.value(b);
  });
  return rule == kRules.end() ? nullptr : rule;
}

}  // namespace

bool has_better_evidence(const TuneEntry& a, const TuneEntry& b) {
  if (a == b) return false;
  const EvidenceRule* const rule = deciding_rule(a, b);
  if (rule != nullptr) return rule->value(a) > rule->value(b);
  return to_document(a).dump() > to_document(b).dump();
}

std::string_view why_better(const TuneEntry& kept, const TuneEntry& dropped) {
  const EvidenceRule* const rule = deciding_rule(kept, dropped);
  return rule != nullptr ? rule->winner : "because it is later in the alphabet with equal evidence";
}

}  // namespace tilewright
