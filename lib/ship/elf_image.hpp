// Makes a shared library from another one without a linker: renames it and inserts a payload.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// A library like the template, which tilewright_template() of CMakeLists.txt describes. `name`, at
/// most as long as the placeholder, replaces it in the SONAME and in all names of symbols; the hash
/// table finds these, and own_payload() returns `payload`. Throws an internal error if the template
/// is damaged, or was not linked as this needs.
std::string make_image(std::string_view template_image, std::string_view name,
                       std::string_view payload);

}  // namespace tilewright
