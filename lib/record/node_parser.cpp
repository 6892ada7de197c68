#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "record/node_tree.hpp"

namespace tilewright {

// Builds a tree from a parser's events, and refuses it as soon as it exceeds a limit.
class TreeBuilder {
 public:
  static constexpr int64_t kDeepest = 1000;

  static Error too_many_values(const std::string& source, int64_t line, int64_t most) {
    return usage_error(
        format("{}:{}: the file has more than {} values, the limit", source, line, most));
  }

  static Error too_deep(const std::string& source, int64_t line) {
    return usage_error(format("{}:{}: brackets nest deeper than {}", source, line, kDeepest));
  }

  static Error too_long_text(const std::string& source, int64_t line) {
    return usage_error(
        format("{}:{}: a text of more than {} KiB, the limit: a value is missing its "
               "end, or belongs into several",
               source, line, kMaxText >> 10));
  }

  // What may be read, whoever parses it.
  struct Limits {
    int64_t nodes;
    int64_t text;  // bytes
  };

  TreeBuilder(std::string source, Limits limits) : limits_(limits) {
    tree_.source = std::move(source);
  }

  bool is_empty() const { return tree_.values.empty(); }
  uint32_t size() const { return static_cast<uint32_t>(tree_.values.size()); }
  const std::string& source() const { return tree_.source; }
  bool expects_key() const {
    return !open_.empty() && !has_key_ && tree_.values[open_.back().at].kind == NodeKind::Map;
  }

  void key(std::string_view text, int64_t line) {
    count(line);
    key_ = kept(text, line);
    has_key_ = true;
  }

  void leaf(NodeKind kind, std::string_view text, int64_t line) {
    if (expects_key()) throw usage_error(format("{}:{}: a key should be a word", source(), line));
    add({.line = static_cast<int>(line), .key = {}, .text = kept(text, line), .kind = kind});
  }

  void open(NodeKind kind, int64_t line) {
    leaf(kind, {}, line);
    open_.push_back({size() - 1, 0});
    if (std::ssize(open_) > kDeepest) throw too_deep(source(), line);
  }

  void close() { open_.pop_back(); }

  /// The bytes of the values in [begin, end), of which each counts as at least one byte.
  int64_t bytes(uint32_t begin, uint32_t end) const {
    int64_t sum = 0;
    for (uint32_t at = begin; at < end; ++at) {
      sum += 1 + tree_.values[at].text.size + tree_.values[at].key.size;
    }
    return sum;
  }

  /// Adds a copy of the value in [begin, end), which lie inside of the first of them.
  void copy(uint32_t begin, uint32_t end, int64_t line) {
    const uint32_t shift = size() - begin;
    leaf(tree_.values[begin].kind, {}, line);
    tree_.values.back().text = tree_.values[begin].text;
    tree_.values.back().line = tree_.values[begin].line;
    if (end > begin + 1) tree_.values.back().first = begin + 1 + shift;
    for (uint32_t at = begin + 1; at < end; ++at) {
      NodeValue value = tree_.values[at];
      for (uint32_t* const link : {&value.parent, &value.first, &value.next}) {
        if (*link != 0) *link += shift;
      }
      tree_.values.push_back(value);
    }
  }

  /// The root of the tree, which `line` begins; the builder is empty afterwards.
  Node root(int line) {
    tree_.values.front().line = line;
    return Node(std::make_shared<const Node::Tree>(std::move(tree_)), 0);
  }

  bool is_null() const { return tree_.values.front().kind == NodeKind::Null; }

 private:
  struct Collection {
    uint32_t at;
    uint32_t last;  // inside of it; 0: none yet
  };

  void count(int64_t line) {
    throw_if_interrupted();
    if (++nodes_ > limits_.nodes) throw too_many_values(source(), line, limits_.nodes);
  }

  NodeSpan kept(std::string_view text, int64_t line) {
    const size_t begin = tree_.texts.size();
    const bool fits = begin + text.size() <= std::numeric_limits<uint32_t>::max();
    if (!fits || std::ssize(text) > limits_.text) throw too_long_text(source(), line);
    tree_.texts += text;
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(text.size())};
  }

  void add(NodeValue value) {
    count(value.line);
    const uint32_t at = size();
    if (!open_.empty()) {
      auto& [parent, last] = open_.back();
      value.parent = parent;
      value.key = std::exchange(key_, {});
      has_key_ = false;
      (last == 0 ? tree_.values[parent].first : tree_.values[last].next) = at;
      last = at;
    }
    tree_.values.push_back(value);
  }

  Limits limits_;
  Node::Tree tree_;
  std::vector<Collection> open_;
  int64_t nodes_ = 0;
  NodeSpan key_;
  bool has_key_ = false;
};

