// Text on its way into a page: escaped, or packed where it is long.
#pragma once

#include <string>
#include <string_view>

#include "store/document.hpp"

namespace tilewright {

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// The deflated text in base64, as the page's script unpacks it.
std::string packed_text(std::string_view text);

/// JSON on one line that nothing in an HTML script element takes for its end: '<' is "\u003c".
std::string script_json(const Document& document);

/// "<TAG>text</TAG>", the text escaped.
std::string element(std::string_view tag, std::string_view text);

}  // namespace tilewright
