#include "store/record_store.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/stored_answers.hpp"
#include "support/complaint.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;

RunHead head(const std::string& run) {
  return {.run = run,
          .device_uuid = "GPU-1",
          .device = {"NVIDIA H200", "9.0", 132, 62914560, 150754820096, false},
          .tool_version = "0.1.0",
          .environment = "driver 580",
          .session = "s"};
}

// One of each kind, with plain and with awkward values.
std::vector<Record> every_record() {
  Problem odd;
  odd.shape = {1000, 4000, 1000};
  odd.dtype = DataType::F16;
  odd.layout = parse_matrix_layout("nt");
  odd.out_dtype = DataType::F32;
  odd.bias = true;
  return {ProblemRecord{workload_of(odd), {"cupti-activity", "rotating", "uniform", "cublasLt"}},
          ReferencesRecord{{"cublasLt/0 algo=66 \"quoted\"", "cublasLt/1"}},
          BuildRecord{"cta=1", {"", 168, 0, 230464, true}},
          BuildRecord{"cta=2", {"spills 16 bytes\n", 255, 16, 1, false}},
          VerifyRecord{"cta=1", false, Verification{true, 1e-3, ""}, ""},
          VerifyRecord{"cta=2", true, Verification{false, 0.7, "D(0, 64) is -1"}, ""},
          VerifyRecord{"cta=3", false, std::nullopt, "illegal address"},
          TimeRecord{0, 0, "cta=1", {26.123456789012345, ""}},
          TimeRecord{0, 0, "cublasLt/1", {1e-7, "", 1755, 612.5}},
          TimeRecord{0, 1, "cta=1", {0, "it gave no answer for 20 s"}},
          RaceRecord{0},
          CountRecord{"cta=1", {Counters{1e9, 2, 3, 4, 5, 6}, ""}},
          CountRecord{"cublasLt/1", {std::nullopt, "not permitted"}},
          EnergyRecord{"cta=1", 2, {Energy{0.0625, 181.5}, ""}},
          EnergyRecord{"cublasLt/1", 0, {std::nullopt, "nothing counts it"}}};
}

std::string written(const std::vector<std::string>& runs) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  for (const std::string& run : runs) {
    const RecordFile file(path, head(run));
    for (const Record& record : every_record()) file.tell(record);
  }
  return read_file(path);
}

TEST_CASE("what is told is read back, of each run apart") {
  const RecordStore store = parse_records(written({"a", "b"}), "store.jsonl");
  REQUIRE(store.runs.size() == 2);
  CHECK(store.unread == 0);
  for (const StoredRun& run : store.runs) CHECK(run.records == every_record());
  CHECK(store.runs[0].head == head("a"));
  CHECK(store.runs[1].head == head("b"));
}

TEST_CASE("cut at any byte a store loads: whole lines are there, a cut one is counted") {
  const std::string text = written({"a"});
  for (size_t length = 0; length <= text.size(); ++length) {
    const RecordStore whole = parse_records(text, "store.jsonl");
    const std::string part = text.substr(0, length);
    const auto lines = static_cast<size_t>(std::count(part.begin(), part.end(), '\n'));
    const bool cut = !part.empty() && part.back() != '\n' && text[length] != '\n';
    if (lines == 0) continue;  // no head yet
    const RecordStore store = parse_records(part, "store.jsonl");
    REQUIRE(store.runs.size() == 1);
    const size_t complete = lines - 1 + (!cut && !part.empty() && part.back() != '\n' ? 1 : 0);
    REQUIRE(store.runs[0].records.size() == complete);
    CHECK(std::equal(store.runs[0].records.begin(), store.runs[0].records.end(),
                     every_record().begin()));
    CHECK(store.unread == (cut ? 1 : 0));
    if (cut) CHECK(store.first_unread == static_cast<int64_t>(lines) + 1);
  }
}

TEST_CASE("a run that follows a killed one loses nothing to its cut line") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  const std::string text = written({"a"});
  write_file(path, text.substr(0, text.size() - 20));
  {
    const RecordFile file(path, head("b"));
    for (const Record& record : every_record()) file.tell(record);
  }
  const RecordStore store = parse_records(read_file(path), "store.jsonl");
  REQUIRE(store.runs.size() == 2);
  CHECK(store.runs[0].records.size() == every_record().size() - 1);
  CHECK(store.runs[1].records == every_record());
  CHECK(store.unread == 1);
}

TEST_CASE("two processes that write one store lose nothing") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  constexpr int kTimes = 3000;
  for (const char* const run : {"a", "b"}) {
    if (::fork() != 0) continue;
    const RecordFile file(path, head(run));
    file.tell(every_record()[0]);
    file.tell(BuildRecord{"cta=1", {}});
    for (int i = 0; i < kTimes; ++i) file.tell(TimeRecord{0, i, "cta=1", {1.0 + i, ""}});
    ::_exit(0);
  }
  for (int child = 0; child < 2; ++child) ::wait(nullptr);
  const RecordStore store = parse_records(read_file(path), "store.jsonl");
  CHECK(store.unread == 0);
  REQUIRE(store.runs.size() == 2);
  for (const StoredRun& run : store.runs) {
    REQUIRE(run.records.size() == kTimes + 2);
    for (int i = 0; i < kTimes; ++i) {
      REQUIRE(run.records[static_cast<size_t>(i) + 2] ==
              Record(TimeRecord{0, i, "cta=1", {1.0 + i, ""}}));
    }
  }
}

