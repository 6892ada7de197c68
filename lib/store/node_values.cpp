#include "store/node_values.hpp"

#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

std::string read_text(const std::optional<YamlReader>& node) {
  return node ? node->text() : "";
}

Interval read_interval(const YamlReader& node) {
  const std::vector<YamlReader> ends = node.items();
  if (ends.size() != 2) throw node.fail(format("has {} numbers, not [low, high]", ends.size()));
  return {.low = ends[0].number(), .high = ends[1].number()};
}

Problem read_problem(const YamlReader& node, const Problem& otherwise) {
  Problem problem = read_problem_kind(node, otherwise);
  problem.shape =
      node.at("problem").parsed_by([](const std::string& text) { return parse_shape(text); });
  return problem;
}

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
