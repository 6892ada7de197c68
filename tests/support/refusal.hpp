// The reasons why configs of 4 stages are refused.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "support/devices.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright::testing {

/// The rule that refuses the config, with its reason; empty if no rule does.
inline std::string refusal(const Workload& workload, const std::string& keys) {
  const TileConfig config = config_of(parse_config("stages=4," + keys));
  const auto rejection = reject_workload(workload, config, h200());
  return rejection ? rejection->rule + ": " + rejection->reason : "";
}

/// Checks that the refusal has these words, and returns the result.
inline bool refuses(const Workload& workload, const std::string& keys, const std::string& words) {
  const std::string text = refusal(workload, keys);
  CAPTURE(text);
  const bool found = text.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace tilewright::testing
