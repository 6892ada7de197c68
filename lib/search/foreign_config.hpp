// A config of a foreign kernel: one that a harness offers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A parameter and its value.
struct AxisValue {
  std::string axis;
  int64_t value = 0;
  bool operator==(const AxisValue&) const = default;
};

/// Which library, which build of it, and one value of each of its parameters, in its order.
struct ForeignConfig {
  std::string harness;  // as it calls itself
  std::string file;     // that it is loaded from
  std::string build;    // hash of the file's bytes
  std::vector<AxisValue> values = {};
  bool operator==(const ForeignConfig&) const = default;
};

/// "tile_m=64,tile_n=128"; empty where there are none.
std::string to_string(const std::vector<AxisValue>& values);

/// "harness:NAME@0123456789ab,tile_m=64,tile_n=128": what records and reports know it by, wherever
/// the file lies. Of one that nobody could read "harness:NAME".
std::string to_string(const ForeignConfig& config);
/// True of what that to_string() makes, and of no config of ours.
bool is_foreign_name(std::string_view name);

}  // namespace tilewright
