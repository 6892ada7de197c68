#include "base/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// The text of a sweep, and the option that it belongs to.
struct SweepText {
  std::string_view option;
  std::string_view text;
  size_t most;  // allowed number of values
};

[[noreturn]] void refuse(const SweepText& sweep, const std::string& why) {
  throw usage_error(
      format("{} '{}': {}; it is NAME=VALUES, such as factor=1..64, k=64..4096:64 (steps of 64), "
             "k=64..65536*2 (each twice the one before) or stages=2,3,4",
             sweep.option, sweep.text, why));
}

int64_t parse_number(const SweepText& text, std::string_view number) {
  const std::optional<int64_t> value = parse_count(trim(number));
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (!value || *value > kMax) {
    refuse(text, format("'{}' is not a whole number from 0 to {}", number, kMax));
  }
  return *value;
}

// "A", "A..B", "A..B:STEP", "A..B*FACTOR".
void add_part(const SweepText& text, std::string_view part, std::vector<int64_t>& values) {
  const size_t dots = part.find("..");
  const int64_t first = parse_number(text, part.substr(0, dots));
  int64_t last = first;
  int64_t step = 1;
  int64_t factor = 1;
  if (dots != std::string_view::npos) {
    const std::string_view rest = part.substr(dots + 2);
    const size_t sign = rest.find_first_of(":*");
    last = parse_number(text, rest.substr(0, sign));
    if (sign != std::string_view::npos) {
      const int64_t number = parse_number(text, rest.substr(sign + 1));
      (rest[sign] == ':' ? step : factor) = number;
      if (rest[sign] == '*') step = 0;
    }
  }
  if (last < first) refuse(text, format("{} is above {}", first, last));
  if (step == 0 && (factor < 2 || first == 0)) {
    refuse(text,
           "a step is at least 1, a factor at least 2, and the first value of a factor at least 1");
  }
  for (int64_t value = first; value <= last; value = value * factor + step) {
    if (values.size() == text.most) refuse(text, format("more than {} values", text.most));
    values.push_back(value);
  }
}

bool before(const std::optional<double>& a, const std::optional<double>& b) {
  return a && (!b || *a < *b);
}

}  // namespace

SweepRange parse_sweep_range(std::string_view text, std::string_view option, size_t most) {
  const SweepText sweep = {.option = option, .text = text, .most = most};
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) refuse(sweep, "'=' is missing");
  SweepRange range;
  range.parameter = std::string(trim(text.substr(0, equals)));
  if (range.parameter.empty()) refuse(sweep, "the parameter's name is missing");
  for (const std::string_view part : split(text.substr(equals + 1), ',')) {
    add_part(sweep, part, range.values);
  }
  std::sort(range.values.begin(), range.values.end());
  range.values.erase(std::unique(range.values.begin(), range.values.end()), range.values.end());
  return range;
}

std::optional<size_t> argmin(const SweptNumber& number) {
  const auto found = std::min_element(number.values.begin(), number.values.end(), before);
  if (found == number.values.end() || !*found) return std::nullopt;
  return static_cast<size_t>(found - number.values.begin());
}

std::optional<size_t> argmax(const SweptNumber& number) {
  const auto found =
      std::max_element(number.values.begin(), number.values.end(),
                       [](const auto& a, const auto& b) { return b && (!a || *a < *b); });
  if (found == number.values.end() || !*found) return std::nullopt;
  return static_cast<size_t>(found - number.values.begin());
}

std::string quantity_text(std::string_view name, double value) {
  return quantity_text(name, value, byte_unit(value));
}

std::string quantity_text(std::string_view name, double value, const ByteUnit& unit) {
  if (name.ends_with("_bytes")) return bytes_text(value, unit);
  const bool whole = value == std::floor(value) || std::abs(value) >= 1000;
  std::string digits = whole ? format("{:.0f}", value) : format("{:.4g}", value);
  if (name.ends_with("_us")) return digits + " us";
  if (name.ends_with("_pct")) return digits + " %";
  return digits;
}

}  // namespace tilewright
