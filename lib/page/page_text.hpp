// Text on its way into a page: escaped, or packed where it is long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// Four digits of microseconds, and all of those before the point.
std::string us_text(double us);

/// A table below its title, each row's first cell its name; empty without rows.
std::string titled_table(const std::string& title, const std::vector<std::string>& heads,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace tilewright
