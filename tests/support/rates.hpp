// Changes the rates of a device.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <variant>
#include <vector>

#include "store/rate_keys.hpp"

namespace tilewright::testing {

/// Multiplies the rate by `factor` within its range; integers change by at least 1, and runs of
/// CTAs move to other groups.
inline void change(const RateKey& key, double factor) {
  std::visit(
      [&](auto* value) {
        using Value = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::vector<GpcRun>>) {
          for (GpcRun& run : *value) {
            run.gpc = (run.gpc + (factor > 1 ? 1 : 3)) % kGpcCount;
          }
        } else if constexpr (std::is_same_v<Value, std::array<double, kGpcCount>>) {
          for (double& one : *value) one *= factor;
        } else if constexpr (std::is_same_v<Value, int>) {
          const int before = *value;
          *value = static_cast<int>(std::lround(before * factor));
          if (*value == before) *value += factor > 1 ? 1 : -1;
          if (key.range == RateRange::OneOrTwo) *value = 3 - before;
        } else {
          *value *= factor;
          if (key.range == RateRange::UpToOne) *value = std::min(*value, 1.0);
        }
      },
      key.value);
}

}  // namespace tilewright::testing
