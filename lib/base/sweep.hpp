// Results of a subject for several values of one of its parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tilewright {

/// The most values of one sweep.
inline constexpr size_t kMaxSweepValues = 1024;

struct SweepRange {
  std::string parameter;
  std::vector<int64_t> values;  // ascending
};

/// "factor=1..64", "k=64..4096:64" (steps of 64), "k=64..65536*2" (each twice the one before),
/// "stages=2,3,8"; several ranges are separated by commas. Throws a usage error with `option`, also
/// for more than `most` values.
SweepRange parse_sweep_range(std::string_view text, std::string_view option = "--sweep",
                             size_t most = kMaxSweepValues);

/// One number for each value of the parameter; nullopt where the subject has no such number.
struct SweptNumber {
  std::string name;  // a key of the subject's JSON
  std::vector<std::optional<double>> values;
  std::string chart = {};   // title of a chart shared with other numbers; empty: its own chart
  std::string series = {};  // its name in the shared chart
  size_t index = 0;         // the series' index in every chart: its colour, and its label less one
};

struct Sweep {
  std::string subject;  // what is swept, in words; the parameter stands in braces
  std::string parameter;
  std::vector<int64_t> at;           // the parameter's values, ascending
  std::vector<std::string> why_not;  // for each: why there are no numbers; empty: there are
  std::vector<SweptNumber> numbers = {};
  std::string unit = {};  // of the parameter; empty: none is known
};

/// Indices of the least and the largest value, the first of equals; nullopt where there are none.
std::optional<size_t> argmin(const SweptNumber& number);
std::optional<size_t> argmax(const SweptNumber& number);

/// A value with the unit that its name ends in: "1.83 GB" for dram_read_bytes, "12.4 us", "3.1 %".
std::string quantity_text(std::string_view name, double value);
/// The same with bytes in this unit.
std::string quantity_text(std::string_view name, double value, const ByteUnit& unit);

}  // namespace tilewright
