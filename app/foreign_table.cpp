#include "foreign_table.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "job.hpp"
#include "table.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

std::string mark_of(const ForeignRow& row, const ForeignEntry& entry) {
  if (row.values == entry.choice.values) return "choice";
  const bool tied = std::any_of(entry.ties.begin(), entry.ties.end(),
                                [&row](const ForeignTie& tie) { return tie.values == row.values; });
  return tied ? "tie" : "";
}

std::string verdict(const ForeignEntry& entry) {
  std::string text = format("best: {}\nwinner: {}\n", to_string(entry.choice), winner_text(entry));
  if (entry.reference) {
    text += format("{}x of {} ({} us)\n", ratio_text(entry.reference->ratio), entry.reference->name,
                   time_text(entry.reference->median_us));
  }
  if (entry.ours) {
    text += format("{}x of ours, {} ({} us)\n", ratio_text(entry.ours->ratio),
                   to_string(entry.ours->config), time_text(entry.ours->median_us));
  }
  if (entry.default_beside) {
    const DefaultBeside& beside = *entry.default_beside;
    text += format("{}x of the default, {} ({} us)\n", ratio_text(beside.ratio),
                   to_string(beside.values), time_text(beside.timing.median_us));
  }
  text += format("verified: relative error {:.1e}\n", entry.verified.rel_error);
  for (const ForeignFault& fault : entry.wrong) {
    text += format("skipped: {}: {}\n", to_string(fault.values), fault.reason);
  }
  return text;
}

}  // namespace

std::string foreign_report(const ForeignResult& result, const DeviceSpec& device, int64_t top,
                           int width) {
  const ForeignEntry& entry = result.entry;
  std::string text = format("{} on {}, harness {}: {} configs, {} measured, {} rounds\n",
                            to_string(entry.problem), device.name, entry.choice.harness,
                            entry.considered.enumerated, entry.considered.measured, result.rounds);
  std::vector<Column> columns = {{"#", true, 0}};
  for (const AxisValue& value : entry.choice.values) columns.push_back({value.axis, true, 2});
  for (Column& column : std::vector<Column>{{"median us", true, 0},
                                            {"95 %", true, 3},
                                            {"TFLOP/s", true, 1},
                                            {"ratio", true, 0},
                                            {"", false, 0}}) {
    columns.push_back(std::move(column));
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < result.rows.size(); ++i) {
    const ForeignRow& row = result.rows[i];
    const std::string mark = mark_of(row, entry);
    if (static_cast<int64_t>(i) >= top && mark != "choice") continue;
    std::vector<std::string> cells = {format("{}", i + 1)};
    for (const AxisValue& value : row.values) cells.push_back(format("{}", value.value));
    const Timing& timing = row.timing;
    for (const std::string& cell :
         {time_text(timing.median_us),
          format("{}..{}", time_text(timing.ci_us.low), time_text(timing.ci_us.high)),
          format("{:.3g}", timing.tflops), row.ratio ? format("{:.3f}", row.ratio->ratio) : "",
          mark}) {
      cells.push_back(cell);
    }
    table.add_row(std::move(cells));
  }
  return text + table.render(width) + verdict(entry);
}

}  // namespace tilewright
