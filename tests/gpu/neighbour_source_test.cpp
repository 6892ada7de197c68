#include <doctest/doctest.h>

#include "gpu/compile/nvrtc.hpp"

namespace tilewright {
namespace {

TEST_CASE("the neighbour of --beside compiles, free of spills") {
  const CompiledKernel kernel =
      compile({.file = "tools/neighbour.cu", .config_header = ""}, "sm_90a");
  CAPTURE(kernel.log);
  CHECK(!kernel.cubin.empty());
  CHECK(reason_to_reject(parse_compiler_log(kernel.log)) == "");
}

}  // namespace
}  // namespace tilewright
