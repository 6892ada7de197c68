#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "gpu/compile/nvrtc.hpp"
#include "tile/config/definition_text.hpp"
#include "tile/workload/problem.hpp"

namespace tilewright {
namespace {

TEST_CASE("the kernels that verify compile for every operand and output type, free of spills") {
  for (const auto& [operands, output] : {std::pair{DataType::BF16, DataType::BF16},
                                         {DataType::F16, DataType::F16},
                                         {DataType::BF16, DataType::F32},
                                         {DataType::F16, DataType::F32},
                                         {DataType::E4M3, DataType::BF16}}) {
    const auto define = [](const char* name, DataType type) {
      return definition_text("sm90/params.cuh", "tw::ElementType", name, type);
    };
    const std::string header = define("kElement", operands) + define("kOutput", output);
    const CompiledKernel kernel =
        compile({.file = "tools/verify.cu", .config_header = header}, "sm_90a");
    CAPTURE(kernel.log);
    CHECK(!kernel.cubin.empty());
    CHECK(reason_to_reject(parse_compiler_log(kernel.log)) == "");
  }
}

}  // namespace
}  // namespace tilewright
