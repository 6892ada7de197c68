#include "store/gate_json.hpp"

#include "store/best_document.hpp"

namespace tilewright {

std::string gate_json(const std::string& suite, const Baseline& now,
                      std::span<const CaseVerdict> verdicts, ExitCode code) {
  Document cases = Document::array();
  for (const CaseVerdict& verdict : verdicts) {
    cases.push_back({{"name", verdict.name},
                     {"verdict", to_string(verdict.verdict)},
                     {"numbers", verdict.numbers},
                     {"findings", verdict.findings}});
  }
  return to_json({{"suite", suite},
                  {"mode", to_string(now.mode)},
                  {"device", to_document(now.device)},
                  {"exit_code", static_cast<int>(code)},
                  {"cases", cases}});
}

}  // namespace tilewright
