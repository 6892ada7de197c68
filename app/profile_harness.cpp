// tilewright profile --harness: hardware counters of a foreign kernel.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "harness_files.hpp"
#include "job.hpp"
#include "profile_table.hpp"
#include "profile_verb.hpp"
#include "search/admission.hpp"
#include "search/foreign_traffic.hpp"

namespace tilewright {
namespace {

void require_verified(Runner& runner, const Contender& contender) {
  const BuildResult built = runner.build_foreign({&contender, 1}).front();
  if (!built.ok()) {
    throw Error(ExitCode::No, format("{}: {}", contender.name, built.reason));
  }
  const Verification verification = runner.verify(contender);
  if (!verification.ok) {
    throw Error(ExitCode::WrongResult,
                format("{}: wrong results: {}", contender.name, verification.detail));
  }
}

// The replay predicts DRAM reads of a mapping; nothing else of a foreign kernel is predicted.
ProfilePrediction predict_traffic(Runner& runner, const Contender& contender,
                                  const Workload& workload, Console& console) {
  const ForeignMapping mapping = runner.mapping_of(contender);
  ProfilePrediction predicted;
  if (!is_product(workload) || !mapping.why_not.empty()) {
    console.note(format("{}: nothing is predicted of it{}{}", contender.name,
                        mapping.why_not.empty() ? "" : ": ", mapping.why_not));
    return predicted;
  }
  predicted.dram_read_bytes =
      foreseen_read_bytes(mapping, problem_of(workload, 0), runner.device());
  return predicted;
}

}  // namespace

ExitCode profile_harness(const ProfileRequest& request, Console& console) {
  const Workload& workload = request.workload;
  require_file(*request.harness);
  const ResolvedDevice device = resolve_harness_device(request.device);
  if (!is_host(device)) require_memory(workload, device.spec);
  const std::unique_ptr<Runner> runner = open_harness_runner(device, {.regime = request.regime});
  const Contender contender = contender_of(chosen_config(*runner, *request.harness, workload));
  runner->prepare(workload);
  require_verified(*runner, contender);
  const ProfilePrediction predicted = predict_traffic(*runner, contender, workload, console);
  std::string why_no_counters;
  const Measured measured = measure(*runner, contender, why_no_counters);
  if (!measured.counters) {
    if (!is_host(device)) {
      throw environment_error(
          format("no hardware counters: {}; bench times without them", why_no_counters));
    }
    console.note(format("no counters: {}", why_no_counters));
  }
  const ProfileResult result{.workload = workload,
                             .requested = request.requested,
                             .effective = contender.name,
                             .rows = profile_rows(predicted, measured),
                             .predicted = false,
                             .regime = measured.regime};
  console.out << profile_text(result, device.spec, request.format, table_width(console));
  return ExitCode::Good;
}

}  // namespace tilewright
