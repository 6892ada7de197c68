// Text: formatting, splitting, checked numbers, "did you mean".
#pragma once

#if __has_include(<fmt/core.h>)
#include <fmt/core.h>
#else
#include <format>
#endif

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Where fmt is not installed, the standard library's std::format is used.
#if __has_include(<fmt/core.h>)
namespace formatting = fmt;
template <typename... Values>
fmt::string_view pattern_of(const fmt::format_string<Values...>& text) {
  return text;
}
#else
namespace formatting = std;
template <typename... Values>
std::string_view pattern_of(const std::format_string<Values...>& text) {
  return text.get();
}
#endif

/// The library's vformat(); this file's object code contains it, so nothing else is linked.
std::string format_values(formatting::string_view text, formatting::format_args values);

/// fmt's format. It is an object, so that a call does not also find std::format, which some
/// libraries declare wherever <chrono> is included.
struct Formatter {
  template <typename... Values>
  std::string operator()(formatting::format_string<Values...> text, Values&&... values) const {
    return format_values(pattern_of<Values...>(text), formatting::make_format_args(values...));
  }
};
inline constexpr Formatter format;  // NOLINT(readability-identifier-naming): called as a function

/// The parts of `text` between separators; "a,,b" has an empty middle part, "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The parts of "key=value,key=value,..."; a part without '=' continues the value before it, as in
/// raster=swizzle-merge:8,4.
std::vector<std::string> split_assignments(std::string_view text);

std::string_view trim(std::string_view text);
/// The text with A to Z as a to z; other bytes stay.
std::string lower_case(std::string_view text);

/// A whole decimal number in [0, 2^63); `text` must contain nothing else.
std::optional<int64_t> parse_count(std::string_view text);

/// A finite decimal number; `text` must contain nothing else.
std::optional<double> parse_finite(std::string_view text);

/// " - did you mean 'x'?" for the candidate nearest to `word`, empty when none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// Parts joined by `separator`.
std::string join(std::span<const std::string> parts, std::string_view separator);

/// "a, b and c": joins at least one part, the last by `word`.
std::string join_words(std::span<const std::string_view> parts, std::string_view word);

/// `text` as lines of at most `width` bytes, at least one line: broken at blanks, else after
/// commas, else anywhere except inside a UTF-8 character.
std::vector<std::string> wrap(std::string_view text, size_t width);

/// 1234567 bytes as "1.2 MB" (powers of 1000).
std::string human_bytes(double bytes);

/// XXH3 of 128 bits over the bytes of `text`, as 32 hexadecimal digits.
std::string hash_text(std::string_view text);
/// XXH3 of 64 bits.
uint64_t hash_number(std::string_view text);

/// `text` escaped for XML character data and attributes.
std::string xml_escape(std::string_view text);

/// A unit of bytes, in powers of 1000; a table prints all its bytes in the same unit.
struct ByteUnit {
  double bytes = 1;
  std::string_view name = "B";
};

/// The largest of B, kB, MB, GB and TB of which `bytes` are at least one, else B.
ByteUnit byte_unit(double bytes);

/// "1.23 MB"; whole numbers of B.
std::string bytes_text(double bytes, const ByteUnit& unit);

/// The number alone, in MB, for columns of traffic.
std::string megabytes_text(double bytes);

/// The number of "1.5", "1.5%" or "1.5 %": percent with and without the sign. Nothing for other
/// text, or no finite number.
std::optional<double> parse_percent(std::string_view text);

/// The parts between each 'x' or 'X', unread; "" has one empty part.
std::vector<std::string_view> split_sizes(std::string_view text);

}  // namespace tilewright
