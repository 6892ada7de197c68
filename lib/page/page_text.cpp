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

}  // namespace tilewright
