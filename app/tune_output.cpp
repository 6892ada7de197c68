#include "tune_output.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "job.hpp"
#include "store/measured_json.hpp"
#include "tune_table.hpp"

namespace tilewright {

void TuneOutput::tell_missing_counters(const TuneEntry& entry) {
  if (entry.why_no_counters.empty() || noted_no_counters_) return;
  console_.note(format("no hardware counters: {}", entry.why_no_counters));
  noted_no_counters_ = true;
}

void TuneOutput::show(const TuneResult& result) {
  if (request_.format == Format::Csv) {
    people_ << tune_csv(result, request_.top, !std::exchange(has_titles_, true)) << std::flush;
  }
  if (request_.format != Format::Text) return;
  people_ << tune_report(result, device_.spec, request_.top, table_width(console_)) << '\n'
          << std::flush;
}

void TuneOutput::show_all(TuneAnswers& answers) {
  if (request_.format == Format::Json) console_.out << tune_json(answers.artefact());
  if (request_.format != Format::Text) return;
  const std::vector<TuneEntry>& entries = answers.artefact().entries;
  const int width = table_width(console_);
  if (answers.size() > 1) people_ << tune_summary(entries, width);
  const bool is_predicted = std::any_of(entries.begin(), entries.end(),
                                        [](const TuneEntry& entry) { return !entry.timing; });
  if (is_predicted) people_ << certainty_text(width);
}

}  // namespace tilewright
