#include "layout/text/layout_report.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "layout/algebra/inverse.hpp"
#include "layout/algebra/layout_evaluator.hpp"
#include "layout/text/iree_text.hpp"
#include "layout/text/layout_expression.hpp"
#include "layout/text/program_text.hpp"
#include "layout/text/triton_dialect.hpp"

namespace tilewright {

namespace {

void add_lint(LayoutReport& r) {
  if (r.injective == false) {
    r.lint.push_back({"not-injective", "two coordinates share an offset"});
  }
  if (!r.injective) {
    r.lint.push_back({"injective-unknown",
                      "the search for two coordinates that share an offset reached its limit"});
  }
  if (r.footprint && *r.footprint > r.cosize.value()) {
    r.lint.push_back(
        {"cosize-below-footprint",
         format("CuTe's cosize is {} and ignores swizzle and offset; storage must hold "
                "{} elements",
                to_string(r.cosize), *r.footprint)});
  }
}

// A warning with a dialect's name at the start of its code appears only in that dialect's reports.
bool concerns(const LayoutLint& lint, LayoutDialect dialect) {
  if (lint.code.substr(0, 7) == "pycute-") return dialect == LayoutDialect::Pycute;
  if (lint.code.substr(0, 9) == "cute-cpp-") return dialect == LayoutDialect::CuteCpp;
  return true;
}

constexpr int64_t kMaxLines = 64;
constexpr int64_t kMaxSlices = 16;

int64_t extent_of(const ComposedLayout& c, size_t i) {
  return i < rank(c.layout) ? size(mode(c.layout, i)) : 1;
}

std::string slice_text(const ComposedLayout& c, int64_t first) {
  const bool line = rank(c.layout) == 1;  // one mode runs across
  const int64_t rows = line ? 1 : extent_of(c, 0);
  const int64_t columns = line ? extent_of(c, 0) : extent_of(c, 1);
  const int64_t shown_rows = std::min(rows, kMaxLines);
  const int64_t shown_columns = std::min(columns, kMaxLines);
  std::vector<std::string> cells;
  size_t width = 1;
  for (int64_t row = 0; row < shown_rows; ++row) {
    for (int64_t column = 0; column < shown_columns; ++column) {
      cells.push_back(to_string(value_at(c, first + row + column * rows)));
      width = std::max(width, cells.back().size());
    }
  }
  std::string text;
  for (int64_t row = 0; row < shown_rows; ++row) {
    for (int64_t column = 0; column < shown_columns; ++column) {
      const std::string& cell = cells[static_cast<size_t>(row * shown_columns + column)];
      text += format("{}{:>{}}", column > 0 ? " " : "", cell, width);
    }
    text += columns > shown_columns ? " ...\n" : "\n";
  }
  if (rows > shown_rows || columns > shown_columns) {
    text += format("({} of {} rows, {} of {} columns)\n", shown_rows, rows, shown_columns, columns);
  }
  return text;
}

}  // namespace

LayoutValue read_layout(std::string_view program, Derivation* why) {
  if (is_iree_text(program)) return ComposedLayout{{}, 0, parse_iree(without_comments(program))};
  if (!is_triton_text(program)) {
    return evaluate_layout(text_of_statements(without_comments(program)), why);
  }
  const TritonLayout triton = parse_triton(program);
  const ComposedLayout layout = layout_of(triton);
  if (why != nullptr) {
    why->add_step(to_string(triton));
    why->add_step(
        format("= {} ({})", to_string(layout),
               triton.shared ? "coordinates to offsets" : "threads and values to elements"));
  }
  return layout;
}

LayoutReport report_layout(std::string_view expression, LayoutDialect dialect, Derivation& why) {
  const LayoutValue value = read_layout(expression, &why);
  LayoutReport report;
  for (const LayoutLint& lint : why.lints()) {
    if (concerns(lint, dialect)) report.lint.push_back(lint);
  }
  if (const auto* found = std::get_if<CodomainValue>(&value)) {
    report.value = found->value;
    report.text = to_string(found->value);
    report.dialect_text = report.text;
    return report;
  }
  report.layout = as_layout(value, "the expression");
  const Layout& plain = report.layout.layout;
  report.text = to_string(report.layout);
  report.dialect_text = print_layout(report.layout, dialect);
  report.size = size(plain);
  report.cosize = coshape(plain);
  report.footprint = footprint(report.layout);
  report.rank = rank(plain);
  report.depth = depth(plain);
  report.injective = is_injective(report.layout);
  add_lint(report);
  for (LayoutLint& lint : dialect_lints(report.layout, dialect)) {
    report.lint.push_back(std::move(lint));
  }
  return report;
}

std::vector<IntTuple> values_in_order(const ComposedLayout& c) {
  const int64_t count = size(c.layout);
  if (count > kMaxListed) {
    throw usage_error(
        format("{} offsets are more than the {} that can be listed", count, kMaxListed));
  }
  std::vector<IntTuple> values;
  values.reserve(static_cast<size_t>(count));
  if (has_basis(c.layout)) {
    for (int64_t i = 0; i < count; ++i) {
      throw_if_interrupted();
      values.push_back(value_at(c.layout, i));
    }
    return values;
  }
  std::vector<int64_t> offsets(static_cast<size_t>(count));
  LayoutEvaluator(c).fill(0, offsets);
  values.assign(offsets.begin(), offsets.end());
  return values;
}

int64_t footprint_bytes(const LayoutReport& r, int64_t element_bits) {
  return ceil_div(checked_mul(*r.footprint, element_bits), int64_t{8});
}

std::vector<NamedNumber> numbers_of(const LayoutReport& r) {
  std::vector<NamedNumber> numbers;
  const auto add = [&](std::string_view name, int64_t value, bool truth = false) {
    numbers.push_back({name, static_cast<double>(value), truth});
  };
  if (r.value) {
    if (!r.value->is_tuple()) add("value", r.value->value());
    return numbers;
  }
  add("size", r.size);
  if (!r.cosize.is_tuple()) add("cosize", r.cosize.value());
  if (r.footprint) add("footprint", *r.footprint);
  add("rank", static_cast<int64_t>(r.rank));
  add("depth", r.depth);
  if (r.injective) add("injective", *r.injective ? 1 : 0, true);
  return numbers;
}

std::string grid_text(const ComposedLayout& c) {
  const int64_t plane = extent_of(c, 0) * extent_of(c, 1);
  const int64_t slices = size(c.layout) / plane;
  if (slices == 1) return slice_text(c, 0);
  std::string text;
  for (int64_t i = 0; i < std::min(slices, kMaxSlices); ++i) {
    text += format("slice {} of {}\n{}", i, slices, slice_text(c, i * plane));
  }
  if (slices > kMaxSlices) text += format("({} of {} slices)\n", kMaxSlices, slices);
  return text;
}

}  // namespace tilewright
