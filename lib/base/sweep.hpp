// Numbers of a subject over the values of one of its parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_unit.hpp"

namespace tilewright {

/// Values that one sweep steps through.
inline constexpr size_t kMostSweepValues = 1024;

struct SweepRange {
  std::string parameter;
  std::vector<int64_t> values;  // rising
};

/// "factor=1..64", "k=64..4096:64" (steps of 64), "k=64..65536*2" (each twice the one before),
/// "stages=2,3,8"; several ranges with commas. Throws a usage error that names `option`, also of
/// more than `most` values.
SweepRange parse_sweep_range(std::string_view text, std::string_view option = "--sweep",
                             size_t most = kMostSweepValues);

/// One number, by the place of the parameter's value; none where the subject has no such number.
struct SweptNumber {
  std::string name;  // a key of the subject's JSON
  std::vector<std::optional<double>> values;
  std::string chart = {};   // what the chart shows that it shares with others; empty: its own chart
  std::string series = {};  // what tells it from those
  size_t index = 0;         // likewise, in every chart: its colour, and its number less one
};

struct Sweep {
  std::string subject;  // what it is about, in words; the parameter stands in braces
  std::string parameter;
  std::vector<int64_t> at;           // the parameter's values, rising
  std::vector<std::string> why_not;  // of each: why there are no numbers; empty: there are
  std::vector<SweptNumber> numbers = {};
  std::string unit = {};  // of the parameter; empty: none is known
};

/// Places of the least and the most, the first of equals; none where there are no values.
std::optional<size_t> least_place(const SweptNumber& number);
std::optional<size_t> most_place(const SweptNumber& number);

/// A value with the unit that its name ends in: "1.83 GB" for dram_read_bytes, "12.4 us", "3.1 %".
std::string quantity_text(std::string_view name, double value);
/// The same with bytes in this unit.
std::string quantity_text(std::string_view name, double value, const ByteUnit& unit);

}  // namespace tilewright
