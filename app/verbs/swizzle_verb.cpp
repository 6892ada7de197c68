// `analyze swizzle`: finds the swizzle or padding that makes a tile cheap to write and to read.

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "render/report.hpp"
#include "render/table.hpp"
#include "request/sweep_request.hpp"
#include "store/layout_json.hpp"
#include "verbs/subjects.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

std::vector<std::string> cost_cells(const AccessCosts& costs) {
  // An empty column is left out: no warp writes.
  const auto of_write = [&](int64_t value) {
    return costs.write.instructions > 0 ? format("{}", value) : "";
  };
  return {of_write(costs.write.most), format("{}", costs.read.most), of_write(costs.write.total),
          format("{}", costs.read.total), is_conflict_free(costs) ? "yes" : "no"};
}

Table cost_table(const std::string& first) {
  return Table({{first, false, 0},
                {"write", true, 0},
                {"read", true, 0},
                {"write total", true, 2},
                {"read total", true, 2},
                {"conflict-free", false, 0},
                {"", false, 1}});
}

Table candidate_table(const SwizzleReport& report, size_t top) {
  Table table = cost_table("elements");
  const auto& candidates = report.solution.candidates;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (i >= top && !candidates[i].is_rule) continue;
    std::vector<std::string> cells = cost_cells(candidates[i].costs);
    cells.insert(cells.begin(), to_string(candidates[i].swizzle));
    cells.push_back(candidates[i].is_rule ? "the rule" : "");
    table.add_row(std::move(cells));
  }
  return table;
}

Table padding_table(const SwizzleReport& report, size_t top) {
  Table table = cost_table("padding");
  const auto& paddings = report.solution.paddings;
  for (size_t i = 0; i < std::min(top, paddings.size()); ++i) {
    std::vector<std::string> cells = cost_cells(paddings[i].costs);
    cells.insert(cells.begin(), format("+{} elements per row", paddings[i].elements));
    cells.push_back(format("+{} bytes", paddings[i].extra_bytes));
    table.add_row(std::move(cells));
  }
  return table;
}

std::string row_list(const std::vector<int64_t>& rows) {
  constexpr size_t kShown = 8;
  if (rows.empty()) return "none";
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(kShown, rows.size()); ++i) {
    texts.push_back(format("{}", rows[i]));
  }
  return format("{}{}", join(texts, ", "), rows.size() > kShown ? ", ..." : "");
}

// For each range of columns, the rows in which it stays unchanged.
std::string ranges_text(const std::vector<ColumnRange>& ranges) {
  constexpr size_t kShown = 8;
  std::string text;
  if (ranges.size() < 2) return text;
  for (size_t i = 0; i < std::min(kShown, ranges.size()); ++i) {
    const ColumnRange& range = ranges[i];
    text += row(range.end - range.begin == 1 ? format("column {}", range.begin)
                                             : format("columns {}-{}", range.begin, range.end - 1),
                range.unchanged_rows.empty()
                    ? "unchanged in no row"
                    : format("unchanged in rows {}", row_list(range.unchanged_rows)));
  }
  if (ranges.size() > kShown) text += row("", format("{} ranges more", ranges.size() - kShown));
  return text;
}

std::string periods_text(const SwizzlePeriods& periods, const SharedTile& tile) {
  std::string text = row("unchanged rows", row_list(periods.unchanged_rows));
  text += row("row period", format("{} rows", periods.row_period));
  if (periods.rows_alike > 1) {
    text += row("alike", format("groups of {} rows", periods.rows_alike));
  }
  text += row("column period", format("{} elements", periods.column_period));
  text += ranges_text(periods.ranges);
  const int64_t row_bytes = tile.cols * tile.element_bytes;
  if (row_bytes < kBankRowBytes && kBankRowBytes % row_bytes == 0) {
    text += row("in the banks", format("{} rows of {} bytes lie side by side",
                                       kBankRowBytes / row_bytes, row_bytes));
  }
  return text;
}

// "0b...YYYZZZxxx, 2 bytes each: Z becomes Z ^ Y".
std::string bits_text(const Swizzle& swizzle, const SharedTile& tile) {
  if (swizzle.bits == 0) return row("offset bits", "none changes");
  const auto count = static_cast<int>(std::bit_width(static_cast<uint64_t>(period(swizzle) - 1)));
  return row(
      "offset bits",
      format("0b...{}: Z becomes Z ^ Y (bit 0 is {})", swizzle_bits(swizzle, count),
             tile.element_bytes == 1 ? "a byte"
                                     : format("an element of {} bytes", tile.element_bytes)));
}

std::string conflicts_text(const AccessCosts& costs) {
  const auto part = [](const char* what, const TileCost& cost) {
    return format("{} of the {}'s {} wavefronts", conflicts(cost), what, cost.total);
  };
  const std::string of_read = part("read", costs.read);
  return row("conflicts", costs.write.instructions == 0
                              ? of_read
                              : format("{}, {}", part("write", costs.write), of_read));
}

