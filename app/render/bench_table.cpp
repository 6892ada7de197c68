#include "render/bench_table.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "model/roofline.hpp"
#include "render/config_columns.hpp"
#include "render/rank_columns.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "store/measured_json.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// "2 of 3": the place among the rows where waves and traffic rank them; equal rows share it.
std::string place_of(const BenchRow& row, const std::vector<BenchRow>& rows) {
  return format("{} of {}", place_among(row, rows), rows.size());
}

std::string state_of(const BenchRow& row, const BenchResult& result, bool predicted) {
  if (row.wrong && !predicted) return "wrong results: " + row.why_not;
  if (!row.timing && !predicted) return "refused: " + row.why_not;
  std::vector<std::string> notes;
  if (predicted) {
    notes.emplace_back(row.predicted.is_time ? "predicted" : place_of(row, result.rows));
  }
  if (row.equals) notes.push_back(format("equals {}", to_string(*row.equals)));
  return join(notes, "; ");
}

// The configs of our own rows; rows of foreign kernels have an empty text.
ConfigColumns configs_of(const BenchResult& result) {
  std::vector<std::string> texts;
  texts.reserve(result.rows.size());
  for (const BenchRow& row : result.rows) {
    texts.push_back(row.foreign ? "" : launch_config_text(row.effective, result.workload));
  }
  return config_columns(texts);
}

// The requested configs. A single config of ours stands here in full; several stand in the table.
std::vector<TextPart> words_of(const BenchResult& result) {
  const auto is_own = [](const BenchRow& row) { return !row.foreign; };
  const bool is_single = std::count_if(result.rows.begin(), result.rows.end(), is_own) == 1;
  std::string text;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const BenchRow& row = result.rows[i];
    text += format("{}: requested {}\n", i + 1, row.requested);
    if (row.foreign) text += format("   effective {}\n", name_of(row));
    if (is_single && is_own(row)) {
      text += format("   effective {}\n", launch_config_text(row.effective, result.workload));
    }
  }
  if (is_single) return {text};
  return {text, alike_keys(configs_of(result), "in all rows: effective")};
}

std::string predicted_text(const BenchRow& row, bool is_hot) {
  return is_hot || row.foreign ? "" : time_text(believed_us(row.predicted));
}

std::string counted_text(const BenchRow& row, double Counters::*value) {
  if (row.counters) return megabytes_text((*row.counters).*value);
  return row.why_no_counters.empty() ? "" : "not counted";
}

// The median, its interval in one cell and in two, the speed and the ratio; empty if not timed.
std::vector<std::string> timing_cells(const BenchRow& row) {
  const std::string ratio = row.ratio ? format("{:.3f}", row.ratio->ratio) : "";
  if (!row.timing) return {"", "", "", "", "", ratio};
  const std::string low = time_text(row.timing->ci_us.low);
  const std::string high = time_text(row.timing->ci_us.high);
  return {time_text(row.timing->median_us),
          format("{}..{}", low, high),
          low,
          high,
          format("{:.0f}", row.timing->tflops),
          ratio};
}

// The neighbour's rate beside the row; empty without one.
std::string beside_text(const BenchRow& row) {
  return row.beside_gb_per_s ? format("{:.0f}", *row.beside_gb_per_s) : "";
}

// Bytes read and written, each counted and predicted.
std::vector<std::string> traffic_cells(const BenchRow& row, bool is_hot) {
  const bool has_both = row.counters && !is_hot && !row.foreign;
  return {counted_text(row, &Counters::dram_read_bytes),
          has_both ? megabytes_text(row.predicted.dram_read_bytes) : "",
          counted_text(row, &Counters::dram_write_bytes),
          has_both ? megabytes_text(row.predicted.dram_write_bytes) : ""};
}

constexpr const char* kBesideTitle = "beside GB/s";

