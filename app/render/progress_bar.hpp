// A search's progress on standard error: one redrawn line on a terminal, a line a phase elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/console.hpp"
#include "search/result.hpp"

namespace tilewright {

/// Seconds of a steady clock.
double steady_seconds();

/// Verbs that often end at once print no progress before this time.
inline constexpr double kPatienceSeconds = 2;

class ProgressBar : public ProgressListener {
 public:
  /// Prints nothing about a phase before it has taken `quiet_seconds`.
  explicit ProgressBar(Console& console, std::function<double()> seconds = steady_seconds,
                       double quiet_seconds = 0);
  ~ProgressBar() override;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// What the next phases work on, for example "4096x4096x4096 (2 of 5)".
  void subject(const std::string& text);
  void begin(const std::string& phase, int64_t total) override;
  void advance(int64_t done, double best_us) override;
  void note(const std::string& line) override;
  /// Removes the bar from the terminal, so that other output can follow.
  void clear();

 private:
  void announce();
  void draw();
  std::string line() const;
  std::string time_left() const;

  Console& console_;
  std::function<double()> seconds_;
  double quiet_seconds_;
  std::string subject_;
  std::string phase_;
  int64_t done_ = 0;
  int64_t total_ = 0;
  double best_us_ = 0;
  double begun_ = 0;
  double drawn_ = -1;
  bool is_announced_ = false;
  bool visible_ = false;
};

}  // namespace tilewright
