// What decides among the kernels of products that were not tuned.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

/// The values of shipped_policy: the answer table; a race among our kernels and cuBLASLt; a race
/// among our kernels that write the same bits.
enum class RacePolicy { Plain, Race, Bitwise };

inline constexpr std::string_view kRacePolicies[] = {"plain", "race", "race_bitwise"};
inline constexpr int kRacePolicyCount = static_cast<int>(std::size(kRacePolicies));

/// Throws a usage error for a number of no policy.
inline RacePolicy race_policy(int number) {
  if (number >= 0 && number < kRacePolicyCount) return static_cast<RacePolicy>(number);
  throw usage_error(
      format("policy is {}, and it must be one of 0 to {}", number, kRacePolicyCount - 1));
}

}  // namespace tilewright
