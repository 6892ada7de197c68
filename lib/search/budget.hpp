// How much a search of one problem may measure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

/// The limits of the measurements for one problem; no value means no limit.
struct Budget {
  std::optional<int64_t> configs;
  std::optional<int64_t> seconds;
  bool is_set() const { return configs || seconds; }
  /// Whether a search that began then, and has measured so many configs, has to end.
  bool is_spent(std::chrono::steady_clock::time_point begin, int64_t measured,
                std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()) const;
};

/// "60s", or a number of configs. Throws a usage error for anything else, and for 0.
Budget parse_budget(std::string_view text);

}  // namespace tilewright
