#include "schedule_subject.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"

using namespace tilewright;

namespace {

ScheduleOptions options() {
  ScheduleOptions o;
  o.problem = "1024x1024x4096";
  o.cta = "128x128x64";
  o.device = "h200";
  return o;
}

}  // namespace

TEST_CASE("changes replace the values that they name, commas inside of a raster included") {
  const ScheduleOptions changed = with_changes(
      options(), "raster=swizzle-merge:8,4,decomposition=stream-k,ctas=64,plain=yes,device=a100");
  CHECK(changed.raster == "swizzle-merge:8,4");
  CHECK(changed.decomposition == "stream-k");
  CHECK(changed.ctas == 64);
  CHECK(changed.plain);
  CHECK(changed.device == "a100");
  CHECK(changed.problem == options().problem);
  CHECK(changed_values(options(), "raster=hilbert,ctas=64,plain=yes") ==
        "raster=row, ctas=one a multiprocessor, plain=no");
  CHECK(changed_values(changed, "ctas=1,plain=no") == "ctas=64, plain=yes");
}

TEST_CASE("what is no change is refused") {
  for (const char* const changes :
       {"", "hilbert", "rastre=row", "plain=maybe", "ctas=many", "problem=1x1x1"}) {
    CAPTURE(changes);
    CHECK_THROWS_AS(with_changes(options(), changes), Error);
  }
}

TEST_CASE("spans are recorded where they are asked for, and the numbers are the same") {
  std::vector<WorkSpan> spans;
  const ScheduleSubject subject = read_schedule(options());
  const ScheduleNumbers with = report_schedule(subject, &spans);
  const ScheduleNumbers without = report_schedule(subject);
  CHECK(with.report.predicted_us == without.report.predicted_us);
  CHECK(with.report.device == "h200");
  CHECK(spans.size() > 64);
}
