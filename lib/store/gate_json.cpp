#include "store/gate_json.hpp"

#include <cmath>
#include <cstdint>

#include "gate/gate_numbers.hpp"
#include "record/record_fields.hpp"
#include "store/best_table.hpp"

namespace tilewright {
namespace {

Document value_of(const GateNumber& number, double value) {
  constexpr double kMaxWhole = 9007199254740992;  // 2^53; above it not every integer is a double
  if (number.is_bool) return value != 0;
  if (std::abs(value) < kMaxWhole && std::trunc(value) == value) {
    return static_cast<int64_t>(value);
  }
  return value;
}

Document to_document(const CaseVerdict& verdict) {
  Document numbers = Document::object();
  for (const GateNumber& number : verdict.numbers) {
    Document& columns = numbers[number.key] = Document::object();
    if (number.recorded) columns["recorded"] = value_of(number, *number.recorded);
    if (number.baseline_today) columns["baseline_today"] = value_of(number, *number.baseline_today);
    columns["now"] = value_of(number, number.now);
  }
  Document document = {
      {"name", verdict.name}, {"verdict", to_string(verdict.verdict)}, {"numbers", numbers}};
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
                  {"exit_code", static_cast<int>(gate_exit_code(run))},
                  {"counts", counts},
                  {"notes", run.notes},
                  {"cases", cases}});
}

}  // namespace tilewright