TEST_CASE("a damaged byte never crashes and loses no more than its line") {
  const std::string text = written({"a"});
  for (size_t at = text.find('\n') + 1; at < text.size(); at += 3) {
    for (const char byte : {'\0', '{', '"', '\xff', '-', '9'}) {
      std::string damaged = text;
      damaged[at] = byte;
      const RecordStore store = parse_records(damaged, "store.jsonl");
      REQUIRE(store.runs.size() == 1);
      // Two lines where the byte stood between them; what they introduced loses its seven numbers.
      CHECK(store.runs[0].records.size() + 9 >= every_record().size());
    }
  }
}

TEST_CASE("stores taken in one by one hold what they hold joined: of each run the longest") {
  const std::string text = written({"a", "b"});
  const std::string one = written({"c"});
  for (size_t length = text.find('\n') + 1; length < text.size(); length += 57) {
    const std::vector<std::string> texts = {text.substr(0, length), one, text,
                                            text.substr(0, length)};
    RecordStore all;
    for (const std::string& part : texts) add_runs(all, parse_records(part, "part"));
    const RecordStore joined = parse_records(join_stores(texts, {"1", "2", "3", "4"}), "joined");
    REQUIRE(all.runs.size() == joined.runs.size());
    for (const StoredRun& run : joined.runs) {
      const auto same = std::find_if(all.runs.begin(), all.runs.end(), [&run](const StoredRun& r) {
        return r.head == run.head && r.records == run.records;
      });
      CHECK(same != all.runs.end());
    }
  }
}

TEST_CASE("a log holds one session on one device, and races that ended") {
  RecordStore store = parse_records(written({"a"}), "store.jsonl");
  store.runs[0].records.push_back(TimeRecord{1, 0, "cta=1", {20, ""}});
  CHECK(log_of(store, "s", "GPU-2").empty());
  CHECK(log_of(store, "other", "GPU-1").empty());
  const RunLog log = log_of(store, "s", "GPU-1");
  REQUIRE(log.size() == 1);
  const ProblemLog& problem = log.begin()->second;
  CHECK(problem.races.size() == 1);
  CHECK(problem.races.at(0).size() == 2);
  CHECK(problem.races.at(0).front().front().second.us == 26.123456789012345);
  CHECK(problem.verifications.at("cta=3").failure == "illegal address");
}

TEST_CASE("what is no store is refused, an empty one is empty") {
  CHECK(parse_records("", "store.jsonl").runs.empty());
  CHECK(contains(testing::complaint_of([] { parse_records("hello\n", "x.jsonl"); }), "x.jsonl"));
  CHECK(contains(testing::complaint_of([] { RecordFile("/no/such/folder/x", head("a")); }),
                 "/no/such/folder/x"));
}

TEST_CASE("a full disk is said, with the environment's exit code") {
  if (!std::filesystem::exists("/dev/full")) return;
  try {
    const RecordFile file("/dev/full", head("a"));
    FAIL("a full disk took a line");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Environment);
    CHECK(contains(error.what(), "No space left"));
  }
}

TEST_CASE("answers of several runs are one artefact, unless their devices differ") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  TuneEntry entry;
  entry.problem = workload_of({{512, 512, 512}});
  entry.choice.cta = {128, 128, 64};
  entry.choice.stages = 4;
  entry.timing = Timing{10, {9, 11}, 100};
  for (const int64_t m : {512, 1024, 512}) {
    entry.problem.shapes[0].m = m;
    entry.timing->median_us += 1;
    const RecordFile file(path, head(format("{}", entry.timing->median_us)));
    file.tell(every_record()[0]);
    file.answer(entry, {"cupti-activity", "rotating", "uniform", "cublasLt"}, 5, {});
  }
  RecordStore store = parse_records(read_file(path), "store.jsonl");
  const Artefact artefact = artefact_of(store);
  REQUIRE(artefact.entries.size() == 2);
  CHECK(artefact.entries[0].timing->median_us == 13);  // the last one counts
  CHECK(artefact.entries[1].timing->median_us == 12);
  CHECK(artefact.method.timer == "cupti-activity");
  store.runs[1].head.device.sm_count = 108;
  CHECK(contains(testing::complaint_of([&] { artefact_of(store); }), "108 SMs"));
  CHECK(contains(testing::complaint_of([] { artefact_of({}); }), "answer"));
}

TEST_CASE("answers stand in the order of their command, whichever run and store they came from") {
  const testing::TemporaryFolder folder;
  TuneEntry entry;
  entry.choice.cta = {128, 128, 64};
  entry.choice.stages = 4;
  entry.timing = Timing{10, {9, 11}, 100};
  std::vector<std::string> texts;
  constexpr int64_t kCount = 5;
  for (const int64_t place : {3, 0, 2, 1}) {
    entry.problem = workload_of({.shape = {512 + place, 512, 512}});
    const auto path = folder.path() / format("{}.jsonl", place);
    RecordFile(path, head(format("{}", place)))
        .answer(entry, {"t", format("regime {}", place), "d", "r"}, 10 * (5 - place),
                {place, kCount});
    texts.push_back(read_file(path));
  }
  const RecordStore store = parse_records(join_stores(texts, {"a", "b", "c", "d"}), "joined");
  const Artefact artefact = artefact_of(store);
  REQUIRE(artefact.entries.size() == 4);
  for (int64_t i = 0; i < 4; ++i) {
    CHECK(artefact.entries[static_cast<size_t>(i)].problem.shapes[0].m == 512 + i);
  }
  CHECK(artefact.rounds == 50);                 // the most of any
  CHECK(artefact.method.regime == "regime 3");  // the last problem's
  CHECK(unanswered_count(store) == 1);
  CHECK(answers_of(store).size() == 4);
  DeviceFingerprint other = head("").device;
  CHECK(runs_like(store, "s", other).runs.size() == 4);
  CHECK(runs_like(store, "t", other).runs.empty());
  other.sm_count = 108;
  CHECK(runs_like(store, "s", other).runs.empty());
}

}  // namespace
}  // namespace tilewright