namespace {

using Kind = NodeKind;

// The end of the quoted scalar that begins at `begin`, or `begin` where it does not end on its
// line.
size_t end_of_quoted(std::string_view text, size_t begin) {
  const char quote = text[begin];
  for (size_t i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
    const bool doubled = quote == '\'' && text.substr(i, 2) == "''";
    if (doubled || (quote == '"' && text[i] == '\\')) {
      ++i;
    } else if (text[i] == quote) {
      return i;
    }
  }
  return begin;
}

// The brackets that are open, and the commas inside brackets so far.
class OpenBrackets {
 public:
  explicit OpenBrackets(const std::string& source) : source_(source) {}

  void add(char c, int64_t line) {
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') --depth_;
    if (c == ',' && depth_ > 0 && ++commas_ > kMaxNodes)
      throw TreeBuilder::too_many_values(source_, line, kMaxNodes);
    if (depth_ > TreeBuilder::kDeepest) throw TreeBuilder::too_deep(source_, line);
  }

 private:
  const std::string& source_;
  int64_t depth_ = 0;
  int64_t commas_ = 0;
};

// The parser itself refuses deep documents, but only after it has read all their brackets; until a
// bracket closes, it keeps the words inside because they may be a key. Brackets of quoted scalars,
// such as those of half-open intervals, open nothing. The parser reads a long text twice, at some
// 10 MB/s.
void require_parsable(std::string_view text, const std::string& source) {
  OpenBrackets brackets(source);
  int64_t line = 1;
  char before = '\n';  // the last character that is no space
  size_t parted = 0;   // where the last character stands that parts texts
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::string_view("\n,[]{}").find(c) != std::string_view::npos) parted = i;
    if (static_cast<int64_t>(i - parted) > kMaxText) throw TreeBuilder::too_long_text(source, line);
    const bool begins = std::string_view("\n:,-[{").find(before) != std::string_view::npos;
    if (c != ' ') before = c;
    if ((c == '"' || c == '\'') && begins) {
      const size_t end = end_of_quoted(text, i);
      if (static_cast<int64_t>(end - i) > kMaxText) throw TreeBuilder::too_long_text(source, line);
      i = end;
      parted = end;
      continue;
    }
    if (c == '\n') ++line;
    brackets.add(c, line);
  }
}

constexpr TreeBuilder::Limits kOfFile = {kMaxNodes, kMaxText};
// A worker's line holds the trace of a launch; the caller limits its bytes.
constexpr TreeBuilder::Limits kOfLine = {kMaxUnits, std::numeric_limits<int64_t>::max()};

class YamlEvents : public YAML::EventHandler {
 public:
  explicit YamlEvents(TreeBuilder& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark&) override {
    if (tree_.is_empty()) return;
    throw usage_error(format("{}: contains several YAML documents, not one", tree_.source()));
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    tree_.leaf(Kind::Null, {}, mark.line + 1);
    keep(anchor, tree_.size() - 1);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    if (tree_.expects_key()) return tree_.key(value, mark.line + 1);
    tree_.leaf(Kind::Word, value, mark.line + 1);
    keep(anchor, tree_.size() - 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchored_.find(anchor);
    if (known == anchored_.end()) refuse(mark, "an alias names a key, or a value that contains it");
    const auto [begin, end] = known->second;
    repeated_ += tree_.bytes(begin, end);
    if (repeated_ > kMaxRepeatedBytes) {
      refuse(mark, format("aliases repeat more than {} KiB: write out their values",
                          kMaxRepeatedBytes >> 10));
    }
    tree_.copy(begin, end, mark.line + 1);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::List, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::Map, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) const {
    throw usage_error(format("{}:{}: {}", tree_.source(), mark.line + 1, why));
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    tree_.open(kind, mark.line + 1);
    open_.emplace_back(anchor, tree_.size() - 1);
  }

  void close() {
    tree_.close();
    keep(open_.back().first, open_.back().second);
    open_.pop_back();
  }

  void keep(YAML::anchor_t anchor, uint32_t begin) {
    if (anchor != YAML::NullAnchor) anchored_[anchor] = {begin, tree_.size()};
  }

  TreeBuilder& tree_;
  int64_t repeated_ = 0;
  std::vector<std::pair<YAML::anchor_t, uint32_t>> open_;
  std::map<YAML::anchor_t, std::pair<uint32_t, uint32_t>> anchored_;
};

// Where the JSON parser reads.
struct Place {
  int line = 1;
  char before = '\0';

  // The line of the last token: the parser ends a number only after it has read one character more.
  int of_token() const { return line - (before == '\n' ? 1 : 0); }
};

// Iterates over a text, and counts its lines.
struct CountedText {
  // NOLINTBEGIN(readability-identifier-naming): the library's names
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  const char* at;
  Place* place;

