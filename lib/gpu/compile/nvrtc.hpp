// The run-time compiler: one of our kernels to machine code, no GPU needed.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// A program for the compiler: one of the embedded kernel files, and the header that configures it.
struct KernelSource {
  std::string file;           // "sm90/gemm_sm90.cu"
  std::string config_header;  // text of "config.cuh"; empty when the file includes none
};

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

}  // namespace tilewright
