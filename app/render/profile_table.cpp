#include "render/profile_table.hpp"

#include <string_view>

#include "base/text.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "stats/sample.hpp"

namespace tilewright {
namespace {

std::string value_text(const std::optional<double>& value) {
  if (!value) return "-";
  return *value >= 1e5 ? format("{:.4g}", *value) : format("{:.2f}", *value);
}

// Converts bytes to MB, as in the tables of other verbs.
ProfileRow in_megabytes(ProfileRow row) {
  constexpr std::string_view kBytes = ", bytes";
  if (!row.name.ends_with(kBytes)) return row;
  row.name.replace(row.name.size() - kBytes.size(), kBytes.size(), ", MB");
  for (std::optional<double>* const value : {&row.predicted, &row.counted}) {
    if (*value) **value /= 1e6;
  }
  return row;
}

Table profile_table(const ProfileResult& result) {
  Table table({{"", false, 0, ColumnOf::Both, "number"},
               {"predicted", true, 0},
               {"counted", true, 0},
               {"counted/predicted", true, 1}});
  for (const ProfileRow& in_bytes : result.rows) {
    const ProfileRow row = in_megabytes(in_bytes);
    if (result.predicted && !row.predicted) continue;
    const bool both = row.predicted && row.counted && *row.predicted > 0;
    table.add_row({row.name, value_text(row.predicted),
                   result.predicted ? "" : value_text(row.counted),
                   both ? format("{:.3f}", *row.counted / *row.predicted) : ""});
  }
  return table;
}

}  // namespace

Measured measure(Runner& runner, const Contender& contender, std::string& why_no_counters) {
  constexpr int kRounds = 20;
  std::vector<double> times;
  times.reserve(kRounds);
  for (int round = 0; round < kRounds; ++round) {
    times.push_back(returned_us(runner.time_round({&contender, 1}).front()));
  }
  const CounterReading reading = runner.count(contender);
  why_no_counters = reading.why_not;
  return {regime_of(runner.method()), median(times), reading.counters};
}

std::vector<ProfileRow> profile_rows(const ProfilePrediction& predicted, const Measured& measured) {
  const auto counted = [&measured](double Counters::*value) -> std::optional<double> {
    if (!measured.counters) return std::nullopt;
    return (*measured.counters).*value;
  };
  std::vector<ProfileRow> rows = {
      {"us", "time, us", predicted.us, measured.us},
      {"dram_read_bytes", "DRAM reads, bytes", predicted.dram_read_bytes,
       counted(&Counters::dram_read_bytes)},
      {"dram_write_bytes", "DRAM writes, bytes", predicted.dram_write_bytes,
       counted(&Counters::dram_write_bytes)},
      {"l2_hit_pct", "L2 hits, %", predicted.l2_hit_pct, counted(&Counters::l2_hit_pct)},
      {"tensor_active_pct", "tensor pipe active, %", predicted.tensor_active_pct,
       counted(&Counters::tensor_active_pct)},
      {"shared_wavefronts", "shared-memory wavefronts", std::nullopt,
       counted(&Counters::shared_wavefronts)}};
  if (measured.regime == Regime::Hot) {
    for (ProfileRow& row : rows) row.predicted.reset();
  }
  return rows;
}

Report profile_report(const ProfileResult& result, const DeviceSpec& device) {
  Table table = profile_table(result);
  const std::string head =
      format("{} on {}{}{}\nrequested {}\neffective {}\n", to_string(result.workload), device.name,
             result.predicted ? ", predicted, nothing ran" : "", regime_words(result.regime),
             result.requested, result.effective);
  return {.text = {head, table},
          .json = [result, device] { return profile_json(result, device); },
          .table = [table] { return table; }};
}

}  // namespace tilewright
