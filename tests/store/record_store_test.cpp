#include "store/record_store.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/record_line.hpp"
#include "store/stored_answers.hpp"
#include "support/error_message.hpp"
#include "support/file_calls.hpp"
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

// One record of each kind, with plain and with unusual values.
std::vector<Record> every_record() {
  Problem odd;
  odd.shape = {1000, 4000, 1000};
  odd.kind.dtype = DataType::F16;
  odd.kind.layout = parse_matrix_layout("nt");
  odd.kind.epilogue.out_dtype = DataType::F32;
  odd.kind.epilogue.bias = true;
  return {ProblemRecord{workload_of(odd), {"cupti-activity", "rotating", "uniform", "cublasLt"}},
          ReferencesRecord{{"cublasLt/0 algo=66 \"quoted\"", "cublasLt/1"},
                           {130100, {{{{0x42, 0xff}}, 0}, {{{0, 7}}, 1 << 25}}}},
          BuildRecord{"cta=1", {"", 168, 0, 230464, true}},
          BuildRecord{"cta=2", {"spills 16 bytes\n", 255, 16, 1, false}},
          VerifyRecord{"cta=1", false, Verification{true, 1e-3, ""}, ""},
          VerifyRecord{"cta=2", true, Verification{false, 0.7, "D(0, 64) is -1"}, ""},
          VerifyRecord{"cta=3", false, std::nullopt, "illegal address"},
          RoundRecord{0,
                      0,
                      {{"cta=1", {26.123456789012345, ""}},
                       {"cublasLt/1", {1e-7, "", 1755, 612.5}},
                       {"cublasLt/0 algo=66 \"quoted\"", {3, "", 1755, 0}}}},
          RoundRecord{0, 1, {{"cta=1", {0, "it gave no answer for 20 s"}}}},
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
    RecordFile file(path, head(run));
    for (const Record& record : every_record()) file.append(record);
  }
  return read_file(path);
}

TEST_CASE("recorded data reads back, each run on its own") {
  const RecordStore store = parse_records(written({"a", "b"}), "store.jsonl");
  REQUIRE(store.runs.size() == 2);
  CHECK(store.unread == 0);
  for (const StoredRun& run : store.runs) CHECK(run.records == every_record());
  CHECK(store.runs[0].head == head("a"));
  CHECK(store.runs[1].head == head("b"));
}

TEST_CASE("a store cut at any byte loads: whole lines are read, a cut one is counted") {
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

TEST_CASE("a run after a killed one loses nothing to the killed run's cut line") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  const std::string text = written({"a"});
  write_file(path, text.substr(0, text.size() - 20));
  {
    RecordFile file(path, head("b"));
    for (const Record& record : every_record()) file.append(record);
  }
  const RecordStore store = parse_records(read_file(path), "store.jsonl");
  REQUIRE(store.runs.size() == 2);
  CHECK(store.runs[0].records.size() == every_record().size() - 1);
  CHECK(store.runs[1].records == every_record());
  CHECK(store.unread == 1);
}

TEST_CASE("the head, each answer and the end of a run are synced to disk") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  const testing::FileCalls calls;
  const auto synced = [&calls, &path] {
    const std::vector<testing::FileCall> all = calls.listed();
    return std::count_if(all.begin(), all.end(), [&path](const testing::FileCall& call) {
      return call.name == "fdatasync" && call.path == path;
    });
  };
  {
    RecordFile file(path, head("a"));
    CHECK(synced() == 1);
    const std::vector<testing::FileCall> all = calls.listed();
    CHECK(std::any_of(all.begin(), all.end(), [&folder](const testing::FileCall& call) {
      return call.name == "fsync" && call.path == folder.path();
    }));
    // A race that ended less than a second ago is not synced yet.
    file.append(RaceRecord{0});
    CHECK(synced() == 1);
    TuneEntry entry;
    entry.problem = workload_of({{512, 512, 512}});
    file.append_answer(entry, {});
    CHECK(synced() == 2);
  }
  CHECK(synced() == 3);
}

TEST_CASE("two processes that write one store lose nothing") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  constexpr int kTimes = 3000;
  for (const char* const run : {"a", "b"}) {
    if (::fork() != 0) continue;
    RecordFile file(path, head(run));
    file.append(every_record()[0]);
    file.append(BuildRecord{"cta=1", {}});
    for (int i = 0; i < kTimes; ++i) file.append(RoundRecord{0, i, {{"cta=1", {1.0 + i, ""}}}});
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
              Record(RoundRecord{0, i, {{"cta=1", {1.0 + i, ""}}}}));
    }
  }
}

