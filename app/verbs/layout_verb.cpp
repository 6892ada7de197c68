// `analyze layout`: a layout's properties, its costs, and the steps of its expression.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "layout/algebra/layout_comparison.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/algebra/nested_conversion.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/text/layout_report.hpp"
#include "render/table.hpp"
#include "store/layout_json.hpp"
#include "verbs/layout_access.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

std::string footprint_text(const LayoutReport& r, const LayoutJsonParts& parts) {
  if (!r.footprint) return "unknown";
  std::string text = format("{} elements", *r.footprint);
  if (parts.element_bits) text += format(", {} bytes", footprint_bytes(r, *parts.element_bits));
  return text;
}

// The same swizzle on byte addresses: M grows by log2 of the element's bytes.
std::string swizzle_text(const Swizzle& s, const LayoutJsonParts& parts) {
  std::string text = format("{} on elements", to_string(s));
  if (!parts.element_bits) return text;
  const int64_t bits = *parts.element_bits;
  const Swizzle bytes = bits >= 8 ? downcast(s, bits / 8) : upcast(s, 8 / bits);
  return text + format(" = {} on bytes", to_string(bytes));
}

std::string report_text(const LayoutReport& r, const LayoutJsonParts& parts) {
  if (r.value) return row("value", r.text);
  std::string text = row("layout", r.dialect_text);
  if (r.layout.swizzle) text += row("swizzle", swizzle_text(*r.layout.swizzle, parts));
  text += row("size", format("{}", r.size));
  text += row("cosize", to_string(r.cosize));
  text += row("footprint", footprint_text(r, parts));
  text += row("rank", format("{}", r.rank));
  text += row("depth", format("{}", r.depth));
  text += row("injective", !r.injective ? "unknown" : *r.injective ? "yes" : "no");
  return text;
}

std::string parts_text(const LayoutReport& r, const LayoutJsonParts& parts) {
  std::string text;
  if (parts.comparison) {
    text +=
        row("equal", parts.comparison->equal ? "yes" : format("no: {}", parts.comparison->reason));
  }
  for (const LayoutLint& lint : r.lint) {
    text += row("lint", format("{}: {}", lint.code, lint.message));
  }
  text += access_rows(parts);
  if (parts.linear) {
    text += format(
        "\nover F2: columns are bits of the index, lowest first, one group for each mode; "
        "rows\nare bits of the offset, which is the XOR of the columns whose index bits are 1\n{}",
        matrix_text(*parts.linear));
  }
  if (parts.offsets) {
    std::vector<std::string> texts;
    for (const IntTuple& offset : *parts.offsets) texts.push_back(to_string(offset));
    text += row("offsets", join(texts, " "));
  }
  return text;
}

LayoutJsonParts parts_of(const LayoutRequest& request) {
  const LayoutReport& report = request.report;
  LayoutJsonParts parts;
  parts.element_bits = request.element_bits;
  if (request.explain) parts.steps = request.why.lines();
  if (report.value) {
    if (request.offsets) parts.offsets = {*report.value};
    return parts;
  }
  if (request.equal) parts.comparison = compare(report.layout, *request.equal);
  add_layout_access(request, parts);
  if (request.linear) parts.linear = linear_of(report.layout);
  if (request.offsets) parts.offsets = values_in_order(report.layout);
  return parts;
}

std::vector<NamedNumber> numbers_of(const LayoutReport& report, const LayoutJsonParts& parts) {
  std::vector<NamedNumber> numbers = numbers_of(report);
  add_access_numbers(parts, numbers);
  return numbers;
}

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

// The lowest thread of each element: '.' none, '+' several.
std::string picture(const NestedReport& r) {
  constexpr int64_t kMaxRows = 32;
  constexpr int64_t kMaxCols = 32;
  const Extents shape = vector_shape(r.layout);
  const int64_t cols = shape.back();
  const auto rows = static_cast<int64_t>(r.owners.size()) / cols;
  std::string text = "the thread of each element; '+': several threads, '.': none\n";
  for (int64_t i = 0; i < std::min(rows, kMaxRows); ++i) {
    for (int64_t j = 0; j < std::min(cols, kMaxCols); ++j) {
      const ElementOwners& owner = r.owners[static_cast<size_t>(i * cols + j)];
      text += owner.count == 0 ? format("{:>5}", ".")
                               : format("{:>4}{}", owner.first, owner.count > 1 ? "+" : " ");
    }
    text += cols > kMaxCols ? " ...\n" : "\n";
  }
  return text + (rows > kMaxRows ? "...\n" : "");
}

