#include "render/tune_table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/accuracy.hpp"
#include "render/config_columns.hpp"
#include "render/rank_columns.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/reference_name.hpp"
#include "stats/sample.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

std::string interval_text(const Interval& interval) {
  return format("{}..{}", time_text(interval.low), time_text(interval.high));
}

// The mark of a measured row: the choice or a tie; empty for other rows.
std::string mark_of(const TuneRow& row, const TuneEntry& entry) {
  if (!row.timing) return "";
  if (row.config == entry.choice) return "choice";
  const bool tied = std::any_of(entry.ties.begin(), entry.ties.end(),
                                [&row](const Tie& tie) { return tie.config == row.config; });
  return tied ? "tie" : "";
}

std::vector<Column> columns_of(const ConfigColumns& configs, const TuneResult& result) {
  std::vector<Column> columns = {{"problem", false, 0, ColumnOf::Csv}, {"#", true, 0}};
  append(columns, configs);
  const bool is_timed = result.entry.timing.has_value();
  append_rank_columns(columns, result.entry.predicted);
  for (const Column& column :
       {Column{"predicted us", true, is_timed ? 8 : 0}, Column{"median us", true, 0},
        Column{"95 %", true, 9, ColumnOf::Text}, Column{"low us", true, 0, ColumnOf::Csv},
        Column{"high us", true, 0, ColumnOf::Csv}, Column{"TFLOP/s", true, 4},
        Column{"vs ref", true, 3}, Column{"mJ", true, 0}, Column{"watts", true, 4},
        Column{"", false, 1, ColumnOf::Both, "mark"}}) {
    columns.push_back(column);
  }
  return columns;
}

std::vector<std::string> cells_of(const TuneRow& row, size_t rank, const TuneEntry& entry,
                                  const ConfigColumns& configs, size_t index) {
  std::vector<std::string> all = {to_string(entry.problem), format("{}", rank)};
  append(all, configs, index);
  append_rank_cells(all, row.predicted);
  for (const std::string& cell :
       {time_text(believed_us(row.predicted)), row.timing ? time_text(row.timing->median_us) : "",
        row.timing ? interval_text(row.timing->ci_us) : "",
        row.timing ? time_text(row.timing->ci_us.low) : "",
        row.timing ? time_text(row.timing->ci_us.high) : "",
        row.timing ? format("{:.0f}", row.timing->tflops) : "",
        row.ratio ? format("{:.3f}", row.ratio->ratio) : "",
        row.energy ? format("{:.4g}", 1e3 * row.energy->joules) : "",
        row.energy ? format("{:.0f}", 1e6 * row.energy->joules / row.energy->us) : "",
        mark_of(row, entry)}) {
    all.push_back(cell);
  }
  return all;
}

// The indices of the `top` best rows, and of the choice if it is below them: a tie, or the least
// energy.
std::vector<size_t> shown_rows(const TuneResult& result, int64_t top) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const TuneRow& row = result.rows[i];
    const bool is_choice = row.timing && row.config == result.entry.choice;
    if (i < static_cast<size_t>(top) || is_choice) indices.push_back(i);
  }
  return indices;
}

ConfigColumns configs_of(const TuneResult& result, const std::vector<size_t>& indices) {
  std::vector<std::string> texts;
  texts.reserve(indices.size());
  for (const size_t index : indices) texts.push_back(to_string(result.rows[index].config));
  return config_columns(texts);
}

Table table_of(const TuneResult& result, const std::vector<size_t>& indices,
               const ConfigColumns& configs) {
  Table table(columns_of(configs, result));
  for (size_t i = 0; i < indices.size(); ++i) {
    table.add_row(cells_of(result.rows[indices[i]], indices[i] + 1, result.entry, configs, i));
  }
  return table;
}

std::string headline(const TuneResult& result, const DeviceSpec& device) {
  const Considered& considered = result.entry.considered;
  const std::string what =
      result.entry.timing ? format("{} measured, {} rounds", considered.measured, result.rounds)
                          : format("{}, nothing ran", how_ranked(result.entry.predicted));
  return format("{} on {}: {} configs, {}\n", to_string(result.entry.problem), device.name,
                considered.enumerated, what);
}

std::string share_text(const PairedRatio& ratio) {
  return format("{:.3f} of the time (interval {:.3f} to {:.3f})", ratio.ratio, ratio.interval.low,
                ratio.interval.high);
}

