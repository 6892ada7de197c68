// Compiles many kernels at once, through the cache and on all cores.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// One kernel's machine code and the result of its build.
struct BuiltKernel {
  CompiledKernel kernel;
  BuildResult result;
};

/// Compiles each distinct source once; results in the order of `sources`.
std::vector<BuiltKernel> build_kernels(std::span<const KernelSource> sources,
                                       const std::string& architecture, const CubinCache& cache);

/// The machine code of one of our own programs. Throws an internal error with the compiler's reason
/// if it does not compile.
std::string build_cubin(const KernelSource& source, const std::string& architecture,
                        const CubinCache& cache);

}  // namespace tilewright
