#include "store/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <unordered_set>

#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "store/kind_fields.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

namespace {

std::string kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  return node.IsScalar() ? format("'{}'", node.Scalar()) : "nothing";
}

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Error too_many_values(const std::string& source, int64_t line) {
  return usage_error(
      format("{}:{}: the file has more than {} values, the limit", source, line, kMaxYamlNodes));
}

Error too_long_text(const std::string& source, int64_t line) {
  return usage_error(
      format("{}:{}: a text of more than {} KiB, the limit: a value is missing its "
             "end, or belongs into several",
             source, line, kMaxYamlText >> 10));
}

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
    constexpr int64_t kDeepest = 1000;
    if (c == '[' || c == '{') ++depth_;
    if (c == ']' || c == '}') --depth_;
    if (c == ',' && depth_ > 0 && ++commas_ > kMaxYamlNodes) throw too_many_values(source_, line);
    if (depth_ <= kDeepest) return;
    throw usage_error(format("{}:{}: brackets nest deeper than {}", source_, line, kDeepest));
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
    if (static_cast<int64_t>(i - parted) > kMaxYamlText) throw too_long_text(source, line);
    const bool begins = std::string_view("\n:,-[{").find(before) != std::string_view::npos;
    if (c != ' ') before = c;
    if ((c == '"' || c == '\'') && begins) {
      const size_t end = end_of_quoted(text, i);
      if (static_cast<int64_t>(end - i) > kMaxYamlText) throw too_long_text(source, line);
      i = end;
      parted = end;
      continue;
    }
    if (c == '\n') ++line;
    brackets.add(c, line);
  }
}

// Counts a document's nodes and the bytes to which its aliases expand, before anything is stored.
class NodeCounter : public YAML::EventHandler {
 public:
  explicit NodeCounter(const std::string& source) : source_(source) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor, 0); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    if (std::ssize(value) > kMaxYamlText) throw too_long_text(source_, mark.line + 1);
    leaf(mark, anchor, std::ssize(value));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const int64_t bytes = bytes_of_[anchor];
    repeated_ += bytes;
    if (repeated_ > kMaxRepeatedBytes) {
      refuse(mark, format("aliases repeat more than {} KiB: write out their values",
                          kMaxRepeatedBytes >> 10));
    }
    leaf(mark, YAML::NullAnchor, bytes);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Collection {
    YAML::anchor_t anchor;
    int64_t bytes;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) const {
    throw usage_error(format("{}:{}: {}", source_, mark.line + 1, why));
  }

  void count(const YAML::Mark& mark) {
    throw_if_interrupted();
    if (++nodes_ > kMaxYamlNodes) throw too_many_values(source_, mark.line + 1);
  }

  // A node counts as at least one byte.
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor, int64_t bytes) {
    count(mark);
    keep(anchor, bytes + 1);
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(mark);
    open_.push_back({anchor, 1});
  }

  void close() {
    const Collection closed = open_.back();
    open_.pop_back();
    keep(closed.anchor, closed.bytes);
  }

  void keep(YAML::anchor_t anchor, int64_t bytes) {
    if (anchor != YAML::NullAnchor) bytes_of_[anchor] = bytes;
    if (!open_.empty()) open_.back().bytes += bytes;
  }

  const std::string& source_;
  int64_t nodes_ = 0;
  int64_t repeated_ = 0;
  std::vector<Collection> open_;
  std::map<YAML::anchor_t, int64_t> bytes_of_;
};

// The number of documents in the text, at most two: yaml-cpp finds an endless number of documents
// in "{a},". Throws if a document has too many nodes.
int count_documents(const std::string& text, const std::string& source) {
  std::istringstream stream{text};
  YAML::Parser parser(stream);
  NodeCounter counter(source);
  int documents = 0;
  while (documents < 2 && parser.HandleNextDocument(counter)) ++documents;
  return documents;
}

// The code unit of "\\ud83d" at `at`; nothing for any other text.
std::optional<uint32_t> escaped_unit(std::string_view text, size_t at) {
  constexpr size_t kSize = 6;
  constexpr int kHex = 16;
  if (at + kSize > text.size() || text.substr(at, 2) != "\\u") return std::nullopt;
  const std::string_view digits = text.substr(at + 2, kSize - 2);
  uint32_t unit = 0;
  const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), unit, kHex);
  if (error != std::errc() || stop != digits.end()) return std::nullopt;
  return unit;
}

