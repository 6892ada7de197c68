#include "model/timeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "model/price.hpp"
#include "support/devices.hpp"
#include "support/plans.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/family/sm90.hpp"

using namespace tilewright;
using testing::plan_of;
using testing::PlanWords;

namespace {

Timeline run(PlanWords words) {
  words.ctas = 132;
  words.resident = 132;
  return predict_timeline(plan_of(words), testing::h200());
}

double estimated_us(const PlanWords& words) {
  TileConfig config;
  config.cta = parse_tile(words.cta);
  config.raster = parse_raster(words.raster);
  config.stages = 8;
  while (sm90_params(config, {}).smem_bytes() > testing::h200().smem_per_cta_bytes) {
    --config.stages;
  }
  return estimate({parse_shape(words.problem)}, config, testing::h200()).us;
}

struct Recorded {
  Timeline timeline;
  std::vector<WorkSpan> spans;
};

Recorded record(PlanWords words, int64_t ctas = 132, int64_t resident = 132) {
  words.ctas = ctas;
  words.resident = resident;
  Recorded r;
  r.timeline = predict_timeline(plan_of(words), testing::h200(), &r.spans);
  return r;
}

double total(const std::vector<WorkSpan>& spans, SpanKind kind) {
  double us = 0;
  for (const WorkSpan& span : spans) us += span.kind == kind ? span.end_us - span.begin_us : 0;
  return us;
}

constexpr KernelSchedule kPingPong = KernelSchedule::PingPong;

const PlanWords kRecorded[] = {
    {.problem = "2048x2048x2048", .cta = "128x256x64", .raster = "swizzle-merge:8"},
    {.problem = "2100x900x1000", .raster = "split-merge:4"},
    {.problem = "256x256x65536", .cta = "128x256x64", .decomposition = "split-k:32"},
    {.problem = "256x256x65536", .cta = "128x256x64", .decomposition = "split-k:8:workspace"},
    {.problem = "256x256x65536", .cta = "128x128x64", .decomposition = "split-k:8:reduce-scatter"},
    {.problem = "3000x3000x3000", .cta = "128x256x64", .decomposition = "stream-k"},
    {.problem = "1152x768x128,1152x768x1024", .group_schedule = "dynamic"},
    {.problem = "1024x1024x512", .op = "syr2k", .plain = true},
    {.problem = "2048x1536x3072", .decomposition = "split-k:4", .schedule = kPingPong},
    {.problem = "2048x1536x3072", .decomposition = "stream-k:atomic", .schedule = kPingPong},
    {.problem = "1152x768x128,1152x768x1024", .schedule = kPingPong},
};

}  // namespace

TEST_CASE("a data-parallel product takes the cost model's time within some percent") {
  for (const char* const problem :
       {"8192x8192x8192", "4096x4096x4096", "2048x2048x2048", "4096x14336x4096", "8192x1280x8192",
        "256x256x65536", "1024x1024x32768"}) {
    for (const char* const cta : {"128x256x64", "128x128x64", "256x128x64"}) {
      const PlanWords words{.problem = problem, .cta = cta, .raster = "swizzle-merge:8"};
      CAPTURE(problem);
      CAPTURE(cta);
      const double ratio = run(words).us / estimated_us(words);
      CHECK(ratio > 0.94);
      CHECK(ratio < 1.06);
    }
  }
}

TEST_CASE("dividing a long K over idle multiprocessors pays, and its time includes waiting") {
  const PlanWords whole{.problem = "256x256x65536", .cta = "128x256x64"};
  PlanWords divided = whole;
  divided.decomposition = "split-k:32";
  const Timeline split = run(divided);
  CHECK(split.completed);
  CHECK(split.us < 0.5 * run(whole).us);
  CHECK(split.waiting_us > 0);
  divided.decomposition = "split-k:32:workspace";
  CHECK(run(divided).waiting_us == 0);
  divided.decomposition = "stream-k:workspace";
  CHECK(run(divided).us < 0.5 * run(whole).us);
  // 66 parts per tile: the waits in the turnstile alone take longer than the arithmetic.
  divided.decomposition = "stream-k:serial";
  CHECK(run(divided).us >
        2 * run({.problem = whole.problem, .cta = whole.cta, .decomposition = "stream-k:workspace"})
                .us);
}

TEST_CASE("reduce-scatter splits end together, and never where they cannot be resident together") {
  PlanWords words{.problem = "256x256x65536", .decomposition = "split-k:30:reduce-scatter"};
  const Timeline meeting = run(words);
  CHECK(meeting.completed);
  // 4 tiles on 132 CTAs: parts 0 to 29 of tile 0 run on CTAs 0 to 29, and so on.
  for (size_t cta = 0; cta < 120; ++cta) {
    CHECK(meeting.end[cta] == doctest::Approx(meeting.end[cta / 30 * 30]));
  }
  words.decomposition = "split-k:30:serial";
  CHECK(meeting.us < run(words).us);
  words.decomposition = "split-k:30:reduce-scatter";
  words.ctas = 120;
  words.resident = 29;
  CHECK_FALSE(predict_timeline(plan_of(words), testing::h200()).completed);
}

TEST_CASE("order k-descending ends sooner than the given order") {
  const char* const group = "1152x768x1024,1152x768x8192,768x1152x1024,768x1152x8192";
  const double given = run({.problem = group}).us;
  const double sorted = run({.problem = group, .order = "k-descending"}).us;
  CHECK(sorted <= given);
}

