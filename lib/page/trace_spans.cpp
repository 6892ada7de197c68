#include "page/trace_spans.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/gantt.hpp"
#include "model/timeline.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/config/family.hpp"
#include "tile/plan/grid_proof.hpp"

namespace tilewright {
namespace {

constexpr double kNanoseconds = 1e-3;  // microseconds per nanosecond
constexpr int64_t kMaxTracedCtas = 65'536;

// Multiprocessor of a predicted CTA that the trace has no record of.
constexpr int64_t kUnknownSm = std::numeric_limits<int64_t>::max();

int64_t ctas_of(const KernelTrace& trace) {
  int last = 0;
  for (const TraceRecord& r : trace.records) last = std::max(last, r.cta);
  return int64_t{last} + 1;
}

// Rejects tiles outside of a problem's grid, which a file may name; tiles that the CTA skipped may
// lie outside.
void require_tiles(const Plan& plan, const KernelTrace& trace) {
  for (const TraceRecord& r : trace.records) {
    const bool known = r.problem >= 0 && r.problem < std::ssize(plan.problems);
    if (known && (!r.inside || is_on_grid(plan.problem(r.problem).tiles, {r.m, r.n}))) continue;
    throw usage_error(format("the trace names tile {},{} of problem {}, and {} has no such tile",
                             r.m, r.n, r.problem, shapes_text(plan.workload)));
  }
}

// The plan of the traced launch. A persistent kernel's CTAs are all resident at once.
Plan traced_plan(const RecordedTrace& recorded, const DeviceSpec& device) {
  const int64_t ctas = ctas_of(recorded.trace);
  if (ctas > kMaxTracedCtas) {
    throw usage_error(
        format("the trace names CTA {}, and no device runs so many at once: a trace holds {} CTAs",
               ctas - 1, kMaxTracedCtas));
  }
  const bool persistent =
      record_of(recorded.config.family).persistent || is_group(recorded.workload);
  Plan plan = make_plan(recorded.workload, recorded.config, device,
                        persistent ? PlanOptions{.ctas = ctas, .resident = ctas} : PlanOptions{});
  if (ctas > plan.ctas()) {
    throw usage_error(format("the trace names CTA {}, and a launch of {} has {}", ctas - 1,
                             to_string(recorded.config), plan.ctas()));
  }
  require_tiles(plan, recorded.trace);
  return plan;
}

std::map<int64_t, int64_t> sms_of_ctas(const KernelTrace& trace) {
  std::map<int64_t, int64_t> sms;
  for (const TraceRecord& r : trace.records) sms.emplace(r.cta, r.sm);
  return sms;
}

// Spans with lanes numbered from 0 on each multiprocessor, and the lane count of each.
struct LocalSpans {
  std::vector<WorkSpan> spans;
  std::vector<int64_t> sms;  // multiprocessor of each span
  std::map<int64_t, int64_t> lanes;

