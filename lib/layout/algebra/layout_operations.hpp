// The operations that expressions can call, by name.
#pragma once

#include <string_view>
#include <vector>

#include "layout/algebra/derivation.hpp"
#include "layout/algebra/layout_value.hpp"

namespace tilewright {

/// Applies the operation `name` to its arguments and says how in `why`. Throws a usage error for an
/// unknown name, with a suggestion, for wrong arguments, and where the operation has no result.
LayoutValue call_operation(std::string_view name, const std::vector<LayoutValue>& arguments,
                           Derivation* why);

/// The names, sorted.
std::vector<std::string_view> operation_names();

}  // namespace tilewright