TEST_CASE("a damaged byte never crashes and loses no more than its line") {
  const std::string text = written({"a"});
  // Damages only lines after the problem's own line, without which no record belongs to it.
  const size_t begin = text.find('\n', text.find('\n') + 1) + 1;
  for (size_t at = begin; at < text.size(); at += 3) {
    for (const char byte : {'\0', '{', '"', '\xff', '-', '9'}) {
      std::string damaged = text;
      damaged[at] = byte;
      const RecordStore store = parse_records(damaged, "store.jsonl");
      REQUIRE(store.runs.size() == 1);
      // A damaged line break costs two lines, and a damaged introduction of a contender its seven
      // numbers.
      CHECK(store.runs[0].records.size() + 9 >= every_record().size());
    }
  }
}

TEST_CASE("adding stores one by one equals joining them: each run's longest copy stays") {
  const std::string text = written({"a", "b"});
  const std::string one = written({"c"});
  for (size_t length = text.find('\n') + 1; length < text.size(); length += 57) {
    const std::vector<std::string> texts = {text.substr(0, length), one, text,
                                            text.substr(0, length)};
    RecordStore all;
    for (const std::string& part : texts) add_runs(all, parse_records(part, "part"));
    const RecordStore joined = merge_stores(texts, {"1", "2", "3", "4"}).store;
    REQUIRE(all.runs.size() == joined.runs.size());
    for (const StoredRun& run : joined.runs) {
      const auto same = std::find_if(all.runs.begin(), all.runs.end(), [&run](const StoredRun& r) {
        return r.head == run.head && r.records == run.records;
      });
      CHECK(same != all.runs.end());
    }
  }
}

TEST_CASE("a log has one session on one device, with complete races only") {
  RecordStore store = parse_records(written({"a"}), "store.jsonl");
  store.runs[0].records.push_back(RoundRecord{1, 0, {{"cta=1", {20, ""}}}});
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

TEST_CASE("a file that is no store is refused; an empty file is an empty store") {
  CHECK(parse_records("", "store.jsonl").runs.empty());
  CHECK(
      contains(testing::error_message_of([] { parse_records("hello\n", "x.jsonl"); }), "x.jsonl"));
  CHECK(contains(testing::error_message_of([] { RecordFile("/no/such/folder/x", head("a")); }),
                 "/no/such/folder/x"));
}

TEST_CASE("nothing is appended to a file that is no store or has a newer version") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "s.jsonl";
  const auto begun = [&](const std::string& text) {
    write_file(path, text);
    return testing::error_message_of([&] { RecordFile(path, head("b")); });
  };
  for (const char* const other : {"hello\n", "{\"schema\":\"tilewright.best/1\"}\n", "x"}) {
    CHECK(contains(begun(other), "is not a store"));
    CHECK(read_file(path) == other);
  }
  const std::string one = written({"a"});
  for (const char* const version : {"3", "99999999999999999999"}) {
    const std::string newer =
        testing::replaced(one, "tilewright.store/2", std::string("tilewright.store/") + version);
    for (const std::string& text :
         {newer, one + newer, "{\"schema\":\"tilewright.store/3\"}\n" + one}) {
      CHECK(contains(begun(text), "and this version reads"));
      CHECK(read_file(path) == text);
    }
  }
  // A run that was killed while it wrote its first line still leaves a store.
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{20}, size_t{30}, one.size() - 1}) {
    CHECK(begun(one.substr(0, bytes)).empty());
    CHECK(read_file(path).starts_with(one.substr(0, bytes)));
  }
}

TEST_CASE("a pipe is refused as a store without waiting") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "pipe.jsonl";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(contains(testing::error_message_of([&] { RecordFile(path, head("a")); }), "pipe"));
}

TEST_CASE("a full disk is reported with the environment's exit code") {
  if (!std::filesystem::exists("/dev/full")) return;
  try {
    RecordFile file("/dev/full", head("a"));
    FAIL("a full disk took a line");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::Environment);
    CHECK(contains(error.what(), "No space left"));
  }
}

