#include "draw/svg_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kSurfaceId = "id=\"surface";
constexpr std::string_view kPathData = " d=\"";

bool in_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
}

// Two decimals are a fiftieth of a pixel at twice the size.
void append_short_number(std::string& out, std::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || stop != end) {
    out += number;
    return;
  }
  std::string text = format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  out += text == "-0" ? "0" : text;
}

void append_path_data(std::string& out, std::string_view data) {
  while (!data.empty()) {
    size_t length = 0;
    while (length < data.size() && in_number(data[length])) ++length;
    if (length > 0) {
      append_short_number(out, data.substr(0, length));
      data.remove_prefix(length);
    } else {
      out += data.front();
      data.remove_prefix(1);
    }
  }
}

// Copies up to and with `end`, and drops it from `rest`.
void copy_through(std::string& out, std::string_view& rest, size_t end) {
  out += rest.substr(0, end);
  rest.remove_prefix(end);
}

}  // namespace

std::string settled_svg(std::string_view svg, std::string_view title) {
  std::string out;
  out.reserve(svg.size());
  std::string_view rest = svg;
  const size_t root = rest.find("<svg");
  const size_t root_end = root == std::string_view::npos ? root : rest.find('>', root);
  if (root_end != std::string_view::npos) {
    copy_through(out, rest, root_end + 1);
    out += format("\n<title>{}</title>", xml_escape(title));
  }
  const size_t id = rest.find(kSurfaceId);
  if (id != std::string_view::npos) {
    copy_through(out, rest, id);
    out += "id=\"scene";
    rest.remove_prefix(kSurfaceId.size());
    rest.remove_prefix(std::min(rest.find('"'), rest.size()));
  }
  for (size_t at = rest.find(kPathData); at != std::string_view::npos; at = rest.find(kPathData)) {
    copy_through(out, rest, at + kPathData.size());
    const size_t length = std::min(rest.find('"'), rest.size());
    append_path_data(out, rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return out += rest;
}

}  // namespace tilewright
