#include "page/page_text.hpp"

#include <cstdint>

#include "base/text.hpp"
#include "serve/payload.hpp"

namespace tilewright {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view three = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < three.size() ? static_cast<unsigned char>(three[j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += j <= three.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string packed_text(std::string_view text) {
  return base64(deflated(text));
}

std::string script_json(const Document& document) {
  std::string text;
  for (const char c : document.dump(-1, ' ', false, Document::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string element(std::string_view tag, std::string_view text) {
  return format("<{}>{}</{}>", tag, xml_escape(text), tag);
}

std::string us_text(double us) {
  return us < 1000 ? format("{:.4g}", us) : format("{:.0f}", us);
}

std::string titled_table(const std::string& title, const std::vector<std::string>& heads,
                         const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::string html = format("<div>{}<table><thead><tr>", element("h3", title));
  for (const std::string& head : heads) {
    html += format("<th scope=\"col\">{}</th>", xml_escape(head));
  }
  html += "</tr></thead><tbody>";
  for (const std::vector<std::string>& row : rows) {
    html += format("<tr><th scope=\"row\">{}</th>", xml_escape(row.front()));
    for (size_t i = 1; i < row.size(); ++i) html += element("td", row[i]);
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace tilewright