// JSON escapes a character above U+FFFF as two code units, YAML as one number. This replaces the
// pairs of a JSON document by one number each.
std::string with_whole_characters(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json =
      first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  if (!is_json) return std::string(text);
  constexpr size_t kPair = 12;
  std::string whole;
  whole.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const uint32_t high = escaped_unit(text, at).value_or(0);
    const uint32_t low = escaped_unit(text, at + kPair / 2).value_or(0);
    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
      whole += format("\\U{:08x}", 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
      at += kPair;
      continue;
    }
    const size_t taken = text[at] == '\\' ? 2 : 1;  // includes the character after a backslash
    whole += text.substr(at, taken);
    at += taken;
  }
  return whole;
}

ProductKind read_product_kind(const YamlReader& node, ProductKind kind) {
  for (const KindField& field : kind_fields()) {
    const auto value = node.find(std::string(field.key));
    if (!value) continue;
    value->parsed_by([&](const std::string& text) {
      field.read(kind, text);
      return true;
    });
  }
  return normalised(kind);
}

}  // namespace

YamlReader::YamlReader(const YAML::Node& node, std::string source, std::string path, int line)
    : node_(std::make_shared<const YAML::Node>(node)),
      source_(std::move(source)),
      path_(std::move(path)),
      line_(line) {}

YamlReader YamlReader::parse(std::string_view text, const std::string& source) {
  require_parsable(text, source);
  YAML::Node document;
  int documents = 0;
  try {
    const std::string whole = with_whole_characters(text);
    documents = count_documents(whole, source);
    if (documents == 1) document = YAML::Load(whole);
  } catch (const YAML::Exception& error) {
    throw usage_error(format("{}:{}: not valid YAML: {}", source, error.mark.line + 1, error.msg));
  }
  if (documents != 1 || document.IsNull()) {
    throw usage_error(format("{}: {}", source,
                             documents > 1 ? "contains several YAML documents, not one"
                                           : "is empty, not a YAML document"));
  }
  return YamlReader(document, source, "", 1);
}

YamlReader YamlReader::child(const YAML::Node& node, const std::string& step) const {
  throw_if_interrupted();
  const int line = node.Mark().is_null() ? line_ : node.Mark().line + 1;
  const bool dot = !path_.empty() && step.front() != '[';
  return YamlReader(node, source_, path_ + (dot ? "." : "") + step, line);
}

Error YamlReader::fail(const std::string& complaint) const {
  return usage_error(
      format("{}:{}: {}{}{}", source_, line_, path_, path_.empty() ? "" : ": ", complaint));
}

std::vector<std::pair<std::string, YamlReader>> YamlReader::pairs() const {
  if (!node_->IsMap()) throw fail(format("should be a map, and is {}", kind_of(*node_)));
  std::vector<std::pair<std::string, YamlReader>> found;
  std::unordered_set<std::string_view> known;
  for (const auto& pair : *node_) {
    if (!pair.first.IsScalar()) throw child(pair.first, "?").fail("a key should be a word");
    const std::string& key = pair.first.Scalar();
    if (!known.insert(key).second) throw child(pair.first, key).fail("the key appears twice");
    found.emplace_back(key, child(pair.second, key.empty() ? "''" : key));
  }
  return found;
}

std::optional<YamlReader> YamlReader::find(const std::string& key) const {
  if (!node_->IsMap()) throw fail(format("should be a map, and is {}", kind_of(*node_)));
  std::optional<YamlReader> found;
  for (const auto& pair : *node_) {
    if (!pair.first.IsScalar()) throw child(pair.first, "?").fail("a key should be a word");
    if (pair.first.Scalar() != key) continue;
    if (found) throw child(pair.first, key).fail("the key appears twice");
    found.emplace(child(pair.second, key.empty() ? "''" : key));
  }
  return found;
}

YamlReader YamlReader::at(const std::string& key) const {
  std::optional<YamlReader> value = find(key);
  if (!value) throw fail(format("lacks the key '{}'", key));
  return *std::move(value);
}

std::vector<YamlReader> YamlReader::items() const {
  if (!node_->IsSequence()) throw fail(format("should be a list, and is {}", kind_of(*node_)));
  std::vector<YamlReader> found;
  for (size_t i = 0; i < node_->size(); ++i) found.push_back(child((*node_)[i], format("[{}]", i)));
  return found;
}

bool YamlReader::is_null() const {
  return node_->IsNull();
}

bool YamlReader::is_map() const {
  return node_->IsMap();
}

bool YamlReader::is_list() const {
  return node_->IsSequence();
}

