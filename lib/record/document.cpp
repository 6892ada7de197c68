#include "record/document.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/escape.hpp"
#include "base/text.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace tilewright {
namespace {

// True for words that need no quotes: no YAML reader takes them for anything but text, and they
// need no escapes.
bool is_plain_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./@:+-,x=()% ").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) {
    // Problems and tiles (4096x4096x64) start with a digit and are still words.
    const bool extents = !text.empty() && text.find('x') != std::string::npos &&
                         text.find_first_not_of("0123456789x") == std::string::npos &&
                         text.front() != '0';
    return extents;
  }
  for (const char* const word : {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}) {
    if (std::equal(text.begin(), text.end(), word, word + std::char_traits<char>::length(word),
                   [](unsigned char a, char b) { return std::tolower(a) == b; })) {
      return false;
    }
  }
  return std::all_of(text.begin(), text.end(), plain) && text.back() != ' ' && text.back() != ':' &&
         text.find(": ") == std::string::npos && text.find(" #") == std::string::npos;
}

void emit_text(YAML::Emitter& out, const std::string& text) {
  if (!is_plain_word(text)) out << YAML::DoubleQuoted;
  // YAML 1.1 readers end lines at U+2028, and a reviewer cannot see a character that changes the
  // direction of text.
  if (first_unsafe_character(text)) out << YAML::EscapeNonAscii;
  out << text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = format("{}", value);
  // YAML 1.1 readers read 1e+20 as text and 1.0e+20 as a number.
  const size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

bool is_flat(const Document& list) {
  return std::none_of(list.begin(), list.end(),
                      [](const Document& item) { return item.is_structured(); });
}

void emit(YAML::Emitter& out, const Document& node) {
  if (node.is_object()) {
    if (node.empty()) out << YAML::Flow;
    out << YAML::BeginMap;
    for (const auto& item : node.items()) {
      out << YAML::Key;
      emit_text(out, item.key());
      out << YAML::Value;
      emit(out, item.value());
    }
    out << YAML::EndMap;
  } else if (node.is_array()) {
    if (is_flat(node)) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const Document& item : node) emit(out, item);
    out << YAML::EndSeq;
  } else if (node.is_string()) {
    emit_text(out, node.get_ref<const std::string&>());
  } else if (node.is_number_float()) {
    out << number_text(node.get<double>());
  } else if (node.is_number_integer()) {
    out << node.get<int64_t>();
  } else if (node.is_boolean()) {
    out << (node.get<bool>() ? "true" : "false");
  } else {
    out << YAML::Null;
  }
}

}  // namespace

std::string to_yaml(const Document& document) {
  YAML::Emitter out;
  emit(out, document);
  return std::string(out.c_str(), out.size()) + "\n";
}

std::string to_json(const Document& document) {
  // Invalid UTF-8 (in a driver's message, a path) must not prevent a report.
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::string to_json_with(const Document& object, const std::vector<JsonText>& more) {
  std::string text = to_json(object);
  text.resize(text.size() - 3);  // the last "\n}\n"
  for (const auto& [key, value] : more) text += format(",\n  \"{}\": {}", key, value);
  return text + "\n}\n";
}

bool names_schema(std::string_view text, std::string_view schema) {
  for (const std::string_view mark :
       {"schema: ", "schema: \"", "\"schema\":\"", "\"schema\": \""}) {
    if (text.find(format("{}{}", mark, schema)) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace tilewright
