// The assembler's log: figures and refusals from texts as NVRTC 13.0 prints them.
#include <doctest/doctest.h>

#include "gpu/compile/nvrtc.hpp"

namespace tilewright {
namespace {

constexpr const char* kClean =
    "ptxas info    : 56 bytes gmem\n"
    "ptxas info    : Compiling entry function 'gemm_sm90' for 'sm_90a'\n"
    "ptxas info    : Function properties for gemm_sm90\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 168 registers, used 16 barriers\n";

TEST_CASE("a clean log gives its figures and no reason to reject") {
  const CompilerLog log = parse_compiler_log(kClean);
  CHECK(log == CompilerLog{.registers = 168, .spill_bytes = 0, .warning = ""});
  CHECK(reason_to_reject(log).empty());
}

TEST_CASE("spills reject a kernel, stores and loads together") {
  const CompilerLog log = parse_compiler_log(
      "ptxas         .     24 bytes stack frame, 24 bytes spill stores, 44 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 16 barriers, 24 bytes cumulative stack size\n");
  CHECK(log.spill_bytes == 68);
  CHECK(reason_to_reject(log) == "spills 68 bytes a thread");
}

TEST_CASE("a serialised wgmma or an ignored setmaxnreg rejects a kernel that compiled") {
  for (const char* const line :
       {"ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are "
        "serialized due to ...",
        "ptxas info    : (C7508) 'setmaxnreg' ignored; unable to determine register count at "
        "entry"}) {
    const CompilerLog log = parse_compiler_log(std::string(kClean) + line + "\n");
    CHECK(log.warning == line);
    CHECK(reason_to_reject(log) == line);
  }
}

TEST_CASE("other parentheses are no warnings") {
  CHECK(parse_compiler_log("ptxas info    : (C) nothing\nnote (C7) x\n").warning.empty());
}

}  // namespace
}  // namespace tilewright
