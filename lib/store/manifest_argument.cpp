#include "store/manifest_argument.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
namespace {

ArgumentType read_type(const YamlReader& node) {
  std::optional<ArgumentType> type;
  for (size_t i = 0; i < kArgumentTypes.size(); ++i) {
    if (!node.find(std::string(kArgumentTypes[i]))) continue;
    if (type) throw node.fail("has two types");
    type = static_cast<ArgumentType>(i);
  }
  if (!type) throw node.fail(format("has no type: one of {}", join_words(kArgumentTypes, "or")));
  return *type;
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

}  // namespace

ManifestArgument read_manifest_argument(const YamlReader& node, const ManifestNames& names,
                                        std::span<const ManifestScratch> scratch) {
  const ArgumentType type = read_type(node);
  const std::string word(kArgumentTypes[static_cast<size_t>(type)]);
  ManifestArgument argument{.type = type,
                            .operand = {},
                            .value = {},
                            .scalar = {},
                            .map = {},
                            .place = names.place_of(node)};
  std::vector<std::string_view> keys = {word};
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

}  // namespace tilewright
