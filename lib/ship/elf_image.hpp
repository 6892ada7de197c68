// A shared library made from another without a linker: other names, and a payload put in.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// A library like the template, which tilewright_template() of CMakeLists.txt describes: in its
/// SONAME and its symbols' names `name` stands for the placeholder, its hash table finds them, and
/// own_payload() in it is `payload`. `name` is shorter than the placeholder or as long. Throws an
/// internal error where the template is damaged, or is not linked so that this can be done.
std::string make_image(std::string_view template_image, std::string_view name,
                       std::string_view payload);

}  // namespace tilewright