TEST_CASE("an impossible time is no record") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  {
    RecordFile file(path, head("a"));
    file.append(BuildRecord{"cta=1", {}});
    for (const double us : {0.0, -1.0, 1e-9}) {
      file.append(RoundRecord{0, 0, {{"cta=1", {us, ""}}}});
    }
  }
  const RecordStore store = parse_records(read_file(path), "store.jsonl");
  CHECK(store.unread == 2);
  REQUIRE(store.runs.at(0).records.size() == 2);
  CHECK(store.runs[0].records[1] == Record(RoundRecord{0, 0, {{"cta=1", {1e-9, ""}}}}));
  // The same for a line with a time of 0.
  const std::string text = read_file(path);
  const size_t last = text.rfind('\n', text.size() - 2) + 1;
  Document line = Document::parse(text.substr(last));
  line.erase("check");
  for (const double us : {0.0, 1.0}) {
    line["times"][0][1] = us;
    const RecordStore other = parse_records(text.substr(0, last) + store_line(line), "store.jsonl");
    CHECK(other.unread == (us > 0 ? 2 : 3));
  }
}

TEST_CASE("a resumed run keeps the answers, and the records of problems without one") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  const std::vector<Record> records = every_record();
  {
    RecordFile file(path, head("a"));
    for (const int64_t m : {512, 1024}) {
      file.append(ProblemRecord{workload_of({{m, 512, 512}}), {"t", "r", "d", "l"}});
      for (size_t i = 1; i < records.size(); ++i) file.append(records[i]);
      if (m != 512) continue;
      TuneEntry entry;
      entry.problem = workload_of({{m, 512, 512}});
      entry.choice.cta = {128, 128, 64};
      entry.choice.stages = 4;
      entry.predicted.us = 9;
      entry.timing = Timing{10, {9, 11}, 100};
      entry.origin = Origin{"0.1.0", {}, {"cupti-activity", "rotating", "uniform", "cublasLt"}, 5};
      file.append_answer(entry, {});
    }
  }
  const std::string text = read_file(path);
  const RecordStore all = parse_records(text, "store.jsonl");
  const RecordStore kept = parse_records(text, "store.jsonl", KeptRecords::Unanswered);
  REQUIRE(kept.runs.size() == 1);
  const StoredRun& run = kept.runs[0];
  const std::vector<Record>& before = all.runs.at(0).records;
  REQUIRE(before.size() == 2 * records.size());
  CHECK(run.answers.size() == 1);
  CHECK(run.dropped == std::ssize(records));
  CHECK(run.records == std::vector<Record>(before.begin() + std::ssize(records), before.end()));
  // Dropped records count where the longest copy of a run is chosen.
  RecordStore joined = kept;
  const size_t cut = text.rfind('\n', text.size() - 2) + 1;
  add_runs(joined, parse_records(text.substr(0, cut), "store.jsonl"));
  CHECK(joined.runs.at(0).dropped == run.dropped);
}

TEST_CASE("records of another GPU are not used by a run") {
  const testing::TemporaryFolder folder;
  RunHead other = head("a");
  other.device_uuid = "GPU-2";
  std::string text;
  for (const RunHead& run : {head("a"), other}) {
    const auto path = folder.path() / run.device_uuid;
    RecordFile file(path, run);
    BuildResult built;
    built.registers = run.device_uuid == "GPU-1" ? 1 : 2;
    file.append(BuildRecord{"cta=1", built});
    // From the other GPU's store only the record.
    const std::string lines = read_file(path);
    text += text.empty() ? lines : lines.substr(lines.find('\n') + 1);
  }
  const RecordStore store = parse_records(text, "store.jsonl");
  REQUIRE(store.runs.size() == 1);
  REQUIRE(store.runs[0].records.size() == 1);
  CHECK(std::get<BuildRecord>(store.runs[0].records[0]).result.registers == 1);
  CHECK(store.unread == 1);
}

TEST_CASE("answers of two regimes make no artefact, whichever come first") {
  TuneEntry entry;
  entry.choice.cta = {128, 128, 64};
  entry.choice.stages = 4;
  entry.predicted.us = 9;
  entry.timing = Timing{10, {9, 11}, 100};
  const std::vector<std::string> regimes = {"rotating", "hot: one set of operands",
                                            "cold: L2 swept"};
  for (const std::string& first : regimes) {
    for (const std::string& second : regimes) {
      const testing::TemporaryFolder folder;
      const auto path = folder.path() / "store.jsonl";
      for (const std::string& regime : {first, second}) {
        entry.problem = workload_of({.shape = {regime == first ? 512 : 1024, 512, 512}});
        entry.origin = Origin{"0.1.0", {}, {"t", regime, "d", "r"}, 5};
        RecordFile(path, head(regime)).append_answer(entry, {});
      }
      const RecordStore store = parse_records(read_file(path), "store.jsonl");
      if (first == second) {
        CHECK_NOTHROW(artefact_of(store));
      } else {
        CHECK(contains(testing::error_message_of([&] { artefact_of(store); }), "regime"));
      }
    }
  }
}

