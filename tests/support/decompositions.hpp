// Combines decompositions with every reduction of the table, so that tests cover a new reduction at
// once.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/decomposition.hpp"

namespace tilewright::testing {

/// Each of "split-k:2", "stream-k:all", ... with each reduction that it may have.
inline std::vector<std::string> decompositions_with_every_reduction(
    const std::vector<std::string>& decompositions) {
  std::vector<std::string> all;
  for (const std::string& decomposition : decompositions) {
    for (const tw::ReductionRecord& record : tw::kReductions) {
      const std::string text = format("{}:{}", decomposition, record.name);
      try {
        parse_decomposition(text);
        all.push_back(text);
      } catch (const Error&) {
        // The decomposition does not support this reduction.
      }
    }
  }
  return all;
}

}  // namespace tilewright::testing
