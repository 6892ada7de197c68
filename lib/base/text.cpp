#if __has_include(<fmt/format.h>)
#define FMT_HEADER_ONLY
#include <fmt/format.h>
#endif

#include "base/text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace tilewright {

std::string format_values(formatting::string_view text, formatting::format_args values) {
  return formatting::vformat(text, values);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string> split_assignments(std::string_view text) {
  std::vector<std::string> assignments;
  for (const std::string_view part : split(text, ',')) {
    if (part.find('=') != std::string_view::npos || assignments.empty()) {
      assignments.emplace_back(part);
    } else {
      assignments.back() += format(",{}", part);
    }
  }
  return assignments;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<int64_t> parse_count(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

std::optional<double> parse_finite(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

namespace {

template <class Text>
std::string joined(std::span<const Text> parts, std::string_view separator) {
  std::string text;
  for (const Text& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

// The least number of letters to change, add or remove, and of neighbours to exchange.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
      }
    }
  }
  return row.back();
}

// Without the dashes of an option.
std::string_view letters_of(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

// The bytes of `text`, which is longer than `width`, that go on the first line.
size_t line_length(std::string_view text, size_t width) {
  const size_t blank = text.find_last_of(' ', width);
  if (blank != std::string_view::npos && blank > 0) return blank;
  const size_t comma = text.find_last_of(',', width - 1);
  if (comma != std::string_view::npos) return comma + 1;
  const auto continues = [text](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  size_t length = width;
  while (length > 1 && continues(length)) --length;
  return length;
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  const std::string_view letters = letters_of(word);
  size_t best_distance = std::max<size_t>(letters.size() / 3, 1) + 1;  // beyond: another word
  for (const std::string_view candidate : candidates) {
    const size_t distance = edit_distance(letters, letters_of(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best.empty() ? "" : format(" - did you mean '{}'?", best);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return joined(parts, separator);
}

std::string join_words(std::span<const std::string_view> parts, std::string_view word) {
  std::string last(parts.back());
  if (parts.size() == 1) return last;
  return format("{} {} {}", joined(parts.first(parts.size() - 1), ", "), word, last);
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  width = std::max<size_t>(width, 1);
  std::vector<std::string> lines;
  while (text.size() > width) {
    const size_t length = line_length(text, width);
    lines.emplace_back(trim(text.substr(0, length)));
    text = trim(text.substr(length));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

std::string human_bytes(double bytes) {
  return bytes_text(bytes, byte_unit(bytes));
}

std::string hash_text(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return format("{:016x}{:016x}", hash.high64, hash.low64);
}

uint64_t hash_number(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

std::string xml_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&apos;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

ByteUnit byte_unit(double bytes) {
  constexpr std::string_view kNames[] = {"B", "kB", "MB", "GB", "TB"};
  ByteUnit unit;
  for (const std::string_view name : kNames) {
    if (name != kNames[0]) unit.bytes *= 1000;
    unit.name = name;
    if (bytes < 1000 * unit.bytes) break;
  }
  return unit;
}

std::string bytes_text(double bytes, const ByteUnit& unit) {
  return unit.bytes == 1 ? format("{:.0f} B", bytes)
                         : format("{:.2f} {}", bytes / unit.bytes, unit.name);
}

std::string megabytes_text(double bytes) {
  return format("{:.2f}", bytes / 1e6);
}

std::optional<double> parse_percent(std::string_view text) {
  if (text.ends_with('%')) text = trim(text.substr(0, text.size() - 1));
  return parse_finite(text);
}

std::vector<std::string_view> split_sizes(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find_first_of("xX");
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace tilewright
