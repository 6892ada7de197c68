// What a harness says of itself in JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "search/harness_space.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// Reads what the library `file` said. Throws a usage error that names the file and the key that is
/// not as presets/harness/tilewright_harness.h has it, and where it said nothing.
HarnessDescription read_harness(const HarnessText& said, const std::string& file);

/// The keys of a description, each with what it says, for `help harness`.
struct HarnessKey {
  std::string_view key;
  std::string_view meaning;
  std::string_view example;  // its value
};
std::span<const HarnessKey> harness_keys();

}  // namespace tilewright
