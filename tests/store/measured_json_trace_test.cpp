#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "store/measured_json.hpp"
#include "support/error_message.hpp"

using namespace tilewright;

namespace {

RecordedTrace recorded() {
  RecordedTrace r{
      .workload = workload_of({{256, 384, 512}, {DataType::F16}}), .config = {}, .trace = {}};
  r.config = {.cta = {128, 128, 64},
              .cluster = {2, 1},
              .stages = 4,
              .schedule = KernelSchedule::PingPong,
              .raster = parse_raster("swizzle-merge:8,4@n"),
              .l2_promotion_bytes = 64};
  r.trace.records = {{0, 5, 0, 0, 0, true, 0, 1500},
                     {1, 6, 0, 1, 0, true, 40, 1520},
                     {0, 5, 1, 0, 1, false, 1600, 1600}};
  return r;
}

std::string text_of(const RecordedTrace& r) {
  return trace_json(r, Document::array());
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = text_of(recorded());
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a written trace reads back, with times from the first start") {
  CHECK(read_trace(text_of(recorded()), "t.json") == recorded());
  RecordedTrace later = recorded();
  for (TraceRecord& r : later.trace.records) {
    r.start_ns += 1'000'000'000'000;
    r.end_ns += 1'000'000'000'000;
  }
  CHECK(read_trace(text_of(later), "t.json") == recorded());
}

TEST_CASE("traces of groups and updates read back, with the problem of each record") {
  RecordedTrace group = recorded();
  group.workload.shapes = {{256, 384, 512}, {8, 8, 64}};
  group.config.group_schedule = GroupSchedule::Dynamic;
  group.trace.records[1].problem = 1;
  CHECK(read_trace(text_of(group), "t.json") == group);
  group.workload.op = MatrixOp::Syr2k;
  group.workload.uplo = Uplo::Upper;
  group.workload.shapes = {{256, 256, 512}, {0, 0, 64}};
  group.config.raster = {};
  CHECK(read_trace(text_of(group), "t.json") == group);
}

TEST_CASE("the second kernel's records read back, in order") {
  RecordedTrace r = recorded();
  r.trace.second = {1700, 2500};
  CHECK(read_trace(text_of(r), "t.json") == r);
  r.trace.second = {2500, 1700};
  CHECK_THROWS_AS(read_trace(text_of(r), "t.json"), Error);
}

TEST_CASE("the trace of the examples is valid") {
  const std::string path = TILEWRIGHT_SOURCE_DIR "/tests/data/made_up_trace.json";
  CHECK(read_trace(read_file(path), path).trace.records.size() == 130);
}

TEST_CASE("errors name the file, the record and the key") {
  const auto error_message = [](const std::string& text) {
    try {
      read_trace(text, "t.json");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Usage);
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  const auto has = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  CHECK(has(error_message(""), "t.json"));
  CHECK(has(error_message("{\"problem\": \"256x256x64\", \"dtype\": \"f16\"}"), "config"));
  CHECK(has(error_message(changed("\"sm\": 6", "\"sm\": -6")), "records[1].sm"));
  CHECK(has(error_message(changed("\"end_ns\": 1520", "\"end_ns\": 20")), "ends before it starts"));
  CHECK(has(error_message(changed("\"slot\": 1,", "")), "slot"));
  CHECK(has(error_message(changed("stages=4,", "")), "stages"));
  RecordedTrace none = recorded();
  none.trace.records.clear();
  CHECK(has(error_message(text_of(none)), "no records"));
}
