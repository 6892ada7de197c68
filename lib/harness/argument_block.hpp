// The bytes of a kernel's parameters, as a launch passes them.
#pragma once

#include <tilewright_harness.h>

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "harness/cubin_plan.hpp"

namespace tilewright {

class ArgumentBlock {
 public:
  /// The bytes of a tensor map.
  using EncodedMap = std::array<std::byte, 128>;
  using Encode = std::function<EncodedMap(const CubinArgument& argument, const void* address)>;

  /// Writes each argument to its place; bytes of a struct between its fields are 0.
  ArgumentBlock(const CubinLaunch& launch, const TilewrightHarnessOperands& operands,
                const Encode& encode);

  /// A pointer to each parameter, valid as long as the block is.
  void** pointers() { return pointers_.data(); }

 private:
  static constexpr int kLineBytes = 64;  // the alignment of tensor maps
  struct alignas(kLineBytes) Line {
    std::byte bytes[kLineBytes] = {};
  };

  std::vector<std::vector<Line>> parameters_;
  std::vector<void*> pointers_;
};

}  // namespace tilewright
