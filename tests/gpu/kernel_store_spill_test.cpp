// A kernel that really spills: the compiler's log shows it, and the gate fails. No GPU needed.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "gate/gate_static.hpp"
#include "gpu/compile/nvrtc.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "support/devices.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

GateCase case_of(const std::string& config) {
  return {"cube", workload_of({{4096, 4096, 4096}}), parse_config(config).values, ""};
}

TEST_CASE("a kernel that begins to spill fails the static gate with its spilled bytes") {
  const testing::TemporaryFolder folder;
  const CubinCache cache(folder.path());
  const std::unique_ptr<KernelCompiler> kernels = make_parallel_compiler(cache);
  const StaticCompiler compiler{kernels.get(), compiler_version(), ""};
  const auto gate = [&](const GateCase& gate_case, const Baseline* baseline) {
    ProgressListener silent;
    return run_static_gate({&gate_case, 1}, testing::h200(), compiler, baseline, 0.01, silent);
  };
  const GateCase sound = case_of("family=sm80,cta=128x128x32,warps=2x2,stages=3,raster=row");
  REQUIRE_FALSE(reject_workload(sound.problem, sound.config, testing::h200()).has_value());
  const GateRun first = gate(sound, nullptr);
  REQUIRE(first.numbers.size() == 1);
  REQUIRE(first.numbers[0].exact->compiled.has_value());
  CHECK(first.numbers[0].exact->compiled->spill_bytes == 0);
  CHECK(first.numbers[0].exact->compiled->registers > 64);
  Baseline baseline;
  baseline.compiler = compiler.version;
  baseline.cases = first.numbers;
  CHECK(gate_exit_code(gate(sound, &baseline)) == ExitCode::Good);

  // Four times the accumulators exceed the registers of a thread. Legality rejects this config, but
  // the gate does not consult it here.
  const GateCase spilling = case_of("family=sm80,cta=256x256x32,warps=2x2,stages=3,raster=row");
  CHECK(reject_workload(spilling.problem, spilling.config, testing::h200()).has_value());
  const GateRun run = gate(spilling, &baseline);
  REQUIRE(run.verdicts.size() == 1);
  CHECK(run.verdicts[0].name == "cube");
  CHECK(run.verdicts[0].verdict == Verdict::Regression);
  const std::string& finding = run.verdicts[0].findings.at(0);
  CAPTURE(finding);
  CHECK(finding.starts_with("the compiler's kernel is refused: spills "));
  CHECK(finding.ends_with(" bytes a thread"));
  CHECK(run.numbers.empty());
}

}  // namespace
}  // namespace tilewright
