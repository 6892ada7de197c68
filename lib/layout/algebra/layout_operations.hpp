// The operations and constructors that layout expressions can call, by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"

namespace tilewright {

/// Applies the operation `name` to its arguments and says how in `why`. Throws a usage error for an
/// unknown name, with a suggestion, for wrong arguments, and where the operation has no result. An
/// optional argument may be "_", left out.
LayoutValue call_operation(std::string_view name, const std::vector<LayoutValue>& arguments,
                           Derivation* why);

/// The names, sorted.
std::vector<std::string_view> operation_names();

/// How calls of an operation may be written.
struct CallForm {
  std::vector<std::string_view> parameters;  // by position, with CuTe DSL's names
  size_t least = 0;                          // arguments that every call has
  size_t static_parameters = 0;  // of the last ones CuTe C++ writes in <>, as in append<4>(L)
  bool static_list = false;  // then as many as the call likes are one tuple, as in select<0,2>(L)
  bool by_stride = false;    // modes of the result are in the order of the argument's strides
};

/// Nothing for an unknown name.
std::optional<CallForm> call_form(std::string_view name);

}  // namespace tilewright
