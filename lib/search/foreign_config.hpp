// A config of a foreign kernel: one value for each parameter of its harness.
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

/// A library, its build, and one value for each of its parameters, in the harness's order.
struct ForeignConfig {
  std::string harness;  // the harness's name
  std::string file;     // path of the library
  std::string build;    // hash of the file's bytes
  std::vector<AxisValue> values = {};
  bool operator==(const ForeignConfig&) const = default;
};

/// "tile_m=64,tile_n=128"; empty where there are none.
std::string to_string(const std::vector<AxisValue>& values);

/// "harness:NAME@0123456789ab,tile_m=64,tile_n=128": the config's name in records and reports,
/// wherever the file lies. A harness that could not be read has the name "harness:NAME".
std::string to_string(const ForeignConfig& config);
/// True for a result of this to_string(), false for a config of our own kernels.
bool is_foreign_name(std::string_view name);

}  // namespace tilewright
