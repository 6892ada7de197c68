#include <doctest/doctest.h>

#include <string>

#include "app/outcome.hpp"
#include "record/document.hpp"
#include "support/error_message.hpp"
#include "verbs/verbs.hpp"

using namespace tilewright;
using testing::contains;
using testing::Outcome;

namespace {

ScheduleOptions asked(const char* problem, const char* cta) {
  ScheduleOptions options;
  options.problem = problem;
  options.cta = cta;
  options.device = "h200";
  return options;
}

Outcome run(const ScheduleOptions& options) {
  return testing::outcome_of([&](Console& console) {
    return print(run_analyze_schedule(read_schedule_request(options)), options.format, console);
  });
}

}  // namespace

TEST_CASE("times of tiles that no kernel runs are marked, with the reason, in text and JSON") {
  ScheduleOptions options = asked("4096x4096x4096", "512x512x64");
  CHECK(contains(run(options).out, "none of our kernels runs this tile: cta 512x512x64: m is 64"));
  options.format = Format::Json;
  const std::string reason = Document::parse(run(options).out)["not_runnable"];
  CHECK(contains(reason, "cta 512x512x64"));
  options = asked("4096x4096x4096", "128x256x64");
  CHECK_FALSE(contains(run(options).out, "no kernel family"));
  options.format = Format::Json;
  CHECK_FALSE(Document::parse(run(options).out).contains("not_runnable"));
}

TEST_CASE("keys without an option are listed with their defaults, and an equal division is named") {
  ScheduleOptions options = asked("128x4096x8192", "128x128x64");
  options.decomposition = "stream-k";
  const std::string defaults = "by default        cluster=1x1,raster=row; --config takes ";
  CHECK(contains(run(options).out, defaults));
  CHECK_FALSE(contains(run(options).out, "equals"));
  options.cluster = "1x1";
  CHECK(contains(run(options).out, "by default        raster=row; "));
  options = asked("128x4096x8192", "");
  options.config = "cta=128x128x64,decomposition=stream-k,swap_ab=true,raster=split-merge:3";
  CHECK(contains(run(options).out, "decomposition     stream-k; equals split-k:4\n"));
  CHECK_FALSE(contains(run(options).out, "by default"));
  options.format = Format::Json;
  CHECK(Document::parse(run(options).out).at("equals") == "split-k:4");
}

TEST_CASE("a group's modes are compared, and --table prints the host's table or the search") {
  ScheduleOptions options = asked("512x512x64,256x128x64,128x256x64,384x384x64", "128x128x64");
  options.ctas = 4;
  options.table = true;
  const std::string search = run(options).out;
  CHECK(contains(search, "group modes       device-only "));
  CHECK(contains(search, "advised           "));
  CHECK(contains(search, "     0  0 -> 0 @ 0 lane 0 after 1 prefix sum; 4 -> 0 @ 0 lane 0;"));
  CHECK(contains(search, "20 -> 3 @ 20 lane 3; 24 -> 3 @ 20 lane 3; 28 -> 3 @ 20 lane 3\n"));
  options.group_schedule = GroupSchedule::HostPrecompute;
  CHECK(contains(run(options).out, "3 0 @ 20; 3 4 @ 20; 3 8 @ 20\n"));
  options.group_schedule = GroupSchedule::Dynamic;
  CHECK(contains(run(options).err, "--group-schedule host-precompute"));
  options = asked("512x512x64", "128x128x64");
  CHECK_FALSE(contains(run(options).out, "group modes"));
}

TEST_CASE("a CTA that leaves its tiles early is not called idle") {
  ScheduleOptions options = asked("256x256x64,256x256x64,256x256x64,256x256x64", "128x128x64");
  options.kind.op = "syr2k";
  options.plain = true;
  options.ctas = 8;
  options.assignments = true;
  CHECK(contains(run(options).out, "     1  2 early exits\n"));
  CHECK_FALSE(contains(run(options).out, "idle\n"));
  options.ctas = 17;  // for 16 tiles
  CHECK(contains(run(options).out, "     1  1 early exit\n"));
  CHECK(contains(run(options).out, "    16  idle\n"));
}

TEST_CASE("across GPUs the report has what they exchange, and that nobody waits for ever") {
  ScheduleOptions options = asked("8192x8192x28672", "128x256x64");
  options.device = "h200x2";
  options.kind.parallel = Collective::ReduceScatter;
  options.kind.gpus = 2;
  const std::string text = run(options).out;
  CHECK(contains(text, "across GPUs       reduce-scatter over 2, each computes 8192x8192x14336\n"));
  CHECK(contains(text, "parts             2048 cross links; each GPU gets each of them once\n"));
  CHECK(contains(text, "busiest link      134.22 MB from GPU 0 to GPU 1\n"));
  CHECK(contains(text, "waits             no GPU waits forever\n"));
  options.format = Format::Json;
  const Document json = Document::parse(run(options).out);
  CHECK(json.at("problem") == "8192x8192x28672");
  const Document& parallel = json.at("parallel");
  CHECK(parallel.at("collective") == "reduce-scatter");
  CHECK(parallel.at("complete") == true);
  CHECK(parallel.at("ends") == true);
  CHECK(parallel.at("links").size() == 2);
  CHECK(parallel.at("links").at(0).at("bytes") == 8192LL * 8192 / 2 * 4);
  CHECK(json.at("predicted_us").get<double>() > 2000);
}
