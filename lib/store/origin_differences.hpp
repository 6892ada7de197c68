// Lists the differences between the origins of answers. Times measured with two drivers or two
// library versions are not quite comparable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/origin.hpp"

namespace tilewright {

/// Text for a version that the file does not record.
inline const std::string kUnknownVersion = "unknown";

/// One part of an origin, such as "driver", that differs.
struct OriginDifference {
  std::string_view part;
  std::string before;
  std::string now;
};

/// The parts that differ, among driver, library, compiler, runtime, timer, regime and version of
/// tilewright.
std::vector<OriginDifference> origin_differences(const Origin& before, const Origin& now);

/// One line for each part that differs between several answers, with the number of answers for each
/// value: "the answers' driver differs: 570.1 (2 answers), 580.2 (1 answer)".
std::vector<std::string> origin_differences(const std::vector<Origin>& origins);

}  // namespace tilewright