TEST_CASE("answers of several runs make one artefact, unless their devices differ") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  TuneEntry entry;
  entry.problem = workload_of({{512, 512, 512}});
  entry.choice.cta = {128, 128, 64};
  entry.choice.stages = 4;
  entry.predicted.us = 9;
  entry.timing = Timing{10, {9, 11}, 100};
  for (const int64_t m : {512, 1024, 512}) {
    entry.problem.shapes[0].m = m;
    entry.timing->median_us += 1;
    RecordFile file(path, head(format("{}", entry.timing->median_us)));
    file.append(every_record()[0]);
    entry.origin = Origin{"0.1.0", {}, {"cupti-activity", "rotating", "uniform", "cublasLt"}, 5};
    file.append_answer(entry, {});
  }
  RecordStore store = parse_records(read_file(path), "store.jsonl");
  const Artefact artefact = artefact_of(store);
  REQUIRE(artefact.entries.size() == 2);
  CHECK(artefact.entries[0].timing->median_us == 13);  // its interval is the narrower one
  CHECK(artefact.entries[1].timing->median_us == 12);
  CHECK(artefact.method.timer == "cupti-activity");
  store.runs[1].head.device.sm_count = 108;
  CHECK(contains(testing::error_message_of([&] { artefact_of(store); }), "108 SMs"));
  CHECK(contains(testing::error_message_of([] { artefact_of(RecordStore{}); }), "answer"));
}

TEST_CASE("answers keep the order of the command, whichever run and store they come from") {
  const testing::TemporaryFolder folder;
  TuneEntry entry;
  entry.choice.cta = {128, 128, 64};
  entry.choice.stages = 4;
  entry.predicted.us = 9;
  entry.timing = Timing{10, {9, 11}, 100};
  std::vector<std::string> texts;
  constexpr int64_t kCount = 5;
  for (const int64_t place : {3, 0, 2, 1}) {
    // By their texts and their runs' names the problems would be in the reverse order.
    entry.problem = workload_of({.shape = {900 - place, 512, 512}});
    const auto path = folder.path() / format("{}.jsonl", place);
    entry.origin =
        Origin{"0.1.0", {}, {"t", format("regime {}", place), "d", "r"}, 10 * (5 - place)};
    RecordFile(path, head(format("{}", 9 - place))).append_answer(entry, {place, kCount});
    texts.push_back(read_file(path));
  }
  const RecordStore store = merge_stores(texts, {"a", "b", "c", "d"}).store;
  const Artefact artefact = artefact_of(store);
  REQUIRE(artefact.entries.size() == 4);
  for (int64_t i = 0; i < 4; ++i) {
    CHECK(artefact.entries[static_cast<size_t>(i)].problem.shapes[0].m == 900 - i);
  }
  CHECK(artefact.rounds == 50);                 // the maximum
  CHECK(artefact.method.regime == "regime 3");  // the last problem's
  CHECK(unanswered_count(store) == 1);
  CHECK(answers_of(store).size() == 4);
  DeviceFingerprint other = head("").device;
  CHECK(runs_like(store, "s", other).runs.size() == 4);
  CHECK(runs_like(store, "t", other).runs.empty());
  other.sm_count = 108;
  CHECK(runs_like(store, "s", other).runs.empty());
}

// Runs with one answer each, several for some problems, and truncated copies of them.
std::vector<std::string> stores_of_cut_runs(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t end) { return static_cast<int64_t>(random() % end); };
  const testing::TemporaryFolder folder;
  std::vector<std::string> runs;
  for (int i = 0; i < 5; ++i) {
    const auto path = folder.path() / format("{}", i);
    RunHead of_run = head(format("run{}", i));
    of_run.session = format("s{}", below(2));
    of_run.began = format("2026-11-2{}", below(3));
    of_run.environment = format("driver {}\nruntime 13.0", 500 + below(2));
    RecordFile file(path, of_run);
    for (const Record& record : every_record()) file.append(record);
    TuneEntry entry;
    entry.problem = workload_of({{512 + 512 * below(3), 512, 512}});
    entry.choice.cta = {128, 128, 64};
    entry.choice.stages = 4;
    const auto us = static_cast<double>(10 + below(9));
    entry.predicted.us = 9;
    entry.timing = Timing{us, {us - 1, us + static_cast<double>(below(3))}, 100};
    entry.origin = Origin{"0.1.0", software_of(of_run.environment), {}, 10 + 10 * below(2)};
    file.append_answer(entry, {below(4), 4});
    runs.push_back(read_file(path));
  }
  std::vector<std::string> stores(4);
  for (std::string& store : stores) {
    for (int part = 0; part < 3; ++part) {
      std::string copy = runs[static_cast<size_t>(below(runs.size()))];
      if (below(2) == 0) copy.resize(static_cast<size_t>(below(copy.size())));
      store += copy + "\n";
    }
  }
  return stores;
}

