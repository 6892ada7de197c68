// A tree of keys and values in a fixed order, printed as YAML for people or as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// Instantiated once, in document.cpp, because it takes seconds to compile.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace tilewright {

using Document = nlohmann::ordered_json;

/// A number that may be missing: null.
inline Document value_or_null(const std::optional<double>& value) {
  return value ? Document(*value) : Document();
}

/// Block style, with lists of plain values on one line. Numbers are the shortest text that reads
/// back to the same value.
std::string to_yaml(const Document& document);

/// Indented by two, with a final newline. Bytes that are not UTF-8 become U+FFFD.
std::string to_json(const Document& document);

/// A key and the JSON text of its value.
struct JsonText {
  std::string_view key;
  std::string value;
};

/// Prints the object as to_json() does and adds more keys at the end, their values as they are: a
/// million indented numbers would be a million lines.
std::string to_json_with(const Document& object, const std::vector<JsonText>& more);

/// True for the text of a file, YAML or JSON, that states a schema with this beginning, also where
/// the rest of the file is damaged: "tilewright.best/".
bool names_schema(std::string_view text, std::string_view schema);

}  // namespace tilewright
