#include "base/byte_unit.hpp"

#include "base/text.hpp"

namespace tilewright {

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

}  // namespace tilewright
