#include "search/library_pin.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

std::string to_string(const AlgorithmBits& bits) {
  std::string text;
  for (const uint8_t byte : bits.bytes) text += format("{:02x}", byte);
  return text;
}

AlgorithmBits parse_algorithm_bits(std::string_view text) {
  constexpr size_t kDigits = 2;
  AlgorithmBits bits;
  if (text.size() != kDigits * bits.bytes.size()) {
    throw usage_error(
        format("has {} characters, and an algorithm of cuBLASLt is {} hexadecimal digits",
               text.size(), kDigits * bits.bytes.size()));
  }
  for (size_t i = 0; i < bits.bytes.size(); ++i) {
    const std::string_view digits = text.substr(kDigits * i, kDigits);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, bits.bytes[i], 16);
    if (error != std::errc() || stop != end) {
      throw usage_error(format("'{}' at byte {} of 64 is no hexadecimal number", digits, i));
    }
  }
  return bits;
}

// As cublasLtGetVersion() counts since 11.0.
std::string library_version(int64_t version) {
  return format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

bool is_faster(const PairedRatio& ratio) {
  return ratio.interval.high < 1;
}

std::vector<LibraryPin> join_pins(std::vector<LibraryPin> pins,
                                  const std::vector<LibraryPin>& earlier, const TileConfig& now,
                                  const TileConfig& before) {
  for (LibraryPin pin : earlier) {
    const bool is_anew = std::any_of(pins.begin(), pins.end(), [&pin](const LibraryPin& other) {
      return other.version == pin.version;
    });
    if (is_anew) continue;
    const TileConfig rival = pin.beside.value_or(before);
    pin.beside = rival == now ? std::nullopt : std::optional(rival);
    pins.push_back(std::move(pin));
  }
  std::sort(pins.begin(), pins.end(),
            [](const LibraryPin& a, const LibraryPin& b) { return a.version < b.version; });
  return pins;
}

}  // namespace tilewright