TEST_CASE("joining stores in any order, or joining joins, gives the same text and answers") {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<std::string> stores = stores_of_cut_runs(seed);
    const auto join = [](const std::vector<std::string>& texts) {
      return merge_stores(texts, std::vector<std::string>(texts.size(), "store")).text;
    };
    const std::string joined = join(stores);
    const auto artefact = [](const std::string& text) {
      const RecordStore store = parse_records(text, "joined");
      return answers_of(store).empty() ? "" : print_best(artefact_of(store));
    };
    std::sort(stores.begin(), stores.end());
    do {
      REQUIRE(join(stores) == joined);
    } while (std::next_permutation(stores.begin(), stores.end()));
    for (size_t at = 1; at < stores.size(); ++at) {
      const auto middle = stores.begin() + static_cast<std::ptrdiff_t>(at);
      const std::string one = join({stores.begin(), middle});
      const std::string other = join({middle, stores.end()});
      CHECK(join({one, other}) == joined);
      CHECK(join({other, one, joined}) == joined);
      CHECK(artefact(join({other, one})) == artefact(joined));
    }
    // The order of the runs in memory does not change the answers.
    RecordStore store = parse_records(joined, "joined");
    std::map<std::string, TuneEntry> answers;
    for (const auto& [problem, one] : answers_of(store)) answers[problem] = one.entries[0];
    std::reverse(store.runs.begin(), store.runs.end());
    for (const auto& [problem, one] : answers_of(store))
      CHECK(answers.at(problem) == one.entries[0]);
  }
}

TEST_CASE("a store keeps the longer of two copies of a run") {
  const std::string text = written({"a", "b"});
  const RecordStore store = parse_records(text + text.substr(0, 900) + "\n" + text, "store.jsonl");
  REQUIRE(store.runs.size() == 2);
  for (const StoredRun& run : store.runs) CHECK(run.records == every_record());
}

TEST_CASE("among several runs' answers the better evidence is kept, and others are named") {
  TuneEntry kept;
  kept.problem = workload_of({{512, 512, 512}});
  kept.predicted.us = 9;
  kept.timing = Timing{100, {99, 101}, 1};
  kept.origin = Origin{"0.1.0", {}, {}, 20};
  TuneEntry other = kept;
  other.origin->rounds = 19;
  for (const bool is_first : {true, false}) {
    RecordStore store;
    store.runs = {{head("a"), {}, {{is_first ? kept : other, {}}}},
                  {head("b"), {}, {{is_first ? other : kept, {}}}}};
    CHECK(artefact_of(store).entries[0] == kept);
    CHECK(origins_of(store).size() == 2);
    const std::vector<DroppedAnswer> dropped = dropped_answers(store);
    REQUIRE(dropped.size() == 1);
    CHECK(dropped[0].dropped.entry == other);
    CHECK(dropped[0].dropped.run == (is_first ? "b" : "a"));
    CHECK(contains(dropped[0].why, "rounds"));
  }
}

TEST_CASE("runs of different GPU models make no artefact, whichever answered") {
  RecordStore store;
  TuneEntry entry;
  entry.problem = workload_of({{512, 512, 512}});
  entry.origin = Origin{};
  RunHead other = head("b");
  other.device.name = "NVIDIA H200 NVL";
  for (const bool is_first : {true, false}) {
    store.runs = {{is_first ? other : head("a"), {}, {{entry, {}}}},
                  {is_first ? head("a") : other, {}, {{entry, {}}}}};
    const std::string error_message = testing::error_message_of([&] { artefact_of(store); });
    CHECK(contains(error_message, "NVIDIA H200 (9.0"));
    CHECK(contains(error_message, "NVIDIA H200 NVL (9.0"));
    CHECK(contains(error_message, "separately"));
  }
}

