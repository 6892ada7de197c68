// How many random trials a run of the GPU tests is asked for: --trials=N on its command line.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace tilewright::testing {

inline size_t given_trials = 0;  // by main

inline void read_trial_count(int argc, char** argv) {
  constexpr std::string_view kOption = "--trials=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, kOption.size()) != kOption) continue;
    given_trials = std::strtoul(argv[i] + kOption.size(), nullptr, 10);
  }
}

inline bool trials_are_given() {
  return given_trials > 0;
}

/// As many as were asked for; else no end of them.
inline size_t trial_count() {
  return trials_are_given() ? given_trials : std::numeric_limits<size_t>::max();
}

}  // namespace tilewright::testing
