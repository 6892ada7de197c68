// The name that a user gives a library: all names of its functions begin with it.
#pragma once

#include <string_view>

namespace tilewright {

/// Throws a usage error unless `name` can begin the names of C functions and be a namespace of C++:
/// an identifier of at most 64 characters that is neither reserved nor a keyword of them or of
/// Python.
void require_library_name(std::string_view name);

}  // namespace tilewright
