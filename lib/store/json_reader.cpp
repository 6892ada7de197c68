#include "store/json_reader.hpp"

#include <limits>

#include "base/text.hpp"

namespace tilewright {

Document parse_json(std::string_view text, const std::string& place) {
  try {
    return Document::parse(text);
  } catch (const Document::parse_error& error) {
    throw usage_error(format("{}: is not JSON: byte {} of {} does not belong there", place,
                             error.byte, text.size()));
  } catch (const Document::exception&) {
    throw usage_error(format("{}: is not JSON of finite numbers", place));
  }
}

JsonReader JsonReader::child(const Document& node, const std::string& step) const {
  const bool dot = !path_.empty() && step.front() != '[';
  return {node, place_, path_ + (dot ? "." : "") + step};
}

Error JsonReader::fail(const std::string& complaint) const {
  return usage_error(format("{}: {}{}{}", place_, path_, path_.empty() ? "" : ": ", complaint));
}

Error JsonReader::wrong_type(std::string_view expected) const {
  constexpr size_t kShown = 40;
  std::string shown = node_.dump(-1, ' ', false, Document::error_handler_t::replace);
  if (shown.size() > kShown) shown = shown.substr(0, kShown) + "...";
  return fail(format("should be {}, and is {}", expected, shown));
}

JsonReader JsonReader::at(const std::string& key) const {
  if (!node_.is_object()) throw wrong_type("an object");
  const auto found = node_.find(key);
  if (found == node_.end()) throw fail(format("lacks the key '{}'", key));
  return child(*found, key);
}

std::vector<JsonReader> JsonReader::items() const {
  if (!node_.is_array()) throw wrong_type("a list");
  std::vector<JsonReader> found;
  for (const Document& item : node_) {
    found.push_back(child(item, format("[{}]", found.size())));
  }
  return found;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::pairs() const {
  if (!node_.is_object()) throw wrong_type("an object");
  std::vector<std::pair<std::string, JsonReader>> found;
  for (const auto& item : node_.items()) {
    found.emplace_back(item.key(), child(item.value(), item.key().empty() ? "''" : item.key()));
  }
  return found;
}

std::string JsonReader::text() const {
  if (!node_.is_string()) throw wrong_type("text");
  return node_.get<std::string>();
}

double JsonReader::number(NumberRange range) const {
  if (!node_.is_number()) throw wrong_type("a number");
  const auto value = node_.get<double>();
  if (!holds(range, value)) throw wrong_type(range_words(range));
  return value;
}

int64_t JsonReader::integer() const {
  const bool fits =
      node_.is_number_integer() &&
      (!node_.is_number_unsigned() ||
       node_.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  if (!fits) throw wrong_type("a whole number");
  return node_.get<int64_t>();
}

}  // namespace tilewright
