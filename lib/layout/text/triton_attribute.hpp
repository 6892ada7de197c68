// The text of a Triton attribute: a name and keys with numbers, nested lists and a parent.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layout/algebra/int_tuple.hpp"

namespace tilewright {

/// `padding` elements behind every `interval` of them.
struct SharedPadding {
  int64_t interval = 1;
  int64_t padding = 0;
  bool operator==(const SharedPadding&) const = default;
};

/// `shape` is empty without a tensor type around the attribute. `parent` holds one at most.
struct TritonAttribute {
  std::string name;                      // "blocked"
  std::map<std::string, IntTuple> keys;  // lists are tuples, truths 0 and 1
  std::vector<int64_t> shape;
  std::vector<TritonAttribute> parent;
  std::vector<SharedPadding> paddings;
  bool operator==(const TritonAttribute&) const = default;
};

/// "#ttg.blocked<{...}>", a tensor type with one, or lines "#name = ..." of which the last is read
/// and may name those before it. Throws a usage error that says what was expected.
TritonAttribute parse_triton_attribute(std::string_view text);

}  // namespace tilewright