std::string YamlReader::text() const {
  if (!node_->IsScalar()) throw fail(format("should be text, and is {}", kind_of(*node_)));
  return node_->Scalar();
}

double YamlReader::number(NumberRange range) const {
  const std::optional<double> value =
      node_->IsScalar() ? parse_number<double>(node_->Scalar()) : std::nullopt;
  if (!value || !std::isfinite(*value)) {
    throw fail(format("should be a number, and is {}", kind_of(*node_)));
  }
  if (!holds(range, *value)) {
    throw fail(format("should be {}, and is {}", range_words(range), *value));
  }
  return *value;
}

int64_t YamlReader::integer() const {
  const std::optional<int64_t> value =
      node_->IsScalar() ? parse_number<int64_t>(node_->Scalar()) : std::nullopt;
  if (!value) throw fail(format("should be a whole number, and is {}", kind_of(*node_)));
  return *value;
}

int64_t YamlReader::count() const {
  const int64_t value = integer();
  if (value < 0) throw fail(format("should be at least 0, and is {}", value));
  return value;
}

int YamlReader::small_count() const {
  const int64_t value = count();
  if (value > std::numeric_limits<int>::max()) throw fail(format("{} is too large", value));
  return static_cast<int>(value);
}

bool YamlReader::flag() const {
  const std::string value = node_->IsScalar() ? node_->Scalar() : "";
  if (value != "true" && value != "false") {
    throw fail(format("should be true or false, and is {}", kind_of(*node_)));
  }
  return value == "true";
}

void YamlReader::allow_only(const std::vector<std::string_view>& keys) const {
  for (const auto& pair : pairs()) {
    if (std::find(keys.begin(), keys.end(), pair.first) != keys.end()) continue;
    throw pair.second.fail(
        format("unknown key '{}'{}", pair.first, did_you_mean(pair.first, keys)));
  }
}

void YamlReader::require_schema(std::string_view expected) const {
  const YamlReader schema = at("schema");
  if (schema.text() == expected) return;
  throw schema.fail(
      format("'{}' is not '{}', the schema that this version reads", schema.text(), expected));
}

std::string read_name(const YamlReader& node) {
  std::string name = node.text();
  if (trim(name).empty()) throw node.fail("is empty");
  const std::optional<std::string> misplaced = first_unsafe_character(name);
  if (!misplaced) return name;
  throw node.fail(format("'{}' contains {}: a name must be UTF-8 that fits on one line of a report",
                         one_line(name), *misplaced));
}

Problem read_problem(const YamlReader& node, const Problem& otherwise) {
  Problem problem{.kind = read_product_kind(node, otherwise.kind)};
  problem.shape =
      node.at("problem").parsed_by([](const std::string& text) { return parse_shape(text); });
  return problem;
}

Workload read_workload(const YamlReader& node) {
  Workload workload = read_kind(node, {});
  workload.shapes = node.at("problem").parsed_by(
      [&](const std::string& text) { return parse_shapes(text, workload.op); });
  return workload;
}

Workload read_kind(const YamlReader& node, const Workload& otherwise) {
  Workload kind = otherwise;
  kind.shapes.clear();
  kind.kind = read_product_kind(node, otherwise.kind);
  if (const auto op = node.find("op")) kind.op = op->parsed_by(parse_op);
  if (const auto uplo = node.find("uplo")) kind.uplo = uplo->parsed_by(parse_uplo);
  return kind;
}

TileConfig read_config(const YamlReader& node) {
  return read_complete_config(node, node.text());
}

TileConfig read_complete_config(const YamlReader& node, const std::string& text) {
  ConfigRequest request;
  try {
    request = parse_config(text);
  } catch (const Error& error) {
    throw node.fail(error.what());
  }
  if (const auto key = missing_key(request)) {
    throw node.fail(format("lacks the config key '{}'", *key));
  }
  return config_of(request);
}

void require_complete(const YamlReader& file) {
  const std::optional<YamlReader> complete = file.find("complete");
  if (!complete) {
    throw file.fail("the last line, 'complete: true', is missing: the file is truncated");
  }
  if (!complete->flag()) throw complete->fail("should be true");
}

std::vector<YamlReader> some_items(const YamlReader& list, std::string_view what) {
  std::vector<YamlReader> items = list.items();
  if (items.empty()) throw list.fail(format("lists no {}", what));
  if (std::ssize(items) > kMaxProblems) {
    throw list.fail(format("lists {} {}s, and the limit is {}: split the file", items.size(), what,
                           kMaxProblems));
  }
  return items;
}

}  // namespace tilewright
