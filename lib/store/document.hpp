// A tree of keys and values in a fixed order, and its two spellings: YAML for people, JSON for
// machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// Compiled once, in document.cpp: it takes seconds.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace tilewright {

using Document = nlohmann::ordered_json;

/// Block style; lists of plain values stand on one line. Numbers are the shortest text that reads
/// back to the same value.
std::string to_yaml(const Document& document);

/// Indented by two, with a final newline. Bytes that are no UTF-8 become U+FFFD.
std::string to_json(const Document& document);

/// Prints the object as to_json() does, with one more key last; its value, the JSON text `value`,
/// stays on one line: a million numbers, indented, would be a million lines.
std::string to_json_with(const Document& object, std::string_view key, std::string_view value);

}  // namespace tilewright
