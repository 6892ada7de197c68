// Reads a harness's JSON description of itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/harness_space.hpp"
#include "search/runner.hpp"

namespace tilewright {

class Node;

/// Reads the description of the library `file`. Throws a usage error with the file and the key that
/// does not follow presets/harness/tilewright_harness.h, and if there is no description.
HarnessDescription read_harness(const HarnessText& said, const std::string& file);

/// Reads the keys that libraries and manifests of cubins share: all but `memory` and `groups`.
/// Throws a usage error with the line and the key.
HarnessDescription read_harness_keys(const Node& node);
/// `others` and these keys.
std::vector<std::string_view> with_harness_keys(std::vector<std::string_view> others);

/// The keys of a description with their meanings, for `help harness`.
struct HarnessKey {
  std::string_view key;
  std::string_view meaning;
  std::string_view example;  // its value
};
std::span<const HarnessKey> harness_keys();

}  // namespace tilewright
