// `analyze layout`: what a layout is, what it uses, and how an expression came about.

#include "base/text.hpp"
#include "layout/layout_report.hpp"
#include "store/layout_json.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::string row(std::string_view name, const std::string& value) {
  return format("{:<18}{}\n", name, value);
}

std::string report_text(const LayoutReport& r) {
  std::string text = row(r.value ? "value" : "layout", r.text);
  if (!r.value) {
    text += row("size", format("{}", r.size));
    text += row("cosize", format("{}", r.cosize));
    text += row("footprint", r.footprint ? format("{}", *r.footprint) : "unknown");
    text += row("rank", format("{}", r.rank));
    text += row("depth", format("{}", r.depth));
    text += row("injective", !r.injective ? "unknown" : *r.injective ? "yes" : "no");
  }
  for (const LayoutLint& lint : r.lint) {
    text += row("lint", format("{}: {}", lint.code, lint.message));
  }
  return text;
}

std::string offsets_text(const std::vector<IntTuple>& offsets) {
  std::vector<std::string> texts;
  for (const IntTuple& offset : offsets) texts.push_back(to_string(offset));
  return row("offsets", join(texts, " "));
}

}  // namespace

ExitCode run_analyze_layout(const LayoutOptions& options, Console& console) {
  std::vector<CheckExpression> checks;
  for (const std::string& text : options.checks) checks.push_back(parse_check_expression(text));
  Derivation why;
  const LayoutReport report = report_layout(options.expression, why);
  // Before any output: a check of an unknown key is a usage error.
  const std::vector<std::string> violated = violated_checks(checks, numbers_of(report));
  std::vector<IntTuple> offsets;
  if (options.offsets && !report.value) offsets = values_in_order(report.layout);
  const std::vector<IntTuple>* const listed = options.offsets ? &offsets : nullptr;
  if (options.format == Format::Json) {
    console.out << layout_json(report, listed);
  } else {
    console.out << report_text(report);
    if (listed != nullptr) console.out << offsets_text(offsets);
  }
  console.out.flush();
  for (const std::string& sentence : violated) console.err << "tilewright: " << sentence << '\n';
  return violated.empty() ? ExitCode::Good : ExitCode::No;
}

}  // namespace tilewright
