// The number and the seed of the random cases of a test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tilewright::testing {

struct RandomCases {
  uint64_t seed = 20261123;
  int count = 0;
  std::string only;  // if not empty, only cases with this in their text run
};

/// `count` cases of the fixed seed, or the values of the environment variable `variable`: "SEED
/// COUNT [ONLY]".
inline RandomCases random_cases(const char* variable, int count) {
  RandomCases cases;
  cases.count = count;
  const char* const asked = std::getenv(variable);
  if (asked == nullptr) return cases;
  const std::vector<std::string_view> words = split(asked, ' ');
  cases.seed = static_cast<uint64_t>(parse_count(words.at(0)).value());
  cases.count = static_cast<int>(parse_count(words.at(1)).value());
  if (words.size() > 2) cases.only = words[2];
  return cases;
}

}  // namespace tilewright::testing
