#include "store/problems.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/node_values.hpp"
#include "store/preset_path.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
namespace {

// "MxNxK", or a map with `problem` and what differs from the file's own kind.
Problem read_item(const YamlReader& node, const Problem& kind) {
  if (node.is_map()) {
    node.allow_only({"problem", "dtype", "out_dtype", "layout", "bias"});
    return read_problem(node, kind);
  }
  Problem problem = kind;
  problem.shape = node.parsed_by([](const std::string& text) { return parse_shape(text); });
  return problem;
}

}  // namespace

std::vector<Problem> parse_problem_argument(std::string_view text, const Problem& kind) {
  if (!text.empty() && text.front() == '@') {
    const std::filesystem::path path = find_preset(text.substr(1), "problems");
    return parse_problem_file(read_file(path), path.string(), kind);
  }
  if (text.find(',') != std::string_view::npos) {
    throw usage_error(
        format("'{}' is a grouped problem, which this version does not run; give the problems as "
               "separate words to tune each by itself",
               text));
  }
  Problem problem = kind;
  problem.shape = parse_shape(text);
  return {problem};
}

std::vector<Problem> parse_problem_file(std::string_view text, const std::string& source,
                                        const Problem& kind) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.problems/1");
  file.allow_only({"schema", "about", "dtype", "out_dtype", "layout", "bias", "problems"});
  const Problem file_kind = read_problem_kind(file, kind);
  std::vector<Problem> problems;
  for (const YamlReader& item : file.at("problems").items()) {
    problems.push_back(read_item(item, file_kind));
  }
  if (problems.empty()) throw file.at("problems").fail("lists no problem");
  return problems;
}

}  // namespace tilewright
