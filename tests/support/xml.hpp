// Checks XML documents without a parser library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::testing {

/// The first fault of the document: a tag that is left open or closed by another, a bare '<' or
/// '&', a repeated attribute, a control character. Empty for a well-formed document.
inline std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  for (size_t at = 0; at < xml.size(); ++at) {
    const char c = xml[at];
    if (static_cast<unsigned char>(c) < 32 && c != '\n') return "a control character";
    if (c == '&') {
      const size_t end = xml.find(';', at);
      if (end == std::string_view::npos || end - at > 6) return "a bare &";
    }
    if (c != '<') continue;
    const size_t end = xml.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string_view::npos) return "a bare <";
    const std::string name(tag.substr(0, tag.find_first_of(" /?", 1)));
    if (name[0] == '/') {
      if (open.empty() || open.back() != name.substr(1)) return "closes nothing: " + name;
      open.pop_back();
    } else if (tag.back() != '/' && name[0] != '?') {
      open.push_back(name);
    }
    std::vector<std::string_view> seen;
    for (size_t eq = tag.find("=\""); eq != std::string_view::npos;) {
      const size_t start = tag.rfind(' ', eq) + 1;
      for (const std::string_view other : seen) {
        if (other == tag.substr(start, eq - start)) return "twice: " + std::string(other);
      }
      seen.push_back(tag.substr(start, eq - start));
      const size_t quote = tag.find('"', eq + 2);
      if (quote == std::string_view::npos) return "a quote without an end";
      eq = tag.find("=\"", quote);
    }
    at = end;
  }
  return open.empty() ? "" : "left open: " + open.back();
}

/// The unprocessed character data of all elements of a name that contain only text.
inline std::vector<std::string> xml_texts(std::string_view xml, const std::string& name) {
  std::vector<std::string> texts;
  for (size_t at = xml.find("<" + name); at != std::string_view::npos;
       at = xml.find("<" + name, at + 1)) {
    const size_t begin = xml.find('>', at) + 1;
    texts.emplace_back(xml.substr(begin, xml.find("</" + name, begin) - begin));
  }
  return texts;
}

}  // namespace tilewright::testing
