#include "harness/argument_block.hpp"

#include <cstdint>
#include <cstring>

#include "base/math.hpp"

namespace tilewright {

ArgumentBlock::ArgumentBlock(const CubinLaunch& launch, const TilewrightHarnessOperands& operands,
                             const Encode& encode) {
  for (const int bytes : launch.parameter_bytes) {
    parameters_.emplace_back(static_cast<size_t>(ceil_div(bytes, kLineBytes)));
    pointers_.push_back(parameters_.back().data());
  }
  for (const CubinArgument& argument : launch.arguments) {
    auto* const parameter =
        static_cast<std::byte*>(pointers_[static_cast<size_t>(argument.parameter)]);
    if (argument.type == ArgumentType::TensorMap) {
      const EncodedMap map = encode(argument, address_of(argument, operands));
      std::memcpy(parameter + argument.at, map.data(), map.size());
      continue;
    }
    const uint64_t bits = argument.type == ArgumentType::Pointer
                              ? reinterpret_cast<uintptr_t>(address_of(argument, operands))
                              : argument.bits;
    std::memcpy(parameter + argument.at, &bits, static_cast<size_t>(bytes_of(argument.type)));
  }
}

}  // namespace tilewright
