#include "store/problems.hpp"

#include <filesystem>
#include <unordered_set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "store/kind_fields.hpp"
#include "store/preset_path.hpp"
#include "store/yaml_reader.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {

namespace {

std::vector<GemmShape> read_group(const YamlReader& node, MatrixOp op) {
  std::vector<std::string> texts;
  for (const YamlReader& item : node.items()) texts.push_back(item.text());
  if (texts.empty()) throw node.fail("lists no problem");
  try {
    return parse_shapes(texts, op);
  } catch (const Error& error) {
    throw node.fail(error.what());
  }
}

// "MxNxK", or a map with `problem` or `group` and what differs from the file's own kind.
Workload read_item(const YamlReader& node, const Workload& kind) {
  Workload workload = kind;
  if (!node.is_map()) {
    workload.shapes =
        node.parsed_by([&](const std::string& text) { return parse_shapes(text, kind.op); });
    return workload;
  }
  node.allow_only(with_kind_keys({"problem", "group", "op", "uplo"}));
  workload = read_kind(node, kind);
  const auto group = node.find("group");
  if (group && node.find("problem")) throw node.fail("has both a problem and a group");
  workload.shapes = group ? read_group(*group, workload.op)
                          : node.at("problem").parsed_by([&](const std::string& text) {
                              return parse_shapes(text, workload.op);
                            });
  return workload;
}

// Each is work of its own: minutes of it are to be asked for in several commands.
std::vector<YamlReader> some_items(const YamlReader& list, std::string_view what) {
  std::vector<YamlReader> items = list.items();
  if (items.empty()) throw list.fail(format("lists no {}", what));
  if (std::ssize(items) > kMostProblems) {
    throw list.fail(
        format("lists {} {}s, more than {}: split the file", items.size(), what, kMostProblems));
  }
  return items;
}

SuiteCase read_case(const YamlReader& node) {
  node.allow_only(with_kind_keys({"name", "problem", "op", "uplo", "config"}));
  SuiteCase read;
  read.name = read_name(node.at("name"));
  read.problem = read_workload(node);
  if (const auto config = node.find("config")) {
    read.config = config->parsed_by([](const std::string& text) { return parse_config(text); });
  }
  return read;
}

}  // namespace

std::vector<Workload> parse_workload_argument(std::string_view text, const Workload& kind) {
  if (!text.empty() && text.front() == '@') {
    const std::filesystem::path path = find_preset(text.substr(1), "problems");
    return parse_workload_file(read_file(path), path.string(), kind);
  }
  Workload workload = kind;
  workload.shapes = parse_shapes(text, kind.op);
  return {workload};
}

std::vector<Workload> parse_workload_file(std::string_view text, const std::string& source,
                                          const Workload& kind) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.problems/1");
  file.allow_only(with_kind_keys({"schema", "about", "op", "uplo", "problems"}));
  const Workload file_kind = read_kind(file, kind);
  std::vector<Workload> workloads;
  for (const YamlReader& item : some_items(file.at("problems"), "problem")) {
    workloads.push_back(read_item(item, file_kind));
  }
  return workloads;
}

std::vector<SuiteCase> parse_suite(std::string_view text, const std::string& source) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.suite/1");
  file.allow_only({"schema", "about", "cases"});
  std::vector<SuiteCase> cases;
  std::unordered_set<std::string> names;
  for (const YamlReader& node : some_items(file.at("cases"), "case")) {
    SuiteCase read = read_case(node);
    if (!names.insert(read.name).second) {
      throw node.at("name").fail(format("'{}' names two cases", read.name));
    }
    cases.push_back(std::move(read));
  }
  return cases;
}

std::vector<SuiteCase> load_suite(std::string_view path) {
  const std::filesystem::path found = find_preset(path, "suites");
  return parse_suite(read_file(found), found.string());
}

}  // namespace tilewright
