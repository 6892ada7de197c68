// The fields of a shipped call that ask for more than a plain product.
#pragma once

#include <string>
#include <vector>

#include "tile/workload/workload.hpp"

namespace tilewright {

/// A field of serve/api.h's call, and its value. A pointer's value is empty: the call must have
/// one.
struct CallField {
  std::string name;
  std::string value;     // a number
  std::string constant;  // the constant of that number behind the library's name; may be empty
  bool operator==(const CallField&) const = default;
};

/// The fields that a workload sets besides its types, layout and sizes, in the order of the header;
/// those that keep their default are absent.
std::vector<CallField> call_fields(const Workload& workload);

/// Bytes of the memory that a pointer of call_fields() refers to, for rows without gaps; 0 for a
/// name that is no pointer's.
int64_t pointed_bytes(const Workload& workload, const std::string& field);

}  // namespace tilewright
