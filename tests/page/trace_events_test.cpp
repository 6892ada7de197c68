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

// What the trace event format demands of an event of the two kinds that stand here.
void check_event(const Document& event) {
  for (const char* const key : {"pid", "tid"}) REQUIRE(event.at(key).is_number_integer());
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
  REQUIRE(event.at("dur").get<double>() >= 0);
}

}  // namespace

TEST_CASE("events are of the trace event format, and none overlaps another one of its track") {
  RecordedTrace recorded = made_up_trace();
  for (const KernelSchedule schedule : {KernelSchedule::Cooperative, KernelSchedule::PingPong}) {
    recorded.config.schedule = schedule;
    const TraceSpans spans = trace_spans(recorded, testing::h200());
    std::map<Track, std::vector<std::pair<double, double>>> times;
    std::map<Track, std::string> sides;
    std::map<int64_t, std::string> named;
    std::set<int64_t> threads;
    for (const Document& event : trace_events(spans)) {
      check_event(event);
      const Track track{event["pid"].get<int64_t>(), event["tid"].get<int64_t>()};
      if (event["name"] == "process_name") named[track.first] = event["args"]["name"];
      if (event["name"] == "thread_name") {
        CHECK(threads.insert(track.second).second);
        sides[track] = event["args"]["name"];
      }
      if (event["ph"] != "X") continue;
      const double begin = event["ts"].get<double>();
      times[track].emplace_back(begin, begin + event["dur"].get<double>());
      CHECK(sides[track].find(event["cat"].get<std::string>()) == 0);
    }
    size_t count = 0;
    for (auto& [track, events] : times) {
      CHECK(named.count(track.first) == 1);
      std::sort(events.begin(), events.end());
      for (size_t i = 1; i < events.size(); ++i) {
        REQUIRE(events[i].first >= events[i - 1].second - 1e-9);
      }
      count += events.size();
    }
    CHECK(count == spans.measured.spans.size() + spans.predicted.spans.size());
    CHECK(named.size() == 64);
    CHECK(sides.size() == static_cast<size_t>(spans.measured.lanes + spans.predicted.lanes));
  }
}

TEST_CASE("the file with events is the trace that it was made of") {
  const RecordedTrace recorded = made_up_trace();
  const Document events = trace_events(trace_spans(recorded, testing::h200()));
  const std::string text = trace_json(recorded, events);
  CHECK(read_trace(text, "t.json") == recorded);
  CHECK(Document::parse(text).at("traceEvents") == events);
}