// Each cell shows the vector that is stored there; one line per row of the tile.
std::string picture(const SwizzleProblem& problem, const Swizzle& swizzle) {
  constexpr int64_t kMaxRows = 16;
  constexpr int64_t kMaxVectors = 32;
  const int64_t across = problem.tile.cols / problem.vector;
  if (across > kMaxVectors) return "(the rows are too long to show)\n";
  std::string text = "row: the vectors of that row, by place\n";
  for (int64_t r = 0; r < std::min(kMaxRows, problem.tile.rows); ++r) {
    text += format("{:>4}", r);
    for (int64_t c = 0; c < across; ++c) {
      // A swizzle is its own inverse.
      const int64_t from = apply(swizzle, r * problem.tile.cols + c * problem.vector);
      text += format(" {:>3}", from % problem.tile.cols / problem.vector);
    }
    text += "\n";
  }
  return text;
}

std::string spellings_text(const std::vector<SwizzleSpelling>& spellings) {
  std::string text;
  for (const SwizzleSpelling& s : spellings) {
    text += row(s.target, s.why_not.empty() ? s.text : format("not expressible: {}", s.why_not));
  }
  return text;
}

std::string facts_text(const SwizzleFacts& f, const SwizzleOptions& o) {
  std::string text = format("{}x{} of {} under {} (elements); --write and --read count conflicts\n",
                            f.tile.rows, f.tile.cols, o.dtype, to_string(f.swizzle));
  text += bits_text(f.swizzle, f.tile) + periods_text(f.periods, f.tile);
  text += spellings_text(f.spellings);
  SwizzleProblem shown;
  shown.tile = f.tile;
  shown.vector = o.vector;
  if (o.show) text += format("\n{}", picture(shown, f.swizzle));
  return text;
}

std::string writer_words(const TileWriter& writer) {
  if (is_tma(writer)) return ", written by TMA";
  return warps_of(writer) == nullptr ? "" : format(", written by {}", to_string(writer));
}

std::vector<TextPart> report_text(const SwizzleReport& r, const SwizzleOptions& o) {
  const SwizzleProblem& p = r.problem;
  const auto top = static_cast<size_t>(o.top);
  const SwizzleCandidate& best = r.solution.candidates.front();
  std::vector<TextPart> text{
      Sentence{format("{}x{} of {}{}, read by {}; wavefronts of the costliest instruction",
                      p.tile.rows, p.tile.cols, o.dtype, writer_words(p.write), to_string(p.read))},
      candidate_table(r, top)};
  std::string lines;
  if (!r.is_given) {
    const size_t tried = r.solution.candidates.size();
    lines = format("{} swizzle{} tried", tried, tried == 1 ? "" : "s");
    lines += r.has_conflict_free_swizzle    ? "\n"
             : warps_of(p.write) == nullptr ? ": no swizzle in range is conflict-free\n"
                                            : ": no swizzle in range is conflict-free for both\n";
  }
  const int64_t widest = kBankRowBytes / p.tile.element_bytes;
  if (is_tma(p.write) && p.tile.cols > widest) {
    lines += format("TMA swizzles rows of at most {} bytes: ask for one box, --tile {}x{}\n",
                    kBankRowBytes, p.tile.rows, widest);
  }
  const SwizzleRule& rule = r.solution.rule;
  lines += row(
      "rule", rule.swizzle ? format("{} (elements)", rule.text) : format("none: {}", rule.why_not));
  if (!r.solution.paddings.empty()) {
    text.emplace_back(lines + "\n");
    text.emplace_back(padding_table(r, top));
    lines.clear();
  }
  lines += format("\n{} (elements)\n", to_string(best.swizzle));
  lines += bits_text(best.swizzle, p.tile);
  lines += periods_text(*r.periods, p.tile);
  lines += conflicts_text(best.costs);
  lines += spellings_text(r.spellings);
  if (o.show) lines += format("\n{}", picture(p, best.swizzle));
  text.emplace_back(lines);
  return text;
}

}  // namespace

bool is_alone(const SwizzleOptions& o) {
  return o.write.empty() && o.read.empty();
}

std::vector<NamedNumber> numbers_of(const SwizzleOptions& options) {
  return is_alone(options) ? numbers_of(swizzle_facts(options))
                           : numbers_of(report_swizzle(options));
}

Report run_analyze_swizzle(const SwizzleOptions& options) {
  require_sweep(options.sweep, "swizzle", options.format);
  if (is_alone(options)) {
    SwizzleOptions alone = options;
    alone.vector = std::max<int64_t>(options.vector, 1);
    const SwizzleFacts facts = swizzle_facts(alone);
    return {.text = {facts_text(facts, alone)},
            .json = [facts] { return swizzle_facts_json(facts); },
            .violated = violated_checks(options.checks, numbers_of(facts))};
  }
  const SwizzleReport report = report_swizzle(options);
  const auto top = static_cast<size_t>(options.top);
  return {.text = report_text(report, options),
          .json = [report, top] { return swizzle_json(report, top); },
          .violated = violated_checks(options.checks, numbers_of(report))};
}

}  // namespace tilewright
