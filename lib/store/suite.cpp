#include "store/suite.hpp"

#include <unordered_set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "store/node_values.hpp"
#include "store/preset_path.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

SuiteCase read_case(const YamlReader& node) {
  node.allow_only({"name", "problem", "dtype", "out_dtype", "layout", "bias", "config"});
  SuiteCase read;
  read.name = node.at("name").text();
  if (trim(read.name).empty()) throw node.at("name").fail("is empty");
  read.problem = read_problem(node);
  if (const auto config = node.find("config")) {
    read.config = config->parsed_by([](const std::string& text) { return parse_config(text); });
  }
  return read;
}

}  // namespace

std::vector<SuiteCase> parse_suite(std::string_view text, const std::string& source) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.suite/1");
  file.allow_only({"schema", "about", "cases"});
  std::vector<SuiteCase> cases;
  std::unordered_set<std::string> names;
  for (const YamlReader& node : file.at("cases").items()) {
    SuiteCase read = read_case(node);
    if (!names.insert(read.name).second) {
      throw node.at("name").fail(format("'{}' names two cases", read.name));
    }
    cases.push_back(std::move(read));
  }
  if (cases.empty()) throw file.at("cases").fail("lists no case");
  return cases;
}

std::vector<SuiteCase> load_suite(std::string_view path) {
  const std::filesystem::path found = find_preset(path, "suites");
  return parse_suite(read_file(found), found.string());
}

}  // namespace tilewright