constexpr const char* kSizeFromStrides =
    ", the smallest power of two that the thread strides ask for (--subgroup-size)";

std::string report_text(const NestedReport& r) {
  std::string text = row("layout", to_string(r.layout));
  text += row("vector shape", to_string(vector_shape(r.layout)));
  text += row("distributed shape", to_string(distributed_shape(r.layout)));
  text += row("per thread", to_string(per_thread_shape(r.layout)));
  text += row("workgroup",
              format("{} subgroups of {} threads{}", r.workgroup.subgroups,
                     r.workgroup.subgroup_size, r.size_from_strides ? kSizeFromStrides : ""));
  text += row("subgroup ids", id_list(r.subgroup_ids));
  text += row("thread ids", id_list(r.thread_ids));
  text += row("replicated", format("{}", r.replicated));
  text += row("uncovered", format("{}", r.uncovered));
  text += row("CuTe, by thread", r.cute);
  text += row("Triton", r.triton);
  for (const NestedLint& lint : r.lint) {
    text += row("lint", format("{}: {}", lint.code, lint.message));
  }
  if (r.thread) text += thread_text(*r.thread);
  return text;
}

// The cost of copying the vector, row-major in memory, by the threads that hold it.
NestedAccess nested_access(const NestedRequest& request, const NestedReport& r) {
  NestedAccess access;
  if (!request.copy) return access;
  const auto& [op, bytes, space] = *request.copy;
  const ComposedLayout memory{{}, 0, row_major_layout(vector_shape(r.layout))};
  const Layout threads =
      thread_value_layout(r.layout, r.workgroup.subgroup_size, r.workgroup.subgroups);
  access.op = to_string(op);
  if (space == MemorySpace::Global) {
    access.coalescing = sectors_of_copy(memory, threads, bytes, op);
  } else {
    access.cost = cost_of_copy(memory, threads, bytes, op);
  }
  return access;
}

std::string access_text(const NestedAccess& a) {
  if (a.cost) {
    return row(a.op, format("{} instructions, {} wavefronts, ideal {}", a.cost->instructions,
                            a.cost->total, a.cost->ideal));
  }
  if (!a.coalescing) return {};
  const Coalescing& c = *a.coalescing;
  return row(a.op, format("{} sectors in {} lines, {:.1f} % of the bytes moved are used", c.sectors,
                          c.lines, 100 * c.efficiency));
}

std::vector<NamedNumber> numbers_of(const NestedReport& report, const NestedAccess& access) {
  std::vector<NamedNumber> numbers = numbers_of(report);
  for (const NamedNumber& number : numbers_of(access)) numbers.push_back(number);
  return numbers;
}

}  // namespace

std::vector<NamedNumber> numbers_of(const LayoutRequest& request) {
  return numbers_of(request.report, parts_of(request));
}

Report run_analyze_layout(const LayoutRequest& request) {
  const LayoutReport& report = request.report;
  const LayoutJsonParts parts = parts_of(request);
  std::string text;
  if (parts.steps) {
    for (const std::string& line : *parts.steps) text += line + '\n';
    text += '\n';
  }
  text += report_text(report, parts) + parts_text(report, parts);
  if (request.show) text += '\n' + grid_text(report.layout);
  Report answer{.text = {std::move(text)},
                .json = [report, parts] { return layout_json(report, parts); },
                .violated = violated_checks(request.checks, numbers_of(report, parts))};
  if (parts.comparison && !parts.comparison->equal) {
    answer.violated.push_back(format("not equal: {}", parts.comparison->reason));
  }
  return answer;
}

std::vector<NamedNumber> numbers_of(const NestedRequest& request) {
  const NestedReport report = report_nested(request);
  return numbers_of(report, nested_access(request, report));
}

Report run_analyze_nested(const NestedRequest& request) {
  const NestedReport report = report_nested(request);
  const NestedAccess access = nested_access(request, report);
  std::string text = report_text(report) + access_text(access);
  if (request.levels) text += '\n' + levels_text(report);
  if (request.show) text += '\n' + picture(report);
  return {.text = {std::move(text)},
          .json =
              [report, access, lists_levels = request.levels] {
                const NestedLevels levels = levels_of(report);
                return nested_json(report, access, lists_levels ? &levels : nullptr);
              },
          .violated = violated_checks(request.checks, numbers_of(report, access))};
}

}  // namespace tilewright
