#include "page/foreign_section.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "page/page_text.hpp"

namespace tilewright {
namespace {

// A ratio and its mark; empty cells where nothing was compared.
void add_ratio(const std::optional<PairedRatio>& ratio, PageRow& row) {
  if (!ratio) {
    row.cells.resize(row.cells.size() + 2);
    return;
  }
  row.cells.push_back({format("{:.3f}", ratio->ratio), ratio->ratio});
  row.cells.push_back({"", ratio->ratio, PageMark{*ratio}});
}

std::string foreign_detail(const ForeignEntry& e) {
  std::vector<std::vector<std::string>> ties;
  for (const ForeignTie& tie : e.ties) {
    ties.push_back({to_string(tie.values), format("{:.4f}", tie.ratio)});
  }
  std::vector<std::vector<std::string>> wrong;
  for (const ForeignFault& fault : e.wrong)
    wrong.push_back({to_string(fault.values), fault.reason});
  const std::vector<std::vector<std::string>> facts = {
      {"file", e.choice.file},
      {"build", e.choice.build},
      {"configs", format("{}, {} measured", e.considered.enumerated, e.considered.measured)},
      {"ours", e.ours ? to_string(e.ours->config) : std::string("none was timed")}};
  return titled_table("Kernel", {"", "value"}, facts) +
         titled_table("Ties", {"values", "of the choice's time"}, ties) +
         titled_table("Omitted", {"values", "reason"}, wrong);
}

}  // namespace

PageSection foreign_section(const Artefact& artefact, const std::string& source) {
  PageSection section;
  section.title = format("{}: foreign kernels", source);
  std::map<std::string, int64_t> winners;
  section.columns = {
      {.title = "Problem"},
      {.title = "harness"},
      {.title = "values"},
      {.title = "us", .is_number = true},
      {.title = "library",
       .meaning = "the reference library's time over the harness's",
       .is_number = true},
      {.title = "interval"},
      {.title = "ours", .meaning = "our kernel's time over the harness's", .is_number = true},
      {.title = "interval of ours", .is_minor = true},
      {.title = "winner"}};
  section.tag_name = "Winner";
  for (const ForeignEntry& e : artefact.foreign) {
    PageRow row;
    row.cells.push_back({to_string(e.problem)});
    row.cells.push_back({e.choice.harness});
    row.cells.push_back({to_string(e.choice.values)});
    row.cells.push_back({us_text(e.timing.median_us), e.timing.median_us});
    add_ratio(e.reference ? std::optional(e.reference->ratio) : std::nullopt, row);
    add_ratio(e.ours ? std::optional(e.ours->ratio) : std::nullopt, row);
    row.tag = winner_text(e);
    row.cells.push_back({row.tag});
    row.detail = foreign_detail(e);
    ++winners[row.tag];
    section.rows.push_back(std::move(row));
  }
  std::vector<std::string> counts;
  counts.reserve(winners.size());
  for (const auto& [winner, count] : winners) counts.push_back(format("{} {}", winner, count));
  section.verdict = format("{} of harnesses, by winner: {}.",
                           counted(std::ssize(artefact.foreign), "answer"), join(counts, ", "));
  return section;
}

}  // namespace tilewright
