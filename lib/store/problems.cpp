#include "store/problems.hpp"

#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "record/kind_fields.hpp"
#include "record/node.hpp"
#include "store/preset_path.hpp"

namespace tilewright {

namespace {

std::vector<GemmShape> read_group(const Node& node, MatrixOp op) {
  std::vector<std::string> texts;
  for (const Node& item : node.items()) texts.push_back(item.text());
  if (texts.empty()) throw node.fail("lists no problem");
  try {
    return parse_shapes(texts, op);
  } catch (const Error& error) {
    throw node.fail(error.what());
  }
}

// "MxNxK", or a map with `problem` or `group` and the keys that differ from the file's `kind`.
Workload read_item(const Node& node, const Workload& kind) {
  if (!node.is_map()) {
    return node.parsed_by(
        [&](const std::string& text) { return with_shapes(kind, parse_shapes(text, kind.op)); });
  }
  node.allow_only(with_launch_keys({"problem", "group", "calls"}));
  const Workload own = read_kind(node, kind);
  const auto group = node.find("group");
  if (group && node.find("problem")) throw node.fail("has both a problem and a group");
  if (group) return with_shapes(own, read_group(*group, own.op));
  return node.at("problem").parsed_by(
      [&](const std::string& text) { return with_shapes(own, parse_shapes(text, own.op)); });
}

int64_t calls_of(const Node& item) {
  const auto calls = item.is_map() ? item.find("calls") : std::nullopt;
  return calls ? calls->count() : 0;
}

// A batch as BxMxNxK.
std::string problem_text(const Workload& workload) {
  if (!is_batch(workload)) return shapes_text(workload);
  return format("{}x{}", workload.shapes.size(), to_string(workload.shapes.front()));
}

}  // namespace

ProblemArgument read_problem_argument(std::string_view text) {
  ProblemArgument argument{.text = std::string(text)};
  if (text.empty() || text.front() != '@') return argument;
  const std::filesystem::path path = find_preset(text.substr(1), "problems");
  argument.file = path.string();
  argument.content = read_file(path);
  return argument;
}

std::vector<Workload> workloads_of(const ProblemArgument& argument, const Workload& kind) {
  if (!argument.file.empty()) return parse_workload_file(argument.content, argument.file, kind);
  return {with_shapes(kind, parse_shapes(argument.text, kind.op))};
}

std::string harness_of(const ProblemArgument& argument) {
  if (argument.file.empty()) return {};
  const Node file = Node::parse(argument.content, argument.file);
  const auto harness = file.is_map() ? file.find("harness") : std::nullopt;
  return harness ? harness->text() : std::string();
}

std::vector<CountedWorkload> parse_counted_file(std::string_view text, const std::string& source,
                                                const Workload& kind) {
  const Node file = Node::parse(text, source);
  file.require_schema(kProblemsSchema);
  file.allow_only(with_launch_keys({"schema", "about", "harness", "problems"}));
  const Workload file_kind = read_kind(file, kind);
  std::vector<CountedWorkload> workloads;
  for (const Node& item : some_items(file.at("problems"), "problem")) {
    workloads.push_back({read_item(item, file_kind), calls_of(item)});
  }
  return workloads;
}

std::vector<Workload> parse_workload_file(std::string_view text, const std::string& source,
                                          const Workload& kind) {
  std::vector<Workload> workloads;
  for (CountedWorkload& one : parse_counted_file(text, source, kind)) {
    workloads.push_back(std::move(one.workload));
  }
  return workloads;
}

std::string problems_yaml(const std::vector<CountedWorkload>& workloads, const std::string& about) {
  Document file = {{"schema", kProblemsSchema}, {"about", about}};
  for (const auto& [workload, calls] : workloads) {
    Document item = to_document(workload);
    item["problem"] = problem_text(workload);
    if (calls > 0) item["calls"] = calls;
    file["problems"].push_back(std::move(item));
  }
  return to_yaml(file);
}

}  // namespace tilewright
