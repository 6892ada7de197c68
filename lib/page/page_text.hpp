// Converts text for a page: escapes it, or packs it where it is long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/document.hpp"

namespace tilewright {

/// Base64 by RFC 4648, with padding.
std::string base64(std::string_view bytes);

/// The text deflated and in base64; the page's script unpacks it.
std::string packed_text(std::string_view text);

/// One line of JSON, safe inside an HTML script element: '<' is written as "\u003c".
std::string script_json(const Document& document);

/// "<TAG>text</TAG>", the text escaped.
std::string element(std::string_view tag, std::string_view text);

/// Microseconds with four significant digits, or with all digits before the point.
std::string us_text(double us);

/// An HTML table below its title; the first cell of a row is its heading. Empty without rows.
std::string titled_table(const std::string& title, const std::vector<std::string>& heads,
                         const std::vector<std::vector<std::string>>& rows);

}  // namespace tilewright
