// Compiles programs for tests that load shipped libraries.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gpu/compile/parallel_compiler.hpp"
#include "support/devices.hpp"

namespace tilewright::testing {

/// The cubin of each source, in order.
inline std::vector<std::string> compiled(const std::vector<KernelSource>& sources) {
  std::vector<std::string> cubins;
  for (const BuiltKernel& built :
       build_kernels(sources, architecture(h200()), CubinCache(open_cache_folder()))) {
    REQUIRE_MESSAGE(built.result.ok(), built.result.reason);
    cubins.push_back(built.kernel.cubin);
  }
  return cubins;
}

}  // namespace tilewright::testing
