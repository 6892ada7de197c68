// The name that a user gives a library, which its functions' names begin with.
#pragma once

#include <string_view>

namespace tilewright {

/// Throws a usage error unless `name` may begin the names of C functions and be a namespace of C++:
/// an identifier of at most 64 characters that is no keyword and not reserved.
void require_library_name(std::string_view name);

}  // namespace tilewright
