// How many random trials a run of the GPU tests is asked for: --trials=N on its command line, and
// --seconds=S after which it stops short of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace tilewright::testing {

inline size_t given_trials = 0;  // by main, as the next one; 0: none
inline size_t given_seconds = 0;

inline void read_trial_options(int argc, char** argv) {
  const auto read = [](std::string_view argument, std::string_view option, size_t& value) {
    if (argument.substr(0, option.size()) != option) return;
    value = std::strtoul(argument.data() + option.size(), nullptr, 10);
  };
  for (int i = 1; i < argc; ++i) {
    read(argv[i], "--trials=", given_trials);
    read(argv[i], "--seconds=", given_seconds);
  }
}

/// Whether another trial begins: as many as were asked for, else what a share of a minute holds.
class TrialCount {
 public:
  bool more() const {
    const bool wanted = given_trials == 0 || count < given_trials;
    return wanted && std::chrono::steady_clock::now() < end_;
  }
  size_t count = 0;

 private:
  static constexpr size_t kShare = 20;
  static constexpr size_t kHour = 3600;
  static size_t seconds() {
    if (given_seconds > 0) return given_seconds;
    return given_trials > 0 ? kHour : kShare;
  }
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds());
};

}  // namespace tilewright::testing
