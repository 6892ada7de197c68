// What decides among the kernels that can answer.
#pragma once

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

/// The values of shipped_policy: the answer table; a race among our kernels and cuBLASLt; a race
/// among our kernels that write the same bits; our kernels that add in one order for every M.
enum class AnswerPolicy { Plain, Race, Bitwise, BatchInvariant };

inline constexpr std::string_view kAnswerPolicies[] = {"plain", "race", "race_bitwise",
                                                       "batch_invariant"};
inline constexpr int kAnswerPolicyCount = static_cast<int>(std::size(kAnswerPolicies));

/// Throws a usage error for a number of no policy.
inline AnswerPolicy answer_policy(int number) {
  if (number >= 0 && number < kAnswerPolicyCount) return static_cast<AnswerPolicy>(number);
  throw usage_error(
      format("policy is {}, and it must be one of 0 to {}", number, kAnswerPolicyCount - 1));
}

/// True for the policies under which untuned products race.
inline bool races(AnswerPolicy policy) {
  return policy == AnswerPolicy::Race || policy == AnswerPolicy::Bitwise;
}

}  // namespace tilewright
