#include "store/manifest_argument.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kStruct = "struct";

ArgumentType read_type(const YamlReader& node, bool is_field) {
  std::optional<ArgumentType> type;
  for (size_t i = 0; i < kArgumentTypes.size(); ++i) {
    if (!node.find(std::string(kArgumentTypes[i]))) continue;
    if (type) throw node.fail("has two types");
    type = static_cast<ArgumentType>(i);
  }
  if (type) return *type;
  std::vector<std::string_view> known(kArgumentTypes.begin(), kArgumentTypes.end());
  if (!is_field) known.push_back(kStruct);
  throw node.fail(format("has no type: one of {}", join_words(known, "or")));
}

int64_t read_unit(const YamlReader& node) {
  constexpr int64_t kMaxUnit = 1 << 16;
  const int64_t unit = node.count();
  if (unit < 1 || unit > kMaxUnit) throw node.fail(format("{} is not 1 to {}", unit, kMaxUnit));
  return unit;
}

std::string read_scalar(const YamlReader& node) {
  std::string text = node.text();
  if (text != "alpha" && text != "beta" && !parse_finite(text)) {
    throw node.fail(format("'{}' is neither alpha, beta nor a number", text));
  }
  return text;
}

std::string read_operand(const YamlReader& node, std::span<const ManifestScratch> scratch) {
  std::vector<std::string_view> known(kOperandNames.begin(), kOperandNames.end());
  for (const ManifestScratch& one : scratch) known.push_back(one.name);
  return std::string(known[index_of_word(node, known)]);
}

int read_one_of(const YamlReader& node, const std::string& key, const std::vector<int>& choices) {
  const auto found = node.find(key);
  if (!found) return 0;
  const int value = found->small_count();
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::vector<std::string> known;
  known.reserve(choices.size());
  for (const int choice : choices) known.push_back(format("{}", choice));
  throw found->fail(format("{} is none of {}", value, join(known, ", ")));
}

TensorMapRecipe read_map(const YamlReader& node, const ManifestNames& names) {
  constexpr size_t kMaxDimensions = 5;
  TensorMapRecipe map{.element = node.at("element").parsed_by(parse_data_type),
                      .extents = names.numbers(node.at("extents")),
                      .strides = {},
                      .box = names.numbers(node.at("box"))};
  if (const auto strides = node.find("strides")) map.strides = names.numbers(*strides);
  const size_t dimensions = map.extents.size();
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    throw node.at("extents").fail(format("has {} dimensions, not 1 to 5", dimensions));
  }
  if (map.box.size() != dimensions) {
    throw node.at("box").fail(
        format("has {} dimensions, and extents {}", map.box.size(), dimensions));
  }
  if (map.strides.size() + 1 != dimensions) {
    throw node.fail(format("has {} strides, not {}: of every dimension but the innermost",
                           map.strides.size(), dimensions - 1));
  }
  map.swizzle_bytes = read_one_of(node, "swizzle", {0, 32, 64, 128});
  map.l2_promotion_bytes = read_one_of(node, "l2_promotion", {0, 64, 128, 256});
  return map;
}

// Reads a value, of a parameter or of a field.
ManifestArgument read_argument(const YamlReader& node, const ManifestNames& names,
                               std::span<const ManifestScratch> scratch, bool is_field) {
  const ArgumentType type = read_type(node, is_field);
  const std::string word(kArgumentTypes[static_cast<size_t>(type)]);
  ManifestArgument argument{.type = type,
                            .operand = {},
                            .value = {},
                            .scalar = {},
                            .map = {},
                            .place = names.place_of(node)};
  std::vector<std::string_view> keys = {word};
  if (is_field) keys.emplace_back("at");
  if (type == ArgumentType::F32) {
    argument.scalar = read_scalar(node.at(word));
  } else {
    keys.emplace_back("divisible_by");
  }
  if (type == ArgumentType::Pointer || type == ArgumentType::TensorMap) {
    argument.operand = read_operand(node.at(word), scratch);
  } else if (type != ArgumentType::F32) {
    argument.value = names.number(node.at(word));
  }
  if (type == ArgumentType::TensorMap) {
    for (const char* const key :
         {"element", "extents", "strides", "box", "swizzle", "l2_promotion"}) {
      keys.emplace_back(key);
    }
  }
  node.allow_only(keys);
  if (const auto unit = node.find("divisible_by")) argument.divisible_by = read_unit(*unit);
  if (type == ArgumentType::TensorMap) argument.map = read_map(node, names);
  return argument;
}

// Reads where a field lies: aligned as compilers align its type, inside the struct, and behind the
// field before it.
int read_place(const YamlReader& node, ArgumentType type, int begin, int end) {
  const YamlReader written = node.at("at");
  const int at = written.small_count();
  const std::string_view word = kArgumentTypes[static_cast<size_t>(type)];
  const int alignment = alignment_of(type);
  if (at % alignment != 0) {
    throw written.fail(
        format("{} is no multiple of {}, as the place of a {} is", at, alignment, word));
  }
  if (at < begin) {
    throw written.fail(
        format("{} lies in the field before, which ends at {}: list fields in order", at, begin));
  }
  if (at > end - bytes_of(type)) {
    throw written.fail(format("a {} at {} ends outside of the struct's {} bytes", word, at, end));
  }
  return at;
}

int read_struct(const YamlReader& node, const ManifestNames& names,
                std::span<const ManifestScratch> scratch, ManifestLaunch& launch) {
  constexpr int kMaxBytes = 32764;  // of all parameters, from CUDA 12.1 on
  node.allow_only({kStruct, "fields"});
  const YamlReader written = node.at(std::string(kStruct));
  const int bytes = written.small_count();
  if (bytes < 1 || bytes > kMaxBytes) {
    throw written.fail(format("{} bytes are not 1 to {}", bytes, kMaxBytes));
  }
  int begin = 0;
  for (const YamlReader& field : node.at("fields").items()) {
    ManifestArgument argument = read_argument(field, names, scratch, true);
    argument.parameter = static_cast<int>(launch.parameters.size());
    argument.at = read_place(field, argument.type, begin, bytes);
    begin = argument.at + bytes_of(argument.type);
    launch.arguments.push_back(std::move(argument));
  }
  return bytes;
}

}  // namespace

void read_manifest_parameter(const YamlReader& node, const ManifestNames& names,
                             std::span<const ManifestScratch> scratch, ManifestLaunch& launch) {
  ManifestParameter parameter{.type = std::string(kStruct), .place = names.place_of(node)};
  if (node.find(parameter.type)) {
    parameter.bytes = read_struct(node, names, scratch, launch);
  } else {
    ManifestArgument argument = read_argument(node, names, scratch, false);
    argument.parameter = static_cast<int>(launch.parameters.size());
    parameter.type = kArgumentTypes[static_cast<size_t>(argument.type)];
    parameter.bytes = bytes_of(argument.type);
    launch.arguments.push_back(std::move(argument));
  }
  launch.parameters.push_back(std::move(parameter));
}

}  // namespace tilewright
