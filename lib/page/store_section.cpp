#include "page/store_section.hpp"

#include <vector>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "page/artefact_section.hpp"
#include "page/log_chart.hpp"
#include "page/page_text.hpp"

namespace tilewright {
namespace {

std::string verdict_of(const StoreSummary& summary) {
  size_t timed = 0;
  size_t launches = 0;
  for (const StoredProblem& problem : summary.shown) {
    timed += problem.timed;
    launches += problem.launches;
  }
  return format("{} of {} were timed, in {} launches of their first races.",
                counted(static_cast<int64_t>(timed), "config"),
                counted(static_cast<int64_t>(summary.shown.size()), "problem"), launches);
}

std::string configs_of(const StoredProblem& problem) {
  std::vector<std::vector<std::string>> rows;
  for (const TimedConfig& config : problem.fastest) {
    rows.push_back({config.config, us_text(config.us),
                    config.predicted_us ? us_text(*config.predicted_us) : "-",
                    format("{}", config.launches)});
  }
  return titled_table("Fastest configs", {"config", "us", "predicted us", "launches"}, rows);
}

Scene heat_of(const StoredProblem& problem) {
  return draw_heat_map(problem.heat);
}

std::string heat_caption() {
  return format(
      "The shortest time of any config with this CTA tile and raster, in us; at most {} tiles and "
      "{} rasters, those with the shortest times. Empty: no config was timed.",
      kMaxHeatRows, kMaxHeatColumns);
}

PageRow row_of(const StoredProblem& problem, bool has_picture) {
  const auto count_cell = [](size_t count) {
    return PageCell{format("{}", count), static_cast<double>(count)};
  };
  PageRow row;
  row.cells = {
      {to_string(problem.problem)}, count_cell(problem.timed), count_cell(problem.launches)};
  if (problem.fastest.empty()) {
    row.cells.resize(row.cells.size() + 4);
  } else {
    const TimedConfig& best = problem.fastest.front();
    row.cells.push_back({us_text(best.us), best.us});
    row.cells.push_back({best.predicted_us ? us_text(*best.predicted_us) : "", best.predicted_us});
    row.cells.push_back({best.tile});
    row.cells.push_back({best.raster});
  }
  if (problem.ratio) {
    row.cells.push_back({format("{:.3f}", problem.ratio->ratio), problem.ratio->ratio});
    row.cells.push_back({"", problem.ratio->ratio, PageMark{*problem.ratio}});
  } else {
    row.cells.resize(row.cells.size() + 2);
  }
  row.tag = problem.device;
  row.detail = format("<div class=\"parts\">{}</div>\n", configs_of(problem));
  if (has_picture && !problem.heat.us.empty()) {
    row.detail += picture_html(heat_of(problem)) + element("p", heat_caption());
  }
  return row;
}

void add_scatter(const StoreSummary& summary, PageSection& section) {
  LogChart scatter = predicted_chart();
  for (const StoredProblem& problem : summary.shown) {
    for (const TimedConfig& config : problem.fastest) {
      if (!config.predicted_us || *config.predicted_us <= 0 || config.us <= 0) continue;
      scatter.points.push_back({*config.predicted_us, config.us, false,
                                format("{}, {}", to_string(problem.problem), config.config)});
    }
  }
  if (scatter.points.empty()) return;
  section.figures.push_back(
      {"On the line, both are equal. Points: the fastest configs of each problem." +
           points_note(scatter.points.size()),
       draw_log_chart(scatter)});
}

}  // namespace

PageSection store_section(const StoreSummary& summary, const std::string& source) {
  PageSection section;
  section.title = source;
  section.verdict = verdict_of(summary);
  section.notes = {summary_rule(summary),
                   "merge --best makes an artefact with the full answers from a store."};
  section.columns = {
      {.title = "Problem"},
      {.title = "configs", .meaning = "that were timed", .is_number = true, .is_minor = true},
      {.title = "launches", .is_number = true, .is_minor = true},
      {.title = "us", .meaning = "of the fastest config", .is_number = true},
      {.title = "predicted us", .is_number = true, .is_minor = true},
      {.title = "CTA tile", .is_minor = true},
      {.title = "raster", .is_minor = true},
      {.title = "ratio",
       .meaning = "the reference library's time divided by the answer's time",
       .is_number = true},
      {.title = "interval"}};
  section.tag_name = "GPU";
  add_scatter(summary, section);
  if (summary.shown.size() == 1 && !summary.shown.front().heat.us.empty()) {
    section.figures.push_back({heat_caption(), heat_of(summary.shown.front())});
  }
  if (summary.shown.size() > kMaxPictures) {
    section.notes.push_back(
        format("The first {} rows contain a map of times over tile and raster.", kMaxPictures));
  }
  for (const StoredProblem& problem : summary.shown) {
    section.rows.push_back(row_of(problem, section.rows.size() < kMaxPictures));
  }
  return section;
}

}  // namespace tilewright
