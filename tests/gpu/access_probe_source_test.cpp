// Each probe compiles, and with its own instruction; no GPU needed.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "gpu/measure/access_probe.hpp"
#include "support/access_patterns.hpp"

namespace tilewright {
namespace {

TEST_CASE("the probe of every operation compiles, and no two are the same program") {
  std::set<std::string> programs{compile(empty_probe_source(), "sm_90a").cubin};
  const std::vector<AccessOp> ops = testing::all_access_ops();
  for (const AccessOp& op : ops) {
    const CompiledKernel kernel = compile(access_probe_source(op), "sm_90a");
    CHECK_MESSAGE(!kernel.cubin.empty(), to_string(op), ": ", kernel.log);
    programs.insert(kernel.cubin);
  }
  CHECK(programs.size() == ops.size() + 1);
}

}  // namespace
}  // namespace tilewright
