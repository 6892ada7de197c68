// Element types as CUTLASS, CuTe DSL, Triton, PyTorch, JAX and MLIR spell them.
#pragma once

#include <string_view>
#include <vector>

namespace tilewright {

/// The short name that stands in our tables: "f16" for "float16", "half", "cutlass::half_t",
/// "torch.float16" or "F16"; another word as it is.
std::string_view short_type_name(std::string_view text);

/// Every long spelling, for a suggestion.
std::vector<std::string_view> long_type_names();

}  // namespace tilewright