TEST_CASE("every flipped bit of a line is detected") {
  const std::string text = written({"a"});
  for (const std::string_view whole : split(text, '\n')) {
    if (whole.empty()) continue;
    REQUIRE(check_line(whole) == LineCheck::Right);
    std::string line(whole);
    for (size_t bit = 0; bit < 8 * line.size(); ++bit) {
      const auto flip = [&] { line[bit / 8] = static_cast<char>(line[bit / 8] ^ (1 << bit % 8)); };
      flip();
      REQUIRE(check_line(line) != LineCheck::Right);
      flip();
    }
  }
}

TEST_CASE("a flipped bit of a store is counted, or changes nothing") {
  const std::vector<std::string> stores = stores_of_cut_runs(3);
  const std::string text = merge_stores(stores, {"1", "2", "3", "4"}).text;
  const std::string whole = print_best(artefact_of(parse_records(text, "store.jsonl")));
  std::mt19937_64 random(13);
  constexpr int kFlips = 250;
  for (int i = 0; i < kFlips; ++i) {
    const size_t bit = random() % (8 * text.size());
    CAPTURE(bit);
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const RecordStore store = parse_records(damaged, "store.jsonl");
    const bool is_seen = store.unread + store.unchecked > 0;
    CHECK((is_seen || print_best(artefact_of(store)) == whole));
    const std::vector<std::string> notes = reading_notes(store, "store.jsonl");
    CHECK(notes.empty() == !is_seen);
    for (const std::string& note : notes) CHECK(note.starts_with("store.jsonl: "));
  }
}

TEST_CASE("a damaged line loses only itself; records never move to another problem") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "store.jsonl";
  {
    RecordFile file(path, head("a"));
    for (const int64_t m : {512, 1024}) {
      file.append(ProblemRecord{workload_of({{m, 512, 512}}), {"t", "r", "d", "l"}});
      file.append(BuildRecord{"cta=1", {}});
      file.append(RoundRecord{0, 0, {{"cta=1", {static_cast<double>(m), ""}}}});
      file.append(RaceRecord{0});
    }
  }
  std::string text = read_file(path);
  text[text.find("1024x512x512")] = '2';
  const RecordStore store = parse_records(text, "store.jsonl");
  CHECK(store.unread == 4);
  const RunLog log = log_of(store, "s", "GPU-1");
  REQUIRE(log.size() == 1);
  CHECK(log.begin()->second.races.at(0).front().front().second.us == 512);
}

TEST_CASE("stores without checksums are read as unchecked; newer schemas are refused by name") {
  std::string old;
  const std::string text = written({"a"});
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    Document object = Document::parse(line);
    object.erase("check");
    object.erase("of");
    old += object.dump() + "\r\n";
  }
  const RecordStore store = parse_records(old, "store.jsonl");
  REQUIRE(store.runs.size() == 1);
  CHECK(store.runs[0].records == every_record());
  CHECK(store.unread == 0);
  CHECK(store.unchecked == static_cast<int64_t>(every_record().size()) + 1);
  REQUIRE(reading_notes(store, "store.jsonl").size() == 1);
  CHECK(contains(reading_notes(store, "store.jsonl").front(), "15 lines are not checked"));
  CHECK(reading_notes(parse_records(text, "store.jsonl"), "store.jsonl").empty());
  const std::string newer = testing::replaced(old, "tilewright.store/2", "tilewright.store/3");
  CHECK(contains(testing::error_message_of([&] { parse_records(newer, "x.jsonl"); }),
                 "x.jsonl: line 1 has the schema tilewright.store/3, and this version reads "
                 "tilewright.store/2"));
  for (const char* const version : {"3", "99999999999999999999"}) {
    const std::string schema = std::string("tilewright.store/") + version;
    // Another version may compute checksums in another way.
    const std::string head = testing::replaced(text, "tilewright.store/2", schema);
    CHECK(contains(testing::error_message_of([&] { parse_records(head, "x.jsonl"); }), schema));
    const RecordStore mixed = parse_records(text + head, "x.jsonl");
    REQUIRE(mixed.runs.size() == 1);
    CHECK(mixed.unread == 1);
    CHECK(contains(join(reading_notes(mixed, "x.jsonl"), "\n"), schema));
  }
  // An invalid answer is a damaged line, not an internal error.
  const RecordStore odd = parse_records(
      old + R"({"run":"a","device":"GPU-1","answer":{"problem":"512x512x512","dtipe":"bf16"}})",
      "store.jsonl");
  CHECK(odd.unread == 1);
  CHECK(odd.runs[0].answers.empty());
}

}  // namespace
}  // namespace tilewright
