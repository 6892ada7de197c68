// Units of bytes in powers of 1000; a table prints all its bytes in the same unit.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

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

}  // namespace tilewright