TEST_CASE("recording changes no number, and spans never overlap in a lane") {
  for (const PlanWords& words : kRecorded) {
    for (const int64_t ctas : {8, 132, 300}) {
      CAPTURE(words.problem);
      CAPTURE(ctas);
      const Recorded r = record(words, ctas);
      PlanWords same = words;
      same.ctas = ctas;
      same.resident = 132;
      CHECK(predict_timeline(plan_of(same), testing::h200()).us == r.timeline.us);
      std::vector<WorkSpan> by_lane = r.spans;
      std::sort(by_lane.begin(), by_lane.end(), [](const WorkSpan& a, const WorkSpan& b) {
        return std::tie(a.lane, a.begin_us) < std::tie(b.lane, b.begin_us);
      });
      for (size_t i = 1; i < by_lane.size(); ++i) {
        if (by_lane[i].lane != by_lane[i - 1].lane) continue;
        REQUIRE(by_lane[i].begin_us >= by_lane[i - 1].end_us - 1e-6);
      }
      CHECK(r.timeline.lanes_per_cta == (words.schedule == kPingPong ? 2 : 1));
      CHECK(by_lane.back().lane < std::min<int64_t>(ctas, 132) * r.timeline.lanes_per_cta);
    }
  }
}

TEST_CASE("spans are the schedule's units and add up to the timeline's times") {
  for (const PlanWords& words : kRecorded) {
    const bool is_crowded =
        words.decomposition == "data-parallel" && words.group_schedule != "dynamic";
    for (const int64_t ctas : {132, is_crowded ? 300 : 132}) {
      CAPTURE(words.problem);
      CAPTURE(ctas);
      const Recorded r = record(words, ctas);
      PlanWords same = words;
      same.ctas = ctas;
      same.resident = 132;
      const Plan s = plan_of(same);
      const std::vector<std::vector<WorkTile>> lists = assignments(s);
      std::vector<std::vector<WorkTile>> seen(lists.size());
      const Price price = price_of(s, testing::h200());
      std::vector<double> end(lists.size(), price.copies_us + price.launch_us);
      for (const WorkSpan& span : r.spans) {
        if (span.kind == SpanKind::MainLoop) {
          seen[static_cast<size_t>(span.cta)].push_back(span.work);
        }
        const bool unit = span.kind != SpanKind::Launch && span.kind != SpanKind::Reduction;
        double& last = end[static_cast<size_t>(span.cta)];
        if (unit) last = std::max(last, span.end_us);
      }
      CHECK(seen == lists);
      for (size_t cta = 0; cta < end.size(); ++cta) {
        if (!lists[cta].empty()) CHECK(end[cta] == doctest::Approx(r.timeline.end[cta]));
      }
      CHECK(total(r.spans, SpanKind::Waiting) == doctest::Approx(r.timeline.waiting_us));
      CHECK(total(r.spans, SpanKind::FixUp) <= r.timeline.fix_up_us * (1 + 1e-9));
    }
  }
}

TEST_CASE("a split waits or moves sums while ping-pong's other warpgroup multiplies") {
  PlanWords words{.problem = "2048x1536x3072", .decomposition = "split-k:4"};
  const Recorded together = record(words);
  words.schedule = kPingPong;
  const Recorded in_turns = record(words);
  double hidden_us = 0;
  double last_begin_us = 0;
  for (const WorkSpan& a : in_turns.spans) {
    if (a.cta != 0 || a.kind != SpanKind::MainLoop) continue;
    CHECK(a.begin_us >= last_begin_us);  // tensor cores run one main loop at a time
    last_begin_us = a.end_us;
    for (const WorkSpan& b : in_turns.spans) {
      if (b.cta != 0 || (b.kind != SpanKind::FixUp && b.kind != SpanKind::Waiting)) continue;
      hidden_us += std::max(0.0, std::min(a.end_us, b.end_us) - std::max(a.begin_us, b.begin_us));
    }
  }
  CHECK(hidden_us > 1);
  CHECK(in_turns.timeline.us < together.timeline.us);
}

TEST_CASE("operands that are copied first delay every tile by their bytes") {
  const double copied = run({.problem = "4096x4096x4097", .cta = "128x256x64"}).us;
  const double addressed = run({.problem = "4096x4096x4160", .cta = "128x256x64"}).us;
  const double bytes = 2.0 * 2 * 4096 * 4097 * 2;  // both operands, read and written
  CHECK(copied - addressed > 0.8 * bytes / testing::h200().dram_bytes_per_s * 1e6);
}

// Every CTA takes one tile of each of two products.
TEST_CASE("a group's timeline has the cost of finding units, by group schedule") {
  const DeviceSpec device = testing::h200();
  const GemmShape packed{132 * 128, 128, 512};
  const GemmShape deeper{132 * 128, 128, 1024};
  for (const GroupSchedule schedule :
       {GroupSchedule::DeviceOnly, GroupSchedule::HostPrecompute, GroupSchedule::Dynamic}) {
    for (const bool own : {false, true}) {
      CAPTURE(to_string(schedule));
      CAPTURE(own);
      const Workload group{.shapes = {packed, own ? deeper : packed}};
      TileConfig config = config_of(parse_config("cta=128x128x64,stages=4"));
      config.group_schedule = schedule;
      const Plan plan = make_plan(group, config, device);
      const Price price = price_of(plan, device);
      Price free = price;
      free.scheduling = {};
      const SchedulingCost& cost = price.scheduling;
      CHECK(cost.first_us > 0);
      CHECK((cost.problem_us > 0) == own);
      CHECK((price.copies_us > 0) == (own && schedule != GroupSchedule::HostPrecompute));
      CHECK(predict_timeline(plan, price).us ==
            doctest::Approx(predict_timeline(plan, free).us + cost.first_us + cost.unit_us +
                            2 * cost.problem_us));
    }
  }
}
