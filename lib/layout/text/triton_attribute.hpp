// The text of a Triton attribute: a name and keys with numbers and nested lists.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "layout/algebra/int_tuple.hpp"

namespace tilewright {

/// `shape` is empty without a tensor type around the attribute.
struct TritonAttribute {
  std::string name;                      // "blocked"
  std::map<std::string, IntTuple> keys;  // lists are tuples, truths 0 and 1
  std::vector<int64_t> shape;
  bool operator==(const TritonAttribute&) const = default;
};

/// Throws a usage error that says what was expected.
TritonAttribute parse_triton_attribute(std::string_view text);

}  // namespace tilewright
