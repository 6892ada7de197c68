// The number of random trials in a run of the GPU tests: --trials=N on the command line, and
// --seconds=S, after which it stops early.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace tilewright::testing {

inline size_t given_trials = 0;  // set by main, like the next one; 0: not given
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

/// Counts trials up to the number that the options ask for, else up to `usual`; ends early where
/// the options limit the seconds.
class TrialCount {
 public:
  explicit TrialCount(size_t usual) : wanted_(given_trials > 0 ? given_trials : usual) {}

  bool more() const {
    return count < wanted_ && (given_seconds == 0 || std::chrono::steady_clock::now() < end_);
  }
  size_t count = 0;

 private:
  size_t wanted_;
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(given_seconds);
};

}  // namespace tilewright::testing
