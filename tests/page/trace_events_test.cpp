#include "page/trace_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/traces.hpp"

using namespace tilewright;

namespace {

using Track = std::pair<int64_t, int64_t>;  // pid and tid

// Checks the requirements of the trace event format on an event of phase M or X.
void check_event(const Document& event) {
  for (const char* const key : {"pid", "tid"}) REQUIRE(event.at(key).is_number_integer());
  // 0 is the idle process, and numbers are of 32 bits.
  for (const char* const key : {"pid", "tid"}) {
    REQUIRE(event.at(key).get<int64_t>() >= 0);
    REQUIRE(event.at(key).get<int64_t>() < int64_t{1} << 31);
  }
  REQUIRE(event.at("pid").get<int64_t>() >= 1);
  REQUIRE(event.at("name").is_string());
  const auto phase = event.at("ph").get<std::string>();
  if (phase == "M") {
    const auto name = event["name"].get<std::string>();
    const std::set<std::string> names = {"process_name", "thread_name"};
    const std::set<std::string> places = {"process_sort_index", "thread_sort_index"};
    REQUIRE(names.count(name) + places.count(name) == 1);
    if (names.count(name) == 1) REQUIRE(event.at("args").at("name").is_string());
    if (places.count(name) == 1) REQUIRE(event.at("args").at("sort_index").is_number_integer());
    return;
  }
  REQUIRE(phase == "X");
  REQUIRE(event.at("cat").is_string());
  REQUIRE(event.at("ts").is_number());
  REQUIRE(event["ts"].get<double>() >= -1e-9);
  REQUIRE(event.at("dur").get<double>() >= 0);
}

// Begin and end of an event as a viewer reads them: whole nanoseconds, fractions cut off.
using Span = std::pair<int64_t, int64_t>;

int64_t whole_ns(const Document& us) {
  return static_cast<int64_t>(us.get<double>() * 1000);
}

// Checks that every track has a name and a named process, and that its events do not overlap.
void check_tracks(const TraceSpans& spans) {
  std::map<Track, std::vector<Span>> times;
  std::map<Track, std::string> sides;
  std::map<int64_t, std::string> named;
  std::set<int64_t> threads;
  for (const Document& event : trace_events(spans)) {
    check_event(event);
    const Track track{event["pid"].get<int64_t>(), event["tid"].get<int64_t>()};
    if (event["name"] == "process_name") {
      CHECK(named.emplace(track.first, event["args"]["name"].get<std::string>()).second);
    }
    if (event["name"] == "thread_name") {
      CHECK(threads.insert(track.second).second);
      sides[track] = event["args"]["name"];
    }
    if (event["ph"] != "X") continue;
    REQUIRE(track.second >= 1);
    const int64_t begin = whole_ns(event["ts"]);
    times[track].emplace_back(begin, begin + whole_ns(event["dur"]));
    CHECK(sides[track].find(event["cat"].get<std::string>()) == 0);
  }
  size_t count = 0;
  for (auto& [track, events] : times) {
    CHECK(named.count(track.first) == 1);
    std::sort(events.begin(), events.end());
    for (size_t i = 1; i < events.size(); ++i) {
      REQUIRE(events[i].first >= events[i - 1].second);
    }
    count += events.size();
  }
  CHECK(count == spans.measured.spans.size() + spans.predicted.spans.size());
  CHECK(sides.size() == static_cast<size_t>(spans.measured.lanes + spans.predicted.lanes));
}

}  // namespace

TEST_CASE("events follow the trace event format and do not overlap in a track") {
  RecordedTrace recorded = made_up_trace();
  for (const KernelSchedule schedule : {KernelSchedule::Cooperative, KernelSchedule::PingPong}) {
    recorded.config.schedule = schedule;
    const TraceSpans spans = trace_spans(recorded, testing::h200());
    check_tracks(spans);
    std::set<int64_t> sms;
    for (const TraceRecord& record : recorded.trace.records) sms.insert(record.sm);
    CHECK(std::set<int64_t>(spans.measured.sm_of_lane.begin(), spans.measured.sm_of_lane.end()) ==
          sms);
  }
}

TEST_CASE("tracks of clusters, ping-pong and divided tiles with a second kernel are valid too") {
  for (const char* const config :
       {"family=sm90,cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,raster=row",
        "family=sm90,cta=64x128x64,cluster=1x1,stages=5,schedule=pingpong,raster=row",
        "family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=row,"
        "decomposition=split-k:4:workspace",
        "family=sm90,cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=row,"
        "decomposition=stream-k"}) {
    CAPTURE(config);
    check_tracks(trace_spans(as_predicted(config, {2048, 2048, 2048}), testing::h200()));
  }
}

TEST_CASE("the file with events reads back as the trace") {
  const RecordedTrace recorded = made_up_trace();
  const Document events = trace_events(trace_spans(recorded, testing::h200()));
  const std::string text = trace_json(recorded, events);
  CHECK(read_trace(text, "t.json") == recorded);
  const Document file = Document::parse(text);
  CHECK(file.at("traceEvents") == events);
  const auto unit = file.at("displayTimeUnit").get<std::string>();
  CHECK((unit == "ns" || unit == "ms"));
}
