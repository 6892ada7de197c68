#include "page/trace_section.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "draw/diagram_page.hpp"
#include "draw/gantt.hpp"
#include "page/page_text.hpp"
#include "page/trace_spans.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// The measured or predicted spans of one multiprocessor; lanes count from 0.
struct SmSpans {
  std::vector<WorkSpan> spans;
  int64_t lanes = 0;
};

struct SmComparison {
  SmSpans measured;
  SmSpans predicted;
};

double tail_us(const LaunchSpans& launch) {
  const Tail tail = tail_of(launch.spans, launch.sm_of_lane);
  return tail.end_us - tail.begin_us;
}

// Units only: the second kernel sums on all multiprocessors at once and belongs to no row.
double busy_us(const SmSpans& sm) {
  double us = 0;
  for (const WorkSpan& span : sm.spans) us += is_unit(span.kind) ? span.end_us - span.begin_us : 0;
  return us;
}

double end_us(const SmSpans& sm) {
  double us = 0;
  for (const WorkSpan& span : sm.spans) us = std::max(us, is_unit(span.kind) ? span.end_us : 0);
  return us;
}

size_t unit_count(const SmSpans& sm) {
  std::map<std::pair<int64_t, int64_t>, int> units;
  for (const WorkSpan& span : sm.spans) {
    if (is_unit(span.kind)) ++units[{span.cta, span.unit_index}];
  }
  return units.size();
}

std::map<int64_t, SmComparison> by_sm(const TraceSpans& both) {
  std::map<int64_t, SmComparison> sms;
  const auto add = [&sms](const LaunchSpans& launch, SmSpans SmComparison::*side) {
    std::vector<int64_t> places;  // index of each lane on its multiprocessor
    places.reserve(launch.sm_of_lane.size());
    for (const int64_t sm : launch.sm_of_lane) places.push_back((sms[sm].*side).lanes++);
    for (WorkSpan span : launch.spans) {
      const auto lane = static_cast<size_t>(span.lane);
      span.lane = places[lane];
      (sms[launch.sm_of_lane[lane]].*side).spans.push_back(span);
    }
  };
  add(both.measured, &SmComparison::measured);
  add(both.predicted, &SmComparison::predicted);
  return sms;
}

// Draws the predicted lanes below the measured ones, on one axis.
std::string picture_of(const std::string& name, const SmComparison& sm, double last_us) {
  Gantt chart;
  chart.lane_name = "";
  chart.lanes = sm.measured.lanes + sm.predicted.lanes;
  chart.spans = sm.measured.spans;
  for (WorkSpan span : sm.predicted.spans) {
    span.lane += sm.measured.lanes;
    chart.spans.push_back(span);
  }
  for (int64_t lane = 0; lane < chart.lanes; ++lane) {
    chart.lane_labels.push_back(lane < sm.measured.lanes ? "measured" : "predicted");
  }
  chart.end_us = last_us;
  Page page{.title = name};
  page.blocks = {draw_gantt(chart)};
  int64_t waves = 0;
  for (const WorkSpan& span : chart.spans) waves = std::max(waves, span.unit_index + 1);
  page.legend = wave_legend(waves);
  for (LegendEntry& entry : gantt_legend(std::vector<Gantt>{chart})) {
    page.legend.push_back(std::move(entry));
  }
  return picture_html(page_scene(std::move(page)));
}

PageCell us_cell(double us) {
  return {format("{:.2f}", us), us};
}

PageRow row_of(int64_t number, const SmComparison& sm, double last_us) {
  const std::string name = number < 0 ? "unknown" : format("{}", number);
  const auto units = static_cast<double>(unit_count(sm.measured));
  PageRow row;
  row.cells = {{name, static_cast<double>(number)}, {format("{:.0f}", units), units},
               us_cell(busy_us(sm.measured)),       us_cell(busy_us(sm.predicted)),
               us_cell(end_us(sm.measured)),        us_cell(end_us(sm.predicted))};
  row.detail = picture_of(format("SM {}", name), sm, last_us);
  return row;
}

}  // namespace

PageSection trace_section(const RecordedTrace& recorded, const DeviceSpec& device,
                          const std::string& source) {
  const TraceSpans both = trace_spans(recorded, device);
  const double measured_us = last_end_us(both.measured.spans);
  const double predicted_us = last_end_us(both.predicted.spans);
  PageSection section;
  section.title = source;
  section.verdict = format(
      "The launch took {:.1f} us from its first tile's start, {:.3f} times the {:.1f} us predicted "
      "for {}; the multiprocessor that finished first waited {:.1f} us for the last one, {:.1f} us "
      "as predicted.",
      measured_us, measured_us / predicted_us, predicted_us, device.name, tail_us(both.measured),
      tail_us(both.predicted));
  section.notes = {to_string(recorded.workload), to_string(recorded.config)};
  section.figures.push_back(
      {"Each row below opens to one multiprocessor: its measured work above its predicted work.",
       trace_picture(recorded, device)});
  section.columns = {
      {.title = "SM", .is_number = true},
      {.title = "units", .meaning = "tiles or parts of them that ran", .is_number = true},
      {.title = "busy us", .meaning = "sum over the lanes", .is_number = true},
      {.title = "predicted busy us", .is_number = true, .is_minor = true},
      {.title = "end us", .meaning = "of its last tile", .is_number = true},
      {.title = "predicted end us", .is_number = true, .is_minor = true}};
  const double last_us = std::max(measured_us, predicted_us);
  for (const auto& [number, sm] : by_sm(both)) {
    section.rows.push_back(row_of(number, sm, last_us));
  }
  return section;
}

}  // namespace tilewright
