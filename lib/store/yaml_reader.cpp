#include "store/yaml_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/interruption.hpp"
#include "base/text.hpp"
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

// The parser refuses deep documents itself, but only when it has read all of their brackets.
void require_shallow(std::string_view text, const std::string& source) {
  constexpr int64_t kDeepest = 1000;
  int64_t depth = 0;
  int64_t line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) {
      throw usage_error(format("{}:{}: brackets nest deeper than {}", source, line, kDeepest));
    }
  }
}

}  // namespace

YamlReader YamlReader::parse(std::string_view text, const std::string& source) {
  require_shallow(text, source);
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(std::string(text));
  } catch (const YAML::Exception& error) {
    throw usage_error(format("{}:{}: not valid YAML: {}", source, error.mark.line + 1, error.msg));
  }
  if (documents.size() != 1 || documents[0].IsNull()) {
    throw usage_error(format("{}: {}", source,
                             documents.size() > 1 ? "holds several YAML documents, not one"
                                                  : "is empty, not a YAML document"));
  }
  return YamlReader(documents[0], source, "", 1);
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
  if (!node_.IsMap()) throw fail(format("should be a map, and is {}", kind_of(node_)));
  std::vector<std::pair<std::string, YamlReader>> found;
  std::unordered_set<std::string_view> known;
  for (const auto& pair : node_) {
    if (!pair.first.IsScalar()) throw child(pair.first, "?").fail("a key should be a word");
    const std::string& key = pair.first.Scalar();
    if (!known.insert(key).second) throw child(pair.first, key).fail("the key comes twice");
    found.emplace_back(key, child(pair.second, key.empty() ? "''" : key));
  }
  return found;
}

std::optional<YamlReader> YamlReader::find(const std::string& key) const {
  for (auto& pair : pairs()) {
    if (pair.first == key) return std::move(pair.second);
  }
  return std::nullopt;
}

YamlReader YamlReader::at(const std::string& key) const {
  std::optional<YamlReader> value = find(key);
  if (!value) throw fail(format("lacks the key '{}'", key));
  return *std::move(value);
}

std::vector<YamlReader> YamlReader::items() const {
  if (!node_.IsSequence()) throw fail(format("should be a list, and is {}", kind_of(node_)));
  std::vector<YamlReader> found;
  for (size_t i = 0; i < node_.size(); ++i) found.push_back(child(node_[i], format("[{}]", i)));
  return found;
}

bool YamlReader::is_map() const {
  return node_.IsMap();
}

std::string YamlReader::text() const {
  if (!node_.IsScalar()) throw fail(format("should be text, and is {}", kind_of(node_)));
  return node_.Scalar();
}

double YamlReader::number() const {
  const std::optional<double> value =
      node_.IsScalar() ? parse_number<double>(node_.Scalar()) : std::nullopt;
  if (!value || !std::isfinite(*value)) {
    throw fail(format("should be a number, and is {}", kind_of(node_)));
  }
  return *value;
}

double YamlReader::positive() const {
  const double value = number();
  if (value <= 0) throw fail(format("should be above 0, and is {}", value));
  return value;
}

int64_t YamlReader::integer() const {
  const std::optional<int64_t> value =
      node_.IsScalar() ? parse_number<int64_t>(node_.Scalar()) : std::nullopt;
  if (!value) throw fail(format("should be a whole number, and is {}", kind_of(node_)));
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
  const std::string value = node_.IsScalar() ? node_.Scalar() : "";
  if (value != "true" && value != "false") {
    throw fail(format("should be true or false, and is {}", kind_of(node_)));
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

std::string read_text(const std::optional<YamlReader>& node) {
  return node ? node->text() : "";
}

Interval read_interval(const YamlReader& node) {
  const std::vector<YamlReader> ends = node.items();
  if (ends.size() != 2) throw node.fail(format("has {} numbers, not [low, high]", ends.size()));
  return {.low = ends[0].number(), .high = ends[1].number()};
}

namespace {

Problem read_problem_kind(const YamlReader& node, const Problem& otherwise) {
  Problem problem = otherwise;
  if (const auto dtype = node.find("dtype")) {
    problem.dtype = dtype->parsed_by([](const std::string& text) { return parse_data_type(text); });
  }
  if (const auto output = node.find("out_dtype")) {
    problem.out_dtype =
        output->parsed_by([](const std::string& text) { return parse_output_type(text); });
  }
  if (const auto layout = node.find("layout")) {
    problem.layout =
        layout->parsed_by([](const std::string& text) { return parse_matrix_layout(text); });
  }
  if (const auto bias = node.find("bias")) problem.bias = bias->flag();
  return normalised(problem);
}

}  // namespace

Problem read_problem(const YamlReader& node, const Problem& otherwise) {
  Problem problem = read_problem_kind(node, otherwise);
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
  Workload outer = otherwise;
  outer.shapes = {{}};
  Workload kind = workload_of(read_problem_kind(node, problem_of(outer, 0)));
  kind.op = otherwise.op;
  kind.uplo = otherwise.uplo;
  if (const auto op = node.find("op")) kind.op = op->parsed_by(parse_op);
  if (const auto uplo = node.find("uplo")) kind.uplo = uplo->parsed_by(parse_uplo);
  return kind;
}

TileConfig read_config(const YamlReader& node) {
  return read_whole_config(node, node.text());
}

TileConfig read_whole_config(const YamlReader& node, const std::string& text) {
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

DeviceFingerprint read_fingerprint(const YamlReader& node) {
  node.allow_only({"name", "preset", "compute", "sm_count", "l2_bytes", "memory_bytes"});
  return {.name = node.at("name").text(),
          .compute = node.at("compute").text(),
          .sm_count = node.at("sm_count").small_count(),
          .l2_bytes = node.at("l2_bytes").count(),
          .memory_bytes = node.at("memory_bytes").count(),
          .preset = node.at("preset").flag()};
}

void require_complete(const YamlReader& file) {
  const std::optional<YamlReader> complete = file.find("complete");
  if (!complete) {
    throw file.fail("the last line, 'complete: true', is missing: the file is truncated");
  }
  if (!complete->flag()) throw complete->fail("should be true");
}

}  // namespace tilewright
