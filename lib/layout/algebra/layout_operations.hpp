// The operations and constructors that layout expressions can call, by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"

namespace tilewright {

/// Applies the operation `name` to its arguments and adds its steps to `why`. Throws a usage error
/// for an unknown name (with a suggestion), for wrong arguments, and if the operation has no
/// result. An optional argument may be "_", which leaves it out.
LayoutValue call_operation(std::string_view name, const std::vector<LayoutValue>& arguments,
                           Derivation* why);

/// The names, sorted.
std::vector<std::string_view> operation_names();

/// The ways to write a call of an operation.
struct CallForm {
  std::vector<std::string_view> parameters;  // by position, with CuTe DSL's names
  size_t least = 0;                          // required arguments
  // How many of the last ones CuTe C++ writes in <>, as in append<4>(L)
  size_t static_parameters = 0;
  bool static_list = false;  // any number of them form one tuple, as in select<0,2>(L)
  bool by_stride = false;    // the result's modes are in the order of the argument's strides
};

/// Nothing for an unknown name.
std::optional<CallForm> call_form(std::string_view name);

}  // namespace tilewright
