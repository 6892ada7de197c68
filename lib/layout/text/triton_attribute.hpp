// Parses the text of a Triton attribute: a name and keys with numbers, nested lists and a parent.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layout/algebra/int_tuple.hpp"

namespace tilewright {

/// Adds `padding` elements behind every `interval` elements.
struct SharedPadding {
  int64_t interval = 1;
  int64_t padding = 0;
  bool operator==(const SharedPadding&) const = default;
};

/// `shape` is empty without a tensor type around the attribute. `parent` holds at most one.
struct TritonAttribute {
  std::string name;                      // "blocked"
  std::map<std::string, IntTuple> keys;  // lists are tuples, false is 0, true is 1
  std::vector<int64_t> shape;
  std::vector<TritonAttribute> parent;
  std::vector<SharedPadding> paddings;
  bool operator==(const TritonAttribute&) const = default;
};

/// Parses "#ttg.blocked<{...}>", a tensor type around it, or lines "#name = ...": the last line is
/// the attribute and may use the names of earlier lines. Throws a usage error that names what was
/// expected.
TritonAttribute parse_triton_attribute(std::string_view text);

}  // namespace tilewright