Table bench_table(const BenchResult& result, bool predicted) {
  // The model has no numbers for hot launches: it models launches that find none of their data in
  // L2.
  const bool is_hot = result.regime == Regime::Hot;
  const ConfigColumns configs = configs_of(result);
  std::vector<Column> columns = {{"#", true, 0}, {"requested", false, 0, ColumnOf::Csv}};
  append(columns, configs);
  append_rank_columns(columns, result.rows.front().predicted);
  for (const Column& column :
       {Column{"predicted us", true, predicted ? 0 : 3}, Column{"imbalance", true, 2},
        Column{"median us", true, 0}, Column{"95 %", true, 4, ColumnOf::Text},
        Column{"low us", true, 0, ColumnOf::Csv}, Column{"high us", true, 0, ColumnOf::Csv},
        Column{"TFLOP/s", true, 2}, Column{"ratio", true, 0}, Column{"DRAM reads, MB", true, 0},
        Column{"predicted", true, 1, ColumnOf::Both, "predicted reads, MB"},
        Column{"writes, MB", true, 0, ColumnOf::Both, "DRAM writes, MB"},
        Column{"predicted", true, 1, ColumnOf::Both, "predicted writes, MB"},
        Column{"", false, 0, ColumnOf::Both, "note"}}) {
    columns.push_back(column);
    if (result.neighbour && column.title == "ratio") columns.push_back({kBesideTitle, true, 0});
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const BenchRow& row = result.rows[i];
    std::vector<std::string> cells = {format("{}", i + 1), row.requested};
    append(cells, configs, i);
    append_rank_cells(cells, row.predicted);
    cells.push_back(predicted_text(row, is_hot));
    cells.push_back(row.imbalance > 0 ? format("{:.2f}", row.imbalance) : "");
    for (std::string& cell : timing_cells(row)) cells.push_back(std::move(cell));
    if (result.neighbour) cells.push_back(beside_text(row));
    for (std::string& cell : traffic_cells(row, is_hot)) cells.push_back(std::move(cell));
    cells.push_back(state_of(row, result, predicted));
    table.add_row(std::move(cells));
  }
  return table;
}

ConfigColumns configs_of(const SuiteBench& suite) {
  std::vector<std::string> texts;
  texts.reserve(suite.results.size());
  for (const BenchResult& result : suite.results) {
    texts.push_back(to_string(result.rows.front().effective));
  }
  return config_columns(texts);
}

Table suite_table(const SuiteBench& suite, const DeviceSpec& device, const ConfigColumns& configs) {
  std::vector<Column> columns = {
      {"problem", false, 0},
      {"median us", true, 0, ColumnOf::Both, suite.predicted ? "predicted us" : ""},
      {"TFLOP/s", true, 1},
      {"ratio (95 %)", true, 0, ColumnOf::Text},
      {"ratio", true, 0, ColumnOf::Csv},
      {"ratio low", true, 0, ColumnOf::Csv},
      {"ratio high", true, 0, ColumnOf::Csv}};
  const bool has_neighbour = suite.results.front().neighbour.has_value();
  if (has_neighbour) columns.push_back({kBesideTitle, true, 0});
  columns.push_back({"% of ceiling", true, 2});
  columns.push_back({"", false, 3, ColumnOf::Both, "ceiling"});
  append_rank_columns(columns, suite.results.front().rows.front().predicted);
  append(columns, configs);
  for (size_t i = columns.size() - configs.columns.size(); i < columns.size(); ++i) {
    columns[i].drop += 2;
  }
  columns.push_back({"", false, 0, ColumnOf::Both, "note"});
  Table table(std::move(columns));
  for (size_t i = 0; i < suite.results.size(); ++i) {
    const BenchResult& result = suite.results[i];
    const BenchRow& row = result.rows.front();
    const Roofline floor = roofline(result.workload, device);
    const std::optional<double> us = time_of(row);
    const auto of_ratio = [&row](double value) {
      return row.ratio ? format("{:.3f}", value) : std::string();
    };
    const PairedRatio ratio = row.ratio.value_or(PairedRatio{});
    std::vector<std::string> cells = {
        to_string(result.workload),
        time_text(us),
        us ? format("{:.0f}", flops(result.workload) / *us * 1e-6) : "",
        row.ratio ? ratio_text(*row.ratio) : "",
        of_ratio(ratio.ratio),
        of_ratio(ratio.interval.low),
        of_ratio(ratio.interval.high)};
    if (has_neighbour) cells.push_back(beside_text(row));
    cells.push_back(us ? format("{:.0f}", 100 * least_us(floor) / *us) : "");
    cells.emplace_back(bound_name(floor));
    append_rank_cells(cells, row.predicted);
    append(cells, configs, i);
    cells.push_back(row.why_not);
    table.add_row(std::move(cells));
  }
  return table;
}

