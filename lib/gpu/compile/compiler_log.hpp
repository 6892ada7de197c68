// What the assembler's log says of a kernel.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Figures of one kernel; bytes and registers are per thread.
struct CompilerLog {
  int registers = 0;
  int spill_bytes = 0;  // stores plus loads
  std::string warning;  // the first C75xx line: a kernel that runs, but not as it was written
  bool operator==(const CompilerLog&) const = default;
};

/// Reads the log of an NVRTC compilation with --ptxas-options=-v.
CompilerLog parse_compiler_log(std::string_view log);

/// Why a kernel with such a log must not run; empty when it may.
std::string reason_to_reject(const CompilerLog& log);

}  // namespace tilewright
