#include "picture_output.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "draw/assignment_grids.hpp"
#include "draw/gantt.hpp"
#include "draw/picture.hpp"
#include "model/timeline.hpp"
#include "tile/plan/grid_proof.hpp"

namespace tilewright {

namespace {

PictureLook look_of(const PictureOptions& o) {
  PictureLook look{.title = o.title, .legend = !o.no_legend, .theme = parse_theme(o.theme)};
  if (!o.size.empty()) look.size = parse_picture_size(o.size);
  return look;
}

constexpr double kNanoseconds = 1e-3;  // in microseconds

// Lanes of one multiprocessor: when each is free again.
struct Multiprocessor {
  std::vector<uint64_t> free_ns;
  std::vector<WorkSpan> spans;  // lanes counted from its own first
};

// A file may name any tile; what a CTA passed over may lie outside.
void require_tiles(const Plan& plan, const KernelTrace& trace) {
  for (const TraceRecord& r : trace.records) {
    const bool known = r.problem >= 0 && r.problem < std::ssize(plan.problems);
    if (known && (!r.inside || is_on_grid(plan.problem(r.problem).tiles, {r.m, r.n}))) continue;
    throw usage_error(format("the trace names tile {},{} of problem {}, which {} does not have",
                             r.m, r.n, r.problem, shapes_text(plan.workload)));
  }
}

}  // namespace

ExitCode write_scene(const PictureOptions& options, const std::function<Scene()>& make,
                     Console& console) {
  image_format_of(options.output);
  const PictureLook look = look_of(options);
  require_writable(options.output);
  write_picture(with_look(make(), look), options.output, look.size);
  if (options.output != "-") console.say("wrote " + options.output);
  return ExitCode::Good;
}

bool is_picture(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".svg" || extension == ".png" || extension == ".pdf";
}

LaunchSpans measured_spans(const KernelTrace& trace) {
  std::vector<TraceRecord> records = trace.records;
  std::stable_sort(records.begin(), records.end(), [](const TraceRecord& a, const TraceRecord& b) {
    return a.start_ns < b.start_ns;
  });
  std::map<int, Multiprocessor> sms;
  std::map<int, int64_t> turns;
  int64_t lanes = 0;
  const uint64_t first_ns = records.empty() ? 0 : records.front().start_ns;
  const auto us = [first_ns](uint64_t ns) {
    return static_cast<double>(ns - first_ns) * kNanoseconds;
  };
  for (const TraceRecord& r : records) {
    Multiprocessor& sm = sms[r.sm];
    size_t lane = 0;
    while (lane < sm.free_ns.size() && sm.free_ns[lane] > r.start_ns) ++lane;
    if (lane == sm.free_ns.size()) {
      require_drawable_spans(++lanes, std::ssize(records));
      sm.free_ns.push_back(0);
    }
    sm.free_ns[lane] = r.end_ns;
    sm.spans.push_back({r.inside ? SpanKind::Tile : SpanKind::Padding,
                        r.cta,
                        static_cast<int64_t>(lane),
                        turns[r.cta]++,
                        us(r.start_ns),
                        us(r.end_ns),
                        {r.problem, r.m, r.n, 0, 0}});
  }
  LaunchSpans launch;
  for (auto& [number, sm] : sms) {
    for (WorkSpan& span : sm.spans) {
      span.lane += launch.lanes;
      launch.spans.push_back(span);
    }
    launch.lane_labels.push_back(format("{}", number));
    launch.lane_labels.resize(launch.lane_labels.size() + sm.free_ns.size() - 1);
    launch.lanes += static_cast<int64_t>(sm.free_ns.size());
  }
  return launch;
}

LaunchSpans predicted_spans(const RecordedTrace& recorded, const DeviceSpec& device) {
  int last_cta = 0;
  for (const TraceRecord& r : recorded.trace.records) last_cta = std::max(last_cta, r.cta);
  const int64_t ctas = int64_t{last_cta} + 1;
  if (ctas > kMostLanes) {
    throw usage_error(
        format("the trace names CTA {}, and a picture holds {} lanes: trace a launch of fewer CTAs",
               last_cta, kMostLanes));
  }
  const Plan plan =
      make_plan(recorded.workload, recorded.config, device, {.ctas = ctas, .resident = ctas});
  require_tiles(plan, recorded.trace);
  require_drawable_units(plan);
  const Price price = price_of(plan, device);
  const double begin_us = price.copies_us + price.launch_us;
  std::vector<WorkSpan> spans;
  const int64_t lanes_per_cta = predict_timeline(plan, price, &spans).lanes_per_cta;
  LaunchSpans launch{.spans = {},
                     .lanes = ctas * lanes_per_cta,
                     .lane_labels = labels_of_lanes(ctas, lanes_per_cta)};
  for (WorkSpan span : spans) {
    if (span.kind == SpanKind::Launch) continue;
    if (span.kind == SpanKind::Reduction && tw::sums_later(plan.reduction)) {
      launch.second_kernel_us = span.end_us - span.begin_us;
    }
    span.begin_us -= begin_us;
    span.end_us -= begin_us;
    launch.spans.push_back(span);
  }
  return launch;
}

Scene trace_picture(const RecordedTrace& recorded, const DeviceSpec& device) {
  return trace_diagram({.title = to_string(recorded.workload),
                        .config = to_string(recorded.config),
                        .device = device.name,
                        .measured = measured_spans(recorded.trace),
                        .predicted = predicted_spans(recorded, device)});
}

}  // namespace tilewright
