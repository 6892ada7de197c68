#include "record/node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "record/node_tree.hpp"

namespace tilewright {
namespace {

using Kind = NodeKind;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Error Node::fail(const std::string& complaint) const {
  std::string path;
  for (uint32_t at = at_; at != 0; at = tree_->values[at].parent) {
    const NodeValue& value = tree_->values[at];
    const NodeValue& parent = tree_->values[value.parent];
    std::string step(tree_->text_of(value.key));
    if (parent.kind == Kind::List) {
      size_t index = 0;
      for (uint32_t i = parent.first; i != at; i = tree_->values[i].next) ++index;
      step = format("[{}]", index);
    } else if (step.empty()) {
      step = "''";
    }
    const bool dot = !path.empty() && path.front() != '[';
    path.insert(0, dot ? step + "." : step);
  }
  return usage_error(
      format("{}:{}: {}{}{}", tree_->source, line(), path, path.empty() ? "" : ": ", complaint));
}

Error Node::wrong_type(std::string_view expected) const {
  const NodeValue& value = tree_->values[at_];
  const auto is = [&value](Kind kind) { return value.kind == kind; };
  const std::string shown = is(Kind::Map)    ? "a map"
                            : is(Kind::List) ? "a list"
                            : is(Kind::Null) ? "nothing"
                                             : format("'{}'", tree_->text_of(value.text));
  return fail(format("should be {}, and is {}", expected, shown));
}

int Node::line() const {
  return tree_->values[at_].line;
}

bool Node::is_null() const {
  return tree_->values[at_].kind == Kind::Null;
}

bool Node::is_map() const {
  return tree_->values[at_].kind == Kind::Map;
}

bool Node::is_list() const {
  return tree_->values[at_].kind == Kind::List;
}

bool Node::is_text() const {
  const Kind kind = tree_->values[at_].kind;
  return kind == Kind::Text || kind == Kind::Word;
}

bool Node::is_number() const {
  const Kind kind = tree_->values[at_].kind;
  return kind == Kind::Number || kind == Kind::Word;
}

std::optional<Node> Node::first() const {
  throw_if_interrupted();
  const uint32_t first = tree_->values[at_].first;
  return first == 0 ? std::nullopt : std::optional(Node(tree_, first));
}

std::optional<Node> Node::next() const {
  throw_if_interrupted();
  const uint32_t next = tree_->values[at_].next;
  return next == 0 ? std::nullopt : std::optional(Node(tree_, next));
}

std::string_view Node::key() const {
  return tree_->text_of(tree_->values[at_].key);
}

std::vector<std::pair<std::string, Node>> Node::pairs() const {
  if (!is_map()) throw wrong_type("a map");
  std::vector<std::pair<std::string, Node>> found;
  std::unordered_set<std::string_view> known;
  for_each([&](std::string_view key, const Node& node) {
    found.emplace_back(key, node);
    if (!known.insert(key).second) throw node.fail("the key appears twice");
  });
  return found;
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!is_map()) throw wrong_type("a map");
  std::optional<Node> found;
  for_each([&](std::string_view name, const Node& node) {
    if (name != key) return;
    if (found) throw node.fail("the key appears twice");
    found = node;
  });
  return found;
}

Node Node::at(const std::string& key) const {
  std::optional<Node> value = find(key);
  if (!value) throw fail(format("lacks the key '{}'", key));
  return *std::move(value);
}

std::vector<Node> Node::items() const {
  if (!is_list()) throw wrong_type("a list");
  std::vector<Node> found;
  for_each([&found](std::string_view, const Node& node) { found.push_back(node); });
  return found;
}

std::vector<Node> Node::items(size_t count) const {
  std::vector<Node> found = items();
  if (found.size() == count) return found;
  throw fail(format("has {} items, not {}", found.size(), count));
}

std::string Node::text() const {
  if (!is_text()) throw wrong_type("text");
  return word();
}

std::string Node::word() const {
  if (is_map() || is_list() || is_null()) throw wrong_type("text");
  return std::string(tree_->text_of(tree_->values[at_].text));
}

double Node::number(NumberRange range) const {
  const NodeValue& value = tree_->values[at_];
  const std::optional<double> number =
      is_number() ? parse_number<double>(tree_->text_of(value.text)) : std::nullopt;
  if (!number || !std::isfinite(*number)) throw wrong_type("a number");
  if (!holds(range, *number)) {
    throw fail(format("should be {}, and is {}", range_words(range), *number));
  }
  return *number;
}

int64_t Node::integer() const {
  const NodeValue& value = tree_->values[at_];
  const std::optional<int64_t> whole =
      is_number() ? parse_number<int64_t>(tree_->text_of(value.text)) : std::nullopt;
  if (!whole) throw wrong_type("a whole number");
  return *whole;
}

int64_t Node::count() const {
  const int64_t value = integer();
  if (value < 0) throw fail(format("should be at least 0, and is {}", value));
  return value;
}

int Node::small_count() const {
  const int64_t value = count();
  if (value > std::numeric_limits<int>::max()) throw fail(format("{} is too large", value));
  return static_cast<int>(value);
}

bool Node::flag() const {
  const NodeValue& value = tree_->values[at_];
  const bool may_be = value.kind == Kind::Truth || value.kind == Kind::Word;
  const std::string_view text = may_be ? tree_->text_of(value.text) : "";
  if (text != "true" && text != "false") throw wrong_type("true or false");
  return text == "true";
}

void Node::allow_only(const std::vector<std::string_view>& keys) const {
  for (const auto& pair : pairs()) {
    if (std::find(keys.begin(), keys.end(), pair.first) != keys.end()) continue;
    throw pair.second.fail(
        format("unknown key '{}'{}", pair.first, did_you_mean(pair.first, keys)));
  }
}

void Node::require_schema(std::string_view expected) const {
  const Node schema = at("schema");
  if (schema.text() == expected) return;
  throw schema.fail(
      format("'{}' is not '{}', the schema that this version reads", schema.text(), expected));
}

std::string read_name(const Node& node) {
  std::string name = node.text();
  if (trim(name).empty()) throw node.fail("is empty");
  const std::optional<std::string> misplaced = first_unsafe_character(name);
  if (!misplaced) return name;
  throw node.fail(format("'{}' contains {}: a name must be UTF-8 that fits on one line of a report",
                         one_line(name), *misplaced));
}

void require_complete(const Node& file) {
  const std::optional<Node> complete = file.find("complete");
  if (!complete) {
    throw file.fail("the last line, 'complete: true', is missing: the file is truncated");
  }
  if (!complete->flag()) throw complete->fail("should be true");
}

std::vector<Node> some_items(const Node& list, std::string_view what) {
  std::vector<Node> items = list.items();
  if (items.empty()) throw list.fail(format("lists no {}", what));
  if (std::ssize(items) > kMaxProblems) {
    throw list.fail(format("lists {} {}s, and the limit is {}: split the file", items.size(), what,
                           kMaxProblems));
  }
  return items;
}

}  // namespace tilewright
