#include "store/gate_json.hpp"

#include <cmath>

#include "store/best_document.hpp"

namespace tilewright {
namespace {

Document value_of(const GateNumber& number, double value) {
  constexpr double kMostWhole = 9007199254740992;  // beyond it doubles skip whole numbers
  if (number.is_truth) return value != 0;
  if (std::abs(value) < kMostWhole && std::trunc(value) == value) {
    return static_cast<int64_t>(value);
  }
  return value;
}

Document to_document(const CaseVerdict& verdict) {
  Document numbers = Document::object();
  Document baseline = Document::object();
  for (const GateNumber& number : verdict.numbers) {
    numbers[number.key] = value_of(number, number.now);
    if (number.before) baseline[number.key] = value_of(number, *number.before);
  }
  Document document = {{"name", verdict.name},
                       {"verdict", to_string(verdict.verdict)},
                       {"numbers", numbers},
                       {"baseline", baseline}};
  if (!verdict.reference.empty()) document["reference"] = verdict.reference;
  document["findings"] = verdict.findings;
  return document;
}

}  // namespace

std::string gate_json(const std::string& suite, const Baseline& now, const GateRun& run) {
  Document counts = Document::object();
  Document cases = Document::array();
  for (const CaseVerdict& verdict : run.verdicts) {
    cases.push_back(to_document(verdict));
    Document& count = counts[to_string(verdict.verdict)];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return to_json({{"suite", suite},
                  {"mode", to_string(run.mode)},
                  {"device", to_document(now.device)},
                  {"exit_code", static_cast<int>(gate_exit_code(run.verdicts))},
                  {"counts", counts},
                  {"notes", run.notes},
                  {"cases", cases}});
}

}  // namespace tilewright
