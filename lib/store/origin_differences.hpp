// What answers were measured with, where it differs: times of two drivers or libraries do not quite
// compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/origin.hpp"

namespace tilewright {

/// Stands for a version that no file records.
inline const std::string kUnknownVersion = "unknown";

/// One part of an origin, such as "driver", in which two differ.
struct OriginDifference {
  std::string_view part;
  std::string before;
  std::string now;
};

/// Driver, library, compiler, runtime, timer, regime and version of tilewright, as far as they
/// differ.
std::vector<OriginDifference> origin_differences(const Origin& before, const Origin& now);

/// One line for each part that the origins of several answers differ in, with how many answers have
/// which: "the answers' driver differs: 570.1 (2 answers), 580.2 (1 answer)".
std::vector<std::string> origin_differences(const std::vector<Origin>& origins);

}  // namespace tilewright
