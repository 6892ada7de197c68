// One line of a store: a JSON object whose last key is a checksum of all that stands before it.
#pragma once

#include <string>
#include <string_view>

#include "store/document.hpp"

namespace tilewright {

/// What a line's checksum says of it. Lines of earlier versions have none.
enum class LineCheck { Right, Missing, Wrong };

/// The object, which has at least one key, on one line with its checksum and a line break. What is
/// not UTF-8 is replaced.
std::string store_line(const Document& object);

/// Of a line without its break. Any damage to a line with a checksum makes it Wrong or, where it
/// hits the checksum's own key, Missing.
LineCheck check_line(std::string_view line);

}  // namespace tilewright