  void add(int64_t sm, const WorkSpan& span) {
    spans.push_back(span);
    sms.push_back(sm);
    need(sm, span.lane + 1);
  }
  void need(int64_t sm, int64_t count) {
    int64_t& known = lanes[sm];
    known = std::max(known, count);
  }
};

// Puts a record on its warpgroup's lane where that is free, else on the first free lane.
LocalSpans measured_locally(const KernelTrace& trace, int64_t lanes_per_cta) {
  std::map<int, int64_t> taken;
  std::vector<WorkSpan> spans;
  uint64_t first_ns = std::numeric_limits<uint64_t>::max();
  for (const TraceRecord& r : trace.records) first_ns = std::min(first_ns, r.start_ns);
  const auto us = [first_ns](uint64_t ns) {
    return static_cast<double>(ns - first_ns) * kNanoseconds;
  };
  spans.reserve(trace.records.size());
  for (const TraceRecord& r : trace.records) {
    spans.push_back({r.inside ? SpanKind::Tile : SpanKind::Padding,
                     r.cta,
                     r.sm,
                     taken[r.cta]++,
                     us(r.start_ns),
                     us(r.end_ns),
                     {r.problem, r.m, r.n, r.k_begin, r.k_end}});
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const WorkSpan& a, const WorkSpan& b) { return a.begin_us < b.begin_us; });
  LocalSpans local;
  // By multiprocessor: the end of the last span on each of its lanes.
  std::map<int64_t, std::vector<double>> free_us;
  for (WorkSpan& span : spans) {
    const int64_t sm = span.lane;
    std::vector<double>& lanes = free_us[sm];
    const auto is_free = [&](size_t lane) {
      return lane >= lanes.size() || lanes[lane] <= span.begin_us;
    };
    auto lane = static_cast<size_t>(span.unit_index % lanes_per_cta);
    if (!is_free(lane)) lane = 0;
    while (!is_free(lane)) ++lane;
    lanes.resize(std::max(lanes.size(), lane + 1));
    lanes[lane] = span.end_us;
    span.lane = static_cast<int64_t>(lane);
    local.add(sm, span);
  }
  return local;
}

// Predicted spans, with time 0 at the first main loop. Places lie on the multiprocessor where the
// trace recorded the CTA that the place runs first.
LocalSpans predicted_locally(const Plan& plan, const DeviceSpec& device, const KernelTrace& trace,
                             int64_t& lanes_per_cta) {
  const Price price = price_of(plan, device);
  std::vector<WorkSpan> spans;
  lanes_per_cta = predict_timeline(plan, price, &spans).lanes_per_cta;
  const std::map<int64_t, int64_t> seen = sms_of_ctas(trace);
  const int64_t resident = std::min(plan.resident, plan.ctas());
  // By place: its multiprocessor, and its first lane there.
  std::vector<std::pair<int64_t, int64_t>> at;
  std::map<int64_t, int64_t> lanes;
  for (int64_t place = 0; place < resident; ++place) {
    const auto found = seen.find(place);
    const int64_t sm = found == seen.end() ? kUnknownSm : found->second;
    at.emplace_back(sm, lanes[sm]);
    lanes[sm] += lanes_per_cta;
  }
  LocalSpans local;
  local.lanes = lanes;
  const double begin_us = price.copies_us + price.launch_us;
  for (WorkSpan span : spans) {
    if (span.kind == SpanKind::Launch) continue;
    const auto& [sm, first_lane] = at[static_cast<size_t>(span.lane / lanes_per_cta)];
    span.lane = first_lane + span.lane % lanes_per_cta;
    span.begin_us -= begin_us;
    span.end_us -= begin_us;
    local.add(sm, span);
  }
  return local;
}

bool is_second(const Plan& plan, const WorkSpan& span) {
  return span.kind == SpanKind::Reduction && tw::sums_later(plan.reduction);
}

// Removes the spans of the second kernel, and returns its duration; 0 without one.
double take_second(const Plan& plan, LocalSpans& local) {
  LocalSpans kept;
  kept.lanes = local.lanes;
  double us = 0;
  for (size_t i = 0; i < local.spans.size(); ++i) {
    const WorkSpan& span = local.spans[i];
    if (is_second(plan, span)) {
      us = span.end_us - span.begin_us;
    } else {
      kept.add(local.sms[i], span);
    }
  }
  local = std::move(kept);
  return us;
}

// Adds the second kernel to every lane, from the end of the first kernel on.
void add_second(LaunchSpans& launch, double us) {
  launch.second_kernel_us = us;
  const double begin_us = last_end_us(launch.spans);
  for (int64_t lane = 0; lane < launch.lanes; ++lane) {
    launch.spans.push_back({SpanKind::Reduction, 0, lane, 0, begin_us, begin_us + us, {}});
  }
}

LaunchSpans laid_out(const LocalSpans& local, const std::map<int64_t, int64_t>& lanes) {
  LaunchSpans launch;
  std::map<int64_t, int64_t> first;
  for (const auto& [sm, count] : lanes) {
    first[sm] = launch.lanes;
    launch.lanes += count;
    launch.sm_of_lane.resize(static_cast<size_t>(launch.lanes), sm == kUnknownSm ? -1 : sm);
  }
  launch.spans = local.spans;
  for (size_t i = 0; i < launch.spans.size(); ++i) {
    launch.spans[i].lane += first.at(local.sms[i]);
  }
  return launch;
}

// Time from the end of the first kernel to the end of the recorded second kernel.
double measured_second_us(const KernelTrace& trace) {
  uint64_t end_ns = 0;
  for (const TraceRecord& r : trace.records) end_ns = std::max(end_ns, r.end_ns);
  if (trace.second->end_ns <= end_ns) return 0;
  return static_cast<double>(trace.second->end_ns - end_ns) * kNanoseconds;
}

}  // namespace

TraceSpans trace_spans(const RecordedTrace& recorded, const DeviceSpec& device) {
  if (!predicts_time(device)) {
    throw usage_error(
        format("device {} has no timeline to compare a trace with: {}", device.name, kWhyNoTime));
  }
  const Plan plan = traced_plan(recorded, device);
  int64_t lanes_per_cta = 1;
  LocalSpans predicted = predicted_locally(plan, device, recorded.trace, lanes_per_cta);
  const double second_us = take_second(plan, predicted);
  const LocalSpans measured = measured_locally(recorded.trace, lanes_per_cta);
  std::map<int64_t, int64_t> lanes = measured.lanes;
  for (const auto& [sm, count] : predicted.lanes) lanes[sm] = std::max(lanes[sm], count);
  TraceSpans both{laid_out(measured, lanes), laid_out(predicted, lanes), false};
  if (recorded.trace.second && second_us > 0) {
    add_second(both.measured, measured_second_us(recorded.trace));
    add_second(both.predicted, second_us);
  }
  both.second_is_unknown = !recorded.trace.second && second_us > 0;
  return both;
}

Scene trace_picture(const RecordedTrace& recorded, const DeviceSpec& device,
                    const AvailableSize& available) {
  require_drawable_units(traced_plan(recorded, device));
  const TraceSpans spans = trace_spans(recorded, device);
  return trace_diagram({.title = to_string(recorded.workload),
                        .config = to_string(recorded.config),
                        .device = device.name,
                        .measured = spans.measured,
                        .predicted = spans.predicted,
                        .second_is_unknown = spans.second_is_unknown},
                       available);
}

}  // namespace tilewright
