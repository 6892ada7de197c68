// One line of a store: a JSON object; its last key is a checksum of the text before it.
#pragma once

#include <string>
#include <string_view>

#include "store/document.hpp"

namespace tilewright {

/// The result of a checksum test. Lines of earlier versions have no checksum.
enum class LineCheck { Right, Missing, Wrong };

/// Prints the object, which must have at least one key, on one line with a checksum and a line
/// break. Bytes that are not UTF-8 are replaced.
std::string store_line(const Document& object);

/// Tests a line without its line break. Any damage to a line with a checksum makes it Wrong or, if
/// it hits the checksum's own key, Missing.
LineCheck check_line(std::string_view line);

}  // namespace tilewright
