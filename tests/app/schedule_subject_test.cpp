#include "verbs/schedule_subject.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

using namespace tilewright;

namespace {

ScheduleOptions options() {
  ScheduleOptions o;
  o.problem = "1024x1024x4096";
  o.cta = "128x128x64";
  o.device = "h200";
  return o;
}

// A schedule's units of work and its predicted time, as text.
std::string outcome_of(const ScheduleOptions& o) {
  const ScheduleSubject subject = plan_schedule(read_schedule_request(o));
  std::string text;
  for_each_unit(subject.plan, [&](const ScheduledUnit& unit) {
    const WorkTile& w = unit.work;
    text += format("{} {}: {} {} {} {}-{};", static_cast<int>(unit.kind), unit.cta, w.problem, w.m,
                   w.n, w.k_begin, w.k_end);
  });
  return text + format("{}", report_schedule(subject).report.predicted_us.value_or(0));
}

}  // namespace

TEST_CASE("changes replace the values that they name, also a raster that contains commas") {
  const ScheduleOptions changed = with_changes(
      options(), "raster=swizzle-merge:8,4,decomposition=stream-k,ctas=64,plain=yes,device=a100");
  CHECK(changed.raster == "swizzle-merge:8,4");
  CHECK(changed.decomposition == "stream-k");
  CHECK(changed.ctas == 64);
  CHECK(changed.plain);
  CHECK(changed.device == "a100");
  CHECK(changed.problem == options().problem);
  CHECK(changed_values(options(), "raster=hilbert,ctas=64,plain=yes") ==
        "raster=row, ctas=one for each multiprocessor, plain=no");
  CHECK(changed_values(changed, "ctas=1,plain=no") == "ctas=64, plain=yes");
}

TEST_CASE("every key that may change takes effect, alone and beside others") {
  ScheduleOptions group = options();
  group.problem = "1024x2048x4096,1024x1024x512,1024x1024x8192";
  ScheduleOptions triangle = options();
  triangle.kind.op = "syr2k";
  ScheduleOptions padded = options();
  padded.problem = "256x256x64,384x384x64";
  padded.raster = "cutlass3:4";
  for (const auto& tried : std::initializer_list<std::pair<ScheduleOptions, const char*>>{
           {options(), "cta=128x256x64"},
           {options(), "cluster=2x1"},
           {options(), "ctas=17"},
           {options(), "raster=hilbert"},
           {options(), "decomposition=stream-k"},
           {group, "group-schedule=dynamic"},
           {group, "problem-order=k-descending"},
           {triangle, "plain=yes"},
           {triangle, "uplo=upper"},
           {options(), "device=a100"},
           {options(), "op=syrk"},
           {padded, "emulate=cutlass3-grouped"}}) {
    const ScheduleOptions& base = tried.first;
    const char* const change = tried.second;
    CAPTURE(change);
    const std::string before = outcome_of(base);
    const bool differs = outcome_of(with_changes(base, change)) != before;
    CHECK(differs);
    CHECK(changed_values(base, change) != change);
    CHECK(changed_values(with_changes(base, change), change) == change);
  }
  CHECK(plan_schedule(read_schedule_request(with_changes(options(), "dtype=f16")))
            .plan.workload.kind.dtype == DataType::F16);
  const ScheduleOptions streamed = with_changes(options(), "decomposition=stream-k");
  const bool beside =
      outcome_of(with_changes(options(), "raster=hilbert,decomposition=stream-k")) !=
      outcome_of(streamed);
  CHECK(beside);
}

TEST_CASE("malformed changes are refused") {
  for (const char* const changes :
       {"", "hilbert", "rastre=row", "plain=maybe", "ctas=many", "ctas=0", "problem=1x1x1",
        "raster=row,raster=hilbert", "raster"}) {
    CAPTURE(changes);
    CHECK_THROWS_AS(with_changes(options(), changes), Error);
  }
}

TEST_CASE("recording spans does not change the numbers") {
  std::vector<WorkSpan> spans;
  const ScheduleSubject subject = plan_schedule(read_schedule_request(options()));
  const ScheduleNumbers with = report_schedule(subject, &spans);
  const ScheduleNumbers without = report_schedule(subject);
  CHECK(with.report.predicted_us == without.report.predicted_us);
  CHECK(with.report.device == "h200");
  CHECK(spans.size() > 64);
}
