#include "gate_harness.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"
#include "harness_files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string other_build_of(const std::string& harness_file, const std::string& against) {
  if (!fs::is_directory(against)) return against;
  const fs::path file = harness_file;
  return (fs::path(against) / (file.is_absolute() ? file.filename() : file)).string();
}

void complete_harness_case(GateCase& gate_case, const SuiteCase& suite_case,
                           const std::string& against, Runner& runner) {
  HarnessRequest request = parse_harness_request(suite_case.harness);
  try {
    gate_case.foreign = chosen_config(runner, request, suite_case.problem);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    gate_case.why_illegal = error.what();
    return;
  }
  if (against.empty()) {
    gate_case.why_no_other = "--against-build gives none";
    return;
  }
  // Both builds run with the same axis values; the other build might choose different ones.
  request.values = gate_case.foreign->values;
  request.file = other_build_of(request.file, against);
  try {
    gate_case.other = chosen_config(runner, request, suite_case.problem);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    gate_case.why_no_other = error.what();
  }
}

}  // namespace tilewright
