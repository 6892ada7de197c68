#include "store/problems.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/preset_path.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
namespace {

GemmShape read_shape(const YamlReader& node) {
  return node.parsed_by([](const std::string& text) { return parse_shape(text); });
}

DataType read_dtype(const std::optional<YamlReader>& node, DataType otherwise) {
  if (!node) return otherwise;
  return node->parsed_by([](const std::string& text) { return parse_data_type(text); });
}

}  // namespace

std::vector<Problem> parse_problem_argument(std::string_view text, DataType dtype) {
  if (!text.empty() && text.front() == '@') {
    const std::filesystem::path path = find_preset(text.substr(1), "problems");
    return parse_problem_file(read_file(path), path.string(), dtype);
  }
  if (text.find(',') != std::string_view::npos) {
    throw usage_error(
        format("'{}' is a grouped problem, which this version does not run; give the problems as "
               "separate words to tune each by itself",
               text));
  }
  return {{.shape = parse_shape(text), .dtype = dtype}};
}

std::vector<Problem> parse_problem_file(std::string_view text, const std::string& source,
                                        DataType dtype) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.problems/1");
  file.allow_only({"schema", "about", "dtype", "problems"});
  const DataType file_dtype = read_dtype(file.find("dtype"), dtype);
  std::vector<Problem> problems;
  for (const YamlReader& item : file.at("problems").items()) {
    problems.push_back({.shape = read_shape(item), .dtype = file_dtype});
  }
  if (problems.empty()) throw file.at("problems").fail("lists no problem");
  return problems;
}

}  // namespace tilewright
