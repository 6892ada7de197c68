#include "render/progress_bar.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace tilewright {

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

ProgressBar::ProgressBar(Console& console, std::function<double()> seconds, double quiet_seconds)
    : console_(console), seconds_(std::move(seconds)), quiet_seconds_(quiet_seconds) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::subject(const std::string& text) {
  subject_ = one_line(text);
  best_us_ = 0;
}

void ProgressBar::begin(const std::string& phase, int64_t total) {
  phase_ = phase;
  total_ = std::max<int64_t>(total, 1);
  done_ = 0;
  begun_ = seconds_();
  drawn_ = -1;
  is_announced_ = false;
  if (quiet_seconds_ == 0) announce();
}

void ProgressBar::announce() {
  is_announced_ = true;
  if (console_.terminal_err) return draw();
  const std::string best = best_us_ > 0 ? format(", best so far {:.2f} us", best_us_) : "";
  const std::string done = done_ > 0 ? format("{} of ", done_) : "";
  console_.note(format("{}: {} ({}{}){}", subject_, phase_, done, total_, best));
}

void ProgressBar::advance(int64_t done, double best_us) {
  done_ = std::clamp<int64_t>(done, 0, total_);
  best_us_ = best_us;
  if (!is_announced_) {
    if (seconds_() - begun_ >= quiet_seconds_) announce();
  } else if (console_.terminal_err) {
    draw();
  }
}

void ProgressBar::note(const std::string& line) {
  clear();
  console_.note(line);
}

void ProgressBar::clear() {
  if (!visible_) return;
  console_.err << "\r\033[K" << std::flush;
  visible_ = false;
  drawn_ = -1;
}

void ProgressBar::draw() {
  constexpr double kSecondsBetween = 0.05;
  const double now = seconds_();
  if (drawn_ >= 0 && now - drawn_ < kSecondsBetween && done_ < total_) return;
  drawn_ = now;
  visible_ = true;
  console_.err << format("\r{}\033[K", line()) << std::flush;
}

std::string ProgressBar::time_left() const {
  if (done_ == 0) return "";
  const double spent = seconds_() - begun_;
  const int64_t left =
      std::llround(spent * static_cast<double>(total_ - done_) / static_cast<double>(done_));
  return format("{}:{:02} left", left / 60, left % 60);
}

// The parts that fit, the least important left out first; the bar takes the remaining columns.
std::string ProgressBar::line() const {
  constexpr size_t kLongestBar = 24;
  constexpr size_t kShortestBar = 6;
  const std::string count = format("{} {}/{}", phase_, done_, total_);
  const std::string best = best_us_ > 0 ? format("best {:.1f} us", best_us_) : "";
  std::vector<std::string> parts = {count, best, time_left(), subject_};
  const auto width_of = [&parts] {
    size_t width = 0;
    for (const std::string& part : parts) width += part.empty() ? 0 : part.size() + 2;
    return width;
  };
  // The last column stays free: some terminals wrap when it is written.
  const auto room = static_cast<size_t>(std::max(console_.width - 1, 1));
  while (parts.size() > 1 && width_of() + kShortestBar + 2 > room) parts.pop_back();
  std::string text;
  if (width_of() + kShortestBar + 2 <= room) {
    const size_t length = std::min(kLongestBar, room - width_of() - 2);
    const size_t full = length * static_cast<size_t>(done_) / static_cast<size_t>(total_);
    text = '[' + std::string(full, '#') + std::string(length - full, '.') + ']';
  }
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "  ") + part;
  }
  return text.substr(0, room);
}

}  // namespace tilewright