  reference operator*() const { return *at; }
  CountedText& operator++() {
    place->before = *at++;
    if (place->before == '\n') ++place->line;
    return *this;
  }
  bool operator==(const CountedText& other) const { return at == other.at; }
};

// The library's events. In a file (`is_strict`: false) every scalar is a Word.
struct JsonEvents {
  TreeBuilder& tree;
  const Place& place;
  bool is_strict;
  size_t wrong_byte = 0;
  bool is_infinite = false;

  bool leaf(Kind kind, std::string_view text) const {
    tree.leaf(is_strict || kind == Kind::Null ? kind : Kind::Word, text, place.of_token());
    return true;
  }
  bool open(Kind kind) const {
    tree.open(kind, place.of_token());
    return true;
  }
  bool close() const {
    tree.close();
    return true;
  }

  // NOLINTBEGIN(readability-identifier-naming): the library's names
  bool null() const { return leaf(Kind::Null, {}); }
  bool boolean(bool value) const { return leaf(Kind::Truth, value ? "true" : "false"); }
  bool number_integer(int64_t value) const { return leaf(Kind::Number, std::to_string(value)); }
  bool number_unsigned(uint64_t value) const { return leaf(Kind::Number, std::to_string(value)); }
  bool number_float(double, const std::string& text) const { return leaf(Kind::Number, text); }
  bool string(const std::string& text) const { return leaf(Kind::Text, text); }
  bool binary(const Document::binary_t&) const { return false; }
  bool start_object(size_t) const { return open(Kind::Map); }
  bool start_array(size_t) const { return open(Kind::List); }
  bool end_object() const { return close(); }
  bool end_array() const { return close(); }
  bool key(const std::string& name) const {
    tree.key(name, place.of_token());
    return true;
  }
  bool parse_error(size_t byte, const std::string&, const Document::exception& error) {
    wrong_byte = byte;
    is_infinite = dynamic_cast<const Document::out_of_range*>(&error) != nullptr;
    return false;
  }
  // NOLINTEND(readability-identifier-naming)
};

// What is not JSON: the first such byte, from 1 (0: the text is JSON), and its line.
struct Misplaced {
  size_t byte = 0;
  int line = 0;
  bool is_infinite = false;
};

Misplaced build_from_json(std::string_view text, bool is_strict, int line, TreeBuilder& tree) {
  Place place{.line = line};
  JsonEvents events{.tree = tree, .place = place, .is_strict = is_strict};
  const CountedText begin{text.data(), &place};
  const CountedText end{text.data() + text.size(), &place};
  const bool is_json = Document::sax_parse(begin, end, &events);
  return {is_json ? 0 : std::max(events.wrong_byte, size_t{1}), place.of_token(),
          events.is_infinite};
}

// A document of JSON, or nothing for any other text.
std::optional<Node> find_json_file(std::string_view text, const std::string& source) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) {
    return std::nullopt;
  }
  TreeBuilder tree(source, kOfFile);
  if (build_from_json(text, false, 1, tree).byte != 0) return std::nullopt;
  return tree.root(1);
}

}  // namespace

Node Node::parse(std::string_view text, const std::string& source) {
  require_parsable(text, source);
  if (std::optional<Node> json = find_json_file(text, source)) return *std::move(json);
  TreeBuilder tree(source, kOfFile);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    YamlEvents events(tree);
    // At most two: the parser finds an endless number of documents in "{a},".
    if (parser.HandleNextDocument(events)) parser.HandleNextDocument(events);
  } catch (const YAML::Exception& error) {
    throw usage_error(format("{}:{}: not valid YAML: {}", source, error.mark.line + 1, error.msg));
  }
  if (tree.is_empty() || tree.is_null()) {
    throw usage_error(format("{}: is empty, not a YAML document", source));
  }
  return tree.root(1);
}

Node Node::parse_json(std::string_view text, const std::string& source, int line) {
  TreeBuilder tree(source, kOfLine);
  const Misplaced wrong = build_from_json(text, true, line, tree);
  if (wrong.byte == 0) return tree.root(line);
  if (wrong.is_infinite) {
    throw usage_error(format("{}:{}: is not JSON of finite numbers", source, wrong.line));
  }
  throw usage_error(format("{}:{}: is not JSON: byte {} of {} does not belong there", source,
                           wrong.line, wrong.byte, text.size()));
}

std::optional<Node> Node::find_json(std::string_view text, const std::string& source, int line) {
  TreeBuilder tree(source, kOfLine);
  if (build_from_json(text, true, line, tree).byte != 0) return std::nullopt;
  return tree.root(line);
}

}  // namespace tilewright
