// The run-time compiler: compiles one of our kernels to machine code, without a GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tile/config/kernel_source.hpp"

namespace tilewright {

/// Machine code and what the compiler printed. An empty `cubin` is a failed compilation.
struct CompiledKernel {
  std::string cubin;
  std::string log;
};

/// "13.0".
std::string compiler_version();

/// The options of every compilation for an architecture such as "sm_90a".
std::vector<std::string> compiler_options(const std::string& architecture);

/// What the result depends on: compiler version, source, its constants, options, and a digest of
/// all headers.
std::string compilation_identity(const KernelSource& source, const std::string& architecture);

/// Compiles; safe to call from several threads. Throws only when the compiler itself cannot be
/// used.
CompiledKernel compile(const KernelSource& source, const std::string& architecture);

/// What the assembler's log reports of one kernel; bytes and registers are per thread.
struct CompilerLog {
  int registers = 0;
  int spill_bytes = 0;  // stores plus loads
  std::string warning;  // the first C75xx line: a kernel that runs, but not as it was written
  bool operator==(const CompilerLog&) const = default;
};

/// Reads the log of an NVRTC compilation with --ptxas-options=-v.
CompilerLog parse_compiler_log(std::string_view log);

/// Why a kernel with this log must not run; empty if it may.
std::string reason_to_reject(const CompilerLog& log);

}  // namespace tilewright
