#include "store/harness_json.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "record/node.hpp"

namespace tilewright {
namespace {

// Records and reports spell it between '@', ',' and '='.
std::string read_word(const Node& node) {
  std::string word = node.text();
  const bool is_plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (word.empty() || !is_plain) {
    throw node.fail(format("'{}' is no name of letters, digits, '-', '_' and '.'", word));
  }
  return word;
}

std::vector<std::string> read_words(const Node& list) {
  std::vector<std::string> words;
  for (const Node& item : list.items()) words.push_back(item.text());
  return words;
}

std::vector<std::string> words_or(const Node& node, const std::string& key,
                                  std::vector<std::string> otherwise) {
  const auto list = node.find(key);
  return list ? read_words(*list) : std::move(otherwise);
}

bool read_memory(const Node& node) {
  const std::string memory = node.text();
  if (memory != "host" && memory != "cuda") throw node.fail("is neither host nor cuda");
  return memory == "host";
}

std::vector<HarnessAxis> read_axes(const Node& node) {
  std::vector<HarnessAxis> axes;
  for (const auto& [name, list] : node.pairs()) {
    HarnessAxis axis{.name = name, .values = {}};
    if (name == "m" || name == "n" || name == "k") throw list.fail("is a size of the problem");
    for (const Node& value : list.items()) axis.values.push_back(value.integer());
    if (axis.values.empty()) throw list.fail("has no values");
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Its names are axes and sizes.
Expression read_constraint(const Node& node, const std::vector<HarnessAxis>& axes) {
  Expression constraint =
      node.parsed_by([](const std::string& text) { return parse_expression(text); });
  std::vector<std::string_view> known = {"m", "n", "k"};
  for (const HarnessAxis& axis : axes) known.push_back(axis.name);
  for (const std::string& name : names_in(constraint)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw node.fail(
        format("'{}' is neither an axis nor m, n or k{}", name, did_you_mean(name, known)));
  }
  return constraint;
}

std::vector<int64_t> read_config_values(const Node& node, const std::vector<HarnessAxis>& axes) {
  std::vector<std::string_view> known;
  std::vector<int64_t> values;
  for (const HarnessAxis& axis : axes) {
    known.push_back(axis.name);
    const Node value = node.at(axis.name);
    values.push_back(value.integer());
    if (std::find(axis.values.begin(), axis.values.end(), values.back()) == axis.values.end()) {
      throw value.fail("is none of the axis's values");
    }
  }
  node.allow_only(known);
  return values;
}

// One of the configs.
std::vector<AxisValue> read_default(const Node& node, const HarnessDescription& harness) {
  const std::vector<int64_t> values = read_config_values(node, harness.axes);
  const std::vector<std::vector<int64_t>>& configs = harness.configs;
  if (!configs.empty() && std::find(configs.begin(), configs.end(), values) == configs.end()) {
    throw node.fail("is none of the configs");
  }
  std::vector<AxisValue> named;
  for (size_t i = 0; i < values.size(); ++i) named.push_back({harness.axes[i].name, values[i]});
  return named;
}

// The words of `needs` are words of `epilogue`.
std::vector<std::string> read_needs(const Node& list, const std::vector<std::string>& taken) {
  std::vector<std::string> needs = read_words(list);
  for (size_t i = 0; i < needs.size(); ++i) {
    if (std::find(taken.begin(), taken.end(), needs[i]) != taken.end()) continue;
    throw list.items()[i].fail(format("'{}' is not in epilogue", needs[i]));
  }
  return needs;
}

constexpr HarnessKey kHarnessKeys[] = {
    {"name", "the name of the kernel in reports and stores: letters, digits, '-', '_' and '.'",
     "\"my_gemm\""},
    {"memory", "cuda, or host for a kernel that runs on the CPU: --device host", "\"cuda\""},
    {"op", "the operations that it computes", "[\"gemm\"]"},
    {"dtype", "the types of A and B", "[\"bf16\", \"f16\"]"},
    {"out_dtype", "the types of D; default: those of A and B", "[\"bf16\", \"f32\"]"},
    {"layout", "some of tn, nn, nt and tt; default: tn", "[\"tn\", \"nn\"]"},
    {"epilogue", "what it computes besides the product; default: nothing",
     "[\"alpha\", \"bias\", \"relu\"]"},
    {"needs", "the words of epilogue that every product must have; default: none", "[\"bias\"]"},
    {"groups", "true if one launch computes several products; default: false", "false"},
    {"axes",
     "the parameters that a search chooses, each with its values, the preferred value first",
     "{\"tile_m\": [128, 64], \"stages\": [4, 3]}"},
    {"constraints",
     "conditions of a legal config: + - * / % < <= > >= == != && || !, min, max, ceil_div and "
     "round_up of axes, m, n and k",
     "[\"k % 64 == 0\", \"tile_m * stages <= 512\"]"},
    {"configs", "the configs, instead of all combinations of the axes' values",
     "[{\"tile_m\": 128, \"stages\": 3}]"},
    {"default",
     "the config that runs where nothing was tuned: a search times it beside its best ones",
     "{\"tile_m\": 128, \"stages\": 3}"},
    {"compiler", "what compiled the kernels: a name and a version", "\"triton 3.9.0\""}};

}  // namespace

std::span<const HarnessKey> harness_keys() {
  return kHarnessKeys;
}

std::vector<std::string_view> with_harness_keys(std::vector<std::string_view> others) {
  for (const HarnessKey& key : kHarnessKeys) {
    if (key.key != "memory" && key.key != "groups") others.push_back(key.key);
  }
  return others;
}

HarnessDescription read_harness_keys(const Node& node) {
  HarnessDescription harness;
  harness.name = read_word(node.at("name"));
  harness.takes.ops = read_words(node.at("op"));
  harness.takes.dtypes = read_words(node.at("dtype"));
  harness.takes.out_dtypes = words_or(node, "out_dtype", {});
  harness.takes.layouts = words_or(node, "layout", {"tn"});
  harness.takes.epilogue = words_or(node, "epilogue", {});
  if (const auto needs = node.find("needs")) {
    harness.takes.needs = read_needs(*needs, harness.takes.epilogue);
  }
  if (const auto compiler = node.find("compiler")) harness.compiler = read_name(*compiler);
  if (const auto axes = node.find("axes")) harness.axes = read_axes(*axes);
  if (const auto constraints = node.find("constraints")) {
    for (const Node& one : constraints->items()) {
      harness.constraints.push_back(read_constraint(one, harness.axes));
    }
  }
  if (const auto configs = node.find("configs")) {
    for (const Node& one : configs->items()) {
      harness.configs.push_back(read_config_values(one, harness.axes));
    }
  }
  if (const auto node_of_default = node.find("default")) {
    harness.default_values = read_default(*node_of_default, harness);
  }
  return harness;
}

HarnessDescription read_harness(const HarnessText& said, const std::string& file) {
  if (!said.why_not.empty()) throw usage_error(format("harness {}: {}", file, said.why_not));
  const std::string source = format("harness {}: its description", file);
  if (!Document::accept(said.json)) {
    throw usage_error(format("{} is not JSON: '{}'", source, said.json.substr(0, 60)));
  }
  const Node node = Node::parse(said.json, source);
  node.allow_only(with_harness_keys({"memory", "groups"}));
  HarnessDescription harness = read_harness_keys(node);
  harness.file = file;
  harness.build = said.build;
  harness.maps = said.maps;
  harness.on_host = read_memory(node.at("memory"));
  if (const auto groups = node.find("groups")) harness.takes.groups = groups->flag();
  return harness;
}

}  // namespace tilewright