// What ran beside the launches, a line; empty if nothing did.
std::string beside_line(const BenchResult& result) {
  if (!result.neighbour) return "";
  const auto& [beside, alone, baseline, why_not] = *result.neighbour;
  return format("beside {} on {} multiprocessor{}{}\n",
                kBesideKinds[static_cast<size_t>(beside.kind)], beside.multiprocessors,
                beside.multiprocessors == 1 ? "" : "s",
                !why_not.empty() ? format(": no rate: {}", why_not)
                : alone > 0      ? format(": {:.0f} GB/s alone", alone)
                                 : "");
}

// The same for a suite: its problems may leave different numbers of multiprocessors.
std::string beside_line(const SuiteBench& suite) {
  std::string line = beside_line(suite.results.front());
  const auto is_other = [&suite](const BenchResult& result) {
    return result.neighbour->beside != suite.results.front().neighbour->beside;
  };
  if (line.empty() || std::none_of(suite.results.begin(), suite.results.end(), is_other)) {
    return line;
  }
  const BesideKind kind = suite.results.front().neighbour->beside.kind;
  return format("beside {} on the multiprocessors that each product leaves\n",
                kBesideKinds[static_cast<size_t>(kind)]);
}

// What the table's ratios mean.
std::string ratios_text(const BenchResult& result) {
  if (result.baseline.empty()) return "";
  std::string text;
  for (const ReferenceTime& time : result.references) {
    if (is_group(result.workload))
      text += format("{}: {} us\n", time.name, time_text(time.median_us));
  }
  text += format("ratio: time of {} ({} us) divided by the row's time, {} rounds\n",
                 result.baseline, time_text(result.baseline_us), result.rounds);
  if (result.neighbour && result.neighbour->baseline_gb_per_s) {
    text +=
        format("beside {}: {:.0f} GB/s\n", result.baseline, *result.neighbour->baseline_gb_per_s);
  }
  return text;
}

std::string summary_text(const SuiteBench& suite) {
  const auto summary = suite.predicted ? std::nullopt : summarize(suite);
  if (!summary) return "";
  return format(
      "ratio to the fastest of {} in the same rounds: geometric mean {:.3f} over {}, lowest {:.3f} "
      "({})\n",
      suite.references, summary->geometric_mean, summary->count, summary->lowest,
      to_string(summary->lowest_workload));
}

}  // namespace

Report bench_report(const BenchResult& result, const DeviceSpec& device, bool predicted) {
  Table table = bench_table(result, predicted);
  Report report{
      .text = words_of(result),
      .json = [result, device, predicted] { return bench_json(result, device, predicted); },
      .table = [table] { return table; }};
  report.text.insert(
      report.text.begin(),
      format(
          "{} on {}{}{}\n", to_string(result.workload), device.name,
          predicted ? format(", {}, nothing ran", how_ranked(result.rows.front().predicted)) : "",
          regime_words(result.regime)) +
          beside_line(result));
  report.text.emplace_back(table);
  report.text.emplace_back(ratios_text(result));
  return report;
}

Report suite_report(const SuiteBench& suite, const DeviceSpec& device) {
  if (suite.results.empty()) {
    return {.json = [] { return std::string(); }, .table = [] { return Table({}); }};
  }
  const ConfigColumns configs = configs_of(suite);
  Table table = suite_table(suite, device, configs);
  const std::string head =
      format("{}{}{}\n", device.name,
             suite.predicted ? format(", {}, nothing ran",
                                      how_ranked(suite.results.front().rows.front().predicted))
                             : "",
             regime_words(suite.results.front().regime)) +
      beside_line(suite);
  return {.text = {head, alike_keys(configs, "in all rows:"), table, summary_text(suite)},
          .json = [suite, device] { return suite_bench_json(suite, device); },
          .table = [table] { return table; }};
}

}  // namespace tilewright