// The time of each reference of a group, if there are several.
std::string references_text(const TuneEntry& entry) {
  std::vector<std::string> ways;
  for (const ReferenceTime& time : entry.references) {
    ways.push_back(format("{} {} us", time.name, time_text(time.median_us)));
  }
  return is_group(entry.problem) && ways.size() > 1 ? format("references: {}\n", join(ways, ", "))
                                                    : "";
}

std::string verdict(const TuneEntry& entry) {
  std::string text = format("best: {}\n", launch_config_text(entry.choice, entry.problem));
  if (entry.reference) {
    const ReferenceResult& r = *entry.reference;
    const bool library_wins = winner_of(entry) == Winner::Library;
    text += format("winner: {}\n", library_wins ? "library, " + r.name : "ours");
    text += format("{:.3f}x of {} ({} us; interval {:.3f} to {:.3f})\n", r.ratio.ratio, r.name,
                   time_text(r.median_us), r.ratio.interval.low, r.ratio.interval.high);
    text += references_text(entry);
  }
  if (entry.energy) {
    text += format("{:.4g} mJ per launch", 1e3 * entry.energy->joules);
    if (entry.reference && entry.reference->energy) {
      text += format("; the library takes {:.3f} of that",
                     entry.reference->energy->joules / entry.energy->joules);
    }
    text += '\n';
  }
  if (entry.verified)
    text += format("verified: relative error {:.1e}\n", entry.verified->rel_error);
  for (const Alternative& alternative : entry.alternatives) {
    text += format("with {}: {}\n", alternative.change,
                   alternative.same_launch ? "the same launch" : share_text(*alternative.ratio));
  }
  for (const Tie& tie : entry.ties) {
    text += format("tie: {} ({:.3f} of the time)\n", to_string(tie.config), tie.ratio);
  }
  return text;
}

}  // namespace

Report tune_report(const TuneResult& result, const DeviceSpec& device, int64_t top) {
  const std::vector<size_t> indices = shown_rows(result, top);
  const ConfigColumns configs = configs_of(result, indices);
  Table table = table_of(result, indices, configs);
  return {.text = {headline(result, device), alike_keys(configs, "in all rows:"), table,
                   verdict(result.entry) + "\n"},
          .table = [table] { return table; }};
}

std::vector<TextPart> tune_summary(const std::vector<TuneEntry>& entries) {
  Table table({{"problem", false, 0},
               {"us", true, 0},
               {"TFLOP/s", true, 2},
               {"reference us", true, 3},
               {"vs ref", true, 0},
               {"winner", false, 0},
               {"", false, 1}});
  std::vector<double> ratios;
  size_t composed = 0;
  for (const TuneEntry& entry : entries) {
    composed += entry.reference && has_elementwise_pass(entry.reference->name) ? 1 : 0;
    const std::optional<double> us =
        entry.timing ? std::optional(entry.timing->median_us) : believed_us(entry.predicted);
    table.add_row({to_string(entry.problem), time_text(us),
                   us ? format("{:.0f}", flops(entry.problem) / *us / 1e6) : "",
                   entry.reference ? time_text(entry.reference->median_us) : "",
                   entry.reference ? format("{:.3f}", entry.reference->ratio.ratio) : "",
                   !entry.reference                      ? ""
                   : winner_of(entry) == Winner::Library ? "library"
                                                         : "ours",
                   entry.timing ? "" : how_ranked(entry.predicted)});
    if (entry.reference) ratios.push_back(entry.reference->ratio.ratio);
  }
  std::string text;
  if (!ratios.empty()) {
    text = format("geometric mean vs ref: {:.3f}, lowest {:.3f}\n", geometric_mean(ratios),
                  *std::min_element(ratios.begin(), ratios.end()));
  }
  if (composed > 0) {
    text += format("{} of the references are the library's product and an elementwise kernel\n",
                   composed);
  }
  return {table, text};
}

Sentence certainty() {
  return {.text = format(
              "predicted: on an H200, on shapes that the model was not fitted to, its first choice "
              "reached {:.2f} of the fastest config's speed, {:.2f} at worst",
              kFirstChoice.mean, kFirstChoice.least),
          .most = kTextWidth};
}

Report dry_run_report(const Workload& problem, const Enumeration& found) {
  Table table({{"rule", false, 0}, {"removes", true, 0}, {"for example", false, 1}});
  for (const auto& rule : found.rejected) {
    table.add_row({rule.first, format("{}", rule.second), found.examples.at(rule.first)});
  }
  return {.text = {format("{}: {} configs, {} legal\n", to_string(problem), found.enumerated,
                          found.legal),
                   table}};
}

}  // namespace tilewright
