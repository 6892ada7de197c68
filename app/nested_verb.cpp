// `analyze nested`: which thread holds which element of a vector under an IREE nested layout.

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "checks.hpp"
#include "nested_subject.hpp"
#include "store/nested_json.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::string id_list(const std::vector<int64_t>& ids) {
  constexpr size_t kShown = 16;
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(kShown, ids.size()); ++i) texts.push_back(format("{}", ids[i]));
  return format("{}{}", join(texts, " "), ids.size() > kShown ? " ..." : "");
}

std::string thread_text(const NestedThread& thread) {
  constexpr size_t kShown = 8;
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(kShown, thread.elements.size()); ++i) {
    texts.push_back(to_string(thread.elements[i]));
  }
  std::string text = row(
      format("thread {}", thread.thread),
      format("at {} of subgroup {}", to_string(thread.at.thread), to_string(thread.at.subgroup)));
  return text + row("holds", format("{}{}", join(texts, " "),
                                    thread.elements.size() > kShown ? " ..." : ""));
}

// The lowest thread of each element: '.' nobody, '+' several.
std::string picture(const NestedReport& r) {
  constexpr int64_t kMostRows = 32;
  constexpr int64_t kMostCols = 32;
  const Extents shape = vector_shape(r.layout);
  const int64_t cols = shape.back();
  const auto rows = static_cast<int64_t>(r.owners.size()) / cols;
  std::string text = "the thread of each element, '+' one of several, '.' nobody\n";
  for (int64_t i = 0; i < std::min(rows, kMostRows); ++i) {
    for (int64_t j = 0; j < std::min(cols, kMostCols); ++j) {
      const ElementOwners& owner = r.owners[static_cast<size_t>(i * cols + j)];
      text += owner.count == 0 ? format("{:>5}", ".")
                               : format("{:>4}{}", owner.first, owner.count > 1 ? "+" : " ");
    }
    text += cols > kMostCols ? " ...\n" : "\n";
  }
  return text + (rows > kMostRows ? "...\n" : "");
}

std::string report_text(const NestedReport& r) {
  std::string text = row("layout", to_string(r.layout));
  text += row("vector shape", to_string(vector_shape(r.layout)));
  text += row("distributed shape", to_string(distributed_shape(r.layout)));
  text += row("per thread", to_string(per_thread_shape(r.layout)));
  text += row("workgroup", format("{} subgroups of {} threads", r.workgroup.subgroups,
                                  r.workgroup.subgroup_size));
  text += row("subgroup ids", id_list(r.subgroup_ids));
  text += row("thread ids", id_list(r.thread_ids));
  text += row("replicated", format("{}", r.replicated));
  text += row("uncovered", format("{}", r.uncovered));
  for (const NestedLint& lint : r.lint) {
    text += row("lint", format("{}: {}", lint.code, lint.message));
  }
  if (r.thread) text += thread_text(*r.thread);
  return text;
}

}  // namespace

ExitCode run_analyze_nested(const NestedOptions& options, Console& console) {
  const std::vector<CheckExpression> checks = parse_checks(options.checks);
  const NestedReport report = report_nested(options);
  const std::vector<std::string> violated = violated_checks(checks, numbers_of(report));
  if (options.format == Format::Json) {
    console.out << nested_json(report);
  } else {
    console.out << report_text(report);
    if (options.show) console.out << '\n' << picture(report);
  }
  return report_violations(violated, console);
}

}  // namespace tilewright
