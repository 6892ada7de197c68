#include "store/answers_file.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "answer/bucket_division.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "store/dispatch.hpp"
#include "support/artefacts.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;

const DeviceFingerprint kH200 = {"NVIDIA H200", "9.0", 132, 62914560, 150754820096, false};
const DeviceFingerprint kH100 = {"NVIDIA H100 80GB HBM3", "9.0", 132, 52428800, 85017493504, false};
const DeviceFingerprint kPreset = {"h200", "9.0", 132, 62914560, 150754820096, true};

TuneEntry timed_answer(int64_t m, double us, const std::string& driver = "1.0") {
  TuneEntry entry;
  entry.problem = workload_of({{m, 512, 512}});
  entry.choice.cta = {128, 128, 64};
  entry.choice.stages = 4;
  entry.predicted.us = us;
  entry.timing = Timing{us, {us, us}, 1};
  entry.origin =
      Origin{"0.1.0", {driver, "13.0", "NVRTC 13.0", "cublasLt 13.1.0"}, {"t", "r", "d", "l"}, 20};
  return entry;
}

Artefact artefact_with(std::vector<TuneEntry> entries, const DeviceFingerprint& device = kH200) {
  Artefact artefact;
  artefact.tool_version = "0.1.0";
  artefact.device = device;
  artefact.predicted = device.preset;
  artefact.method = {"t", "r", "d", "l"};
  artefact.rounds = 20;
  artefact.entries = std::move(entries);
  return artefact;
}

const AnswersSource kMeasured = {.device = kH200};

void save_into(const std::filesystem::path& path, const Artefact& artefact) {
  AnswersFile(path, {artefact.device, artefact.predicted, regime_of(artefact.method)}, false)
      .save(artefact);
}

// The text of each answer's problem, once for each answer.
std::multiset<std::string> problems_in(const Artefact& artefact) {
  std::multiset<std::string> problems;
  for (const TuneEntry& entry : artefact.entries) problems.insert(full_text(entry.problem));
  return problems;
}

TEST_CASE("a problem tuned anew keeps its pins of library versions that were not timed now") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    testing::ArtefactMaker maker(seed);
    // Each version of these is pinned in either file, in both or in none.
    TuneEntry before = timed_answer(256, 11);
    TuneEntry after = timed_answer(256, 12);
    if (maker.coin()) after.choice.stages = 5;
    for (const int64_t version : {120800, 130000, 130100, 130200}) {
      if (maker.coin()) before.library_pins.push_back(maker.pin(version));
      if (maker.coin()) after.library_pins.push_back(maker.pin(version));
    }
    const Artefact merged = merge_answers(artefact_with({before}), artefact_with({after}));
    const std::vector<LibraryPin>& pins = merged.entries.front().library_pins;
    const auto of_version = [](const std::vector<LibraryPin>& all, int64_t version) {
      const auto at = std::find_if(all.begin(), all.end(), [version](const LibraryPin& pin) {
        return pin.version == version;
      });
      return at == all.end() ? nullptr : &*at;
    };
    for (const int64_t version : {120800, 130000, 130100, 130200}) {
      const LibraryPin* const now = of_version(pins, version);
      const LibraryPin* const fresh = of_version(after.library_pins, version);
      const LibraryPin* const old = of_version(before.library_pins, version);
      REQUIRE((now != nullptr) == (fresh != nullptr || old != nullptr));
      if (now == nullptr) continue;
      if (fresh != nullptr) {
        CHECK(*now == *fresh);
        continue;
      }
      CHECK(now->algorithm == old->algorithm);
      CHECK(now->ratio == old->ratio);
      // The pin names the config beside which it was timed, unless that is the choice.
      CHECK(now->beside.value_or(after.choice) == old->beside.value_or(before.choice));
      CHECK(now->beside != after.choice);
    }
    CHECK(std::is_sorted(pins.begin(), pins.end(), [](const LibraryPin& a, const LibraryPin& b) {
      return a.version < b.version;
    }));
    CHECK(parse_best(print_best(merged), "joined") == merged);
  }
}

TEST_CASE("a new answer replaces its problem's only; other and pinned answers stay") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    testing::ArtefactMaker maker(seed);
    Artefact existing = maker.artefact();
    Artefact fresh = maker.artefact();
    for (TuneEntry& entry : fresh.entries) entry.pinned = false;
    for (Artefact* const side : {&existing, &fresh}) {
      for (TuneEntry& entry : side->entries) entry.library_pins.clear();
    }
    // Some problems are in both.
    for (size_t i = 0; i < std::min(existing.entries.size(), fresh.entries.size()); i += 2) {
      fresh.entries[i].problem = existing.entries[i].problem;
    }
    const Artefact merged = merge_answers(existing, fresh);
    CHECK(merged.device == fresh.device);
    CHECK(merged.method == fresh.method);
    for (const TuneEntry& entry : fresh.entries) {
      const TuneEntry* const now = find_entry(merged, entry.problem);
      REQUIRE(now != nullptr);
      CHECK((now->pinned || *now == entry));
    }
    for (const TuneEntry& entry : existing.entries) {
      const TuneEntry* const now = find_entry(merged, entry.problem);
      REQUIRE(now != nullptr);
      const bool is_tuned_anew =
          std::any_of(fresh.entries.begin(), fresh.entries.end(),
                      [&entry](const TuneEntry& other) { return other.problem == entry.problem; });
      if (is_tuned_anew && !entry.pinned) continue;
      CHECK(now->choice == entry.choice);
      CHECK(now->timing == entry.timing);
      if (entry.timing) CHECK(origin_of(*now, merged) == origin_of(entry, existing));
    }
    for (const std::string& problem : problems_in(merged)) {
      CHECK(problems_in(merged).count(problem) == 1);
    }
    CHECK(merge_answers(merged, fresh) == merged);
    CHECK(parse_best(print_best(merged), "joined") == merged);
  }
}

TEST_CASE("ranges of sizes stay while their winners do, else they are divided anew") {
  const std::string path = std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/h200-dense.yaml";
  const Artefact existing = load_best(path);
  REQUIRE(!existing.buckets.empty());
  Artefact fresh = existing;
  fresh.trials.clear();
  fresh.buckets.clear();
  fresh.entries = {timed_answer(123, 5)};
  const Artefact other = merge_answers(existing, fresh);
  CHECK(other.buckets == existing.buckets);
  CHECK(other.trials == existing.trials);
  // A winner that no trial timed does not answer in any range.
  const auto of_winner = [](const std::vector<Bucket>& buckets, const TileConfig& config) {
    return std::count_if(buckets.begin(), buckets.end(),
                         [&](const Bucket& bucket) { return bucket.choice == config; });
  };
  const auto by_winner = std::find_if(existing.buckets.begin(), existing.buckets.end(),
                                      [](const Bucket& b) { return !b.by_model; });
  REQUIRE(by_winner != existing.buckets.end());
  const TileConfig old = by_winner->choice;
  fresh.entries.clear();
  for (TuneEntry entry : existing.entries) {
    if (entry.choice != old) continue;
    entry.choice.stages = 1;
    fresh.entries.push_back(entry);
  }
  const Artefact replaced = merge_answers(existing, fresh);
  CHECK(of_winner(existing.buckets, old) > 0);
  CHECK(of_winner(replaced.buckets, old) == 0);
  CHECK(replaced.buckets == buckets_of(replaced.entries, existing.trials));
  CHECK(replaced.trials == existing.trials);
}

TEST_CASE("another GPU model, another regime, and predictions over measurements are refused") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  const auto refused = [&path](const AnswersSource& source) {
    const std::string before = read_file(path);
    const std::string text = testing::error_message_of([&] { AnswersFile(path, source, false); });
    CHECK(read_file(path) == before);
    if (!text.empty()) CHECK(contains(text, "name another file"));
    return text;
  };
  save_into(path, artefact_with({timed_answer(1024, 10)}));
  CHECK(refused(kMeasured).empty());
  const std::string other = refused({.device = kH100});
  CHECK(contains(other, "NVIDIA H200 (9.0"));
  CHECK(contains(other, "NVIDIA H100 80GB HBM3 (9.0"));
  DeviceFingerprint nvl = kH200;
  nvl.name = "NVIDIA H200 NVL";
  CHECK(contains(refused({.device = nvl}), "NVIDIA H200 NVL"));
  CHECK(contains(refused({.device = kH200, .regime = Regime::Hot}), "--regime rotate"));
  CHECK(contains(refused({.device = kPreset, .predicted = true}),
                 "measured answers for NVIDIA H200"));
  write_file(path, "hello: world\n");
  CHECK(contains(refused(kMeasured), "is no artefact"));
  // --overwrite begins an artefact anew, even a damaged one, and nothing else.
  CHECK(contains(testing::error_message_of([&] { AnswersFile(path, kMeasured, true); }),
                 "is no artefact"));
  CHECK(read_file(path) == "hello: world\n");
  write_file(path, "schema: tilewright.best/1\nentries: [\n");
  CHECK(contains(refused(kMeasured), "is not a complete artefact"));
  CHECK_NOTHROW(AnswersFile(path, kMeasured, true));
  // A file without answers can be joined with any, and --overwrite replaces any.
  write_file(path, "\n");
  CHECK(refused(kMeasured).empty());
  for (const AnswersSource& source :
       {AnswersSource{.device = kH100}, AnswersSource{.device = kPreset, .predicted = true}}) {
    save_into(path, artefact_with({timed_answer(2048, 20)}));
    AnswersFile file(path, source, true);
    file.save(artefact_with({timed_answer(1024, 10)}, source.device));
    CHECK(load_best(path).entries.size() == 1);
    CHECK(load_best(path).device == source.device);
    write_file(path, "");
  }
}

TEST_CASE("measured answers join predicted ones, which stay predictions") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  std::vector<TuneEntry> predictions = {timed_answer(512, 9), timed_answer(1024, 9)};
  for (TuneEntry& entry : predictions) {
    entry.timing.reset();
    entry.origin.reset();
  }
  save_into(path, artefact_with(predictions, kPreset));
  AnswersFile file(path, kMeasured, false);
  file.save(artefact_with({timed_answer(1024, 10)}));
  const Artefact both = load_best(path);
  REQUIRE(both.entries.size() == 2);
  CHECK(!both.predicted);
  CHECK(both.device == kH200);
  CHECK(!both.entries[0].timing);
  CHECK(both.entries[1].timing->median_us == 10);
  const std::vector<std::string> notes = file.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "a prediction of 9.00 us is replaced by 10.00 us"));
}

TEST_CASE("a replaced answer is reported once, with the changed driver and other differences") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  save_into(path, artefact_with({timed_answer(512, 5), timed_answer(1024, 10)}));
  AnswersFile file(path, kMeasured, false);
  file.save(artefact_with({timed_answer(1024, 12, "2.0")}));
  const std::vector<std::string> notes = file.take_notes();
  REQUIRE(notes.size() == 1);
  CHECK(contains(notes[0], "1024x512x512 bf16 tn: 10.00 us is replaced by 12.00 us"));
  CHECK(contains(notes[0], "driver 1.0 is now 2.0"));
  file.save(artefact_with({timed_answer(1024, 12, "2.0"), timed_answer(2048, 9, "2.0")}));
  CHECK(file.take_notes().empty());
  const std::vector<std::string> lines = file.summary();
  REQUIRE(lines.size() == 2);
  CHECK(contains(lines[0], "1 answer of other problems kept"));
  CHECK(contains(lines[1], "driver differs: 1.0 (1 answer), 2.0 (2 answers)"));
}

TEST_CASE("merging stores one by one equals merging all at once, in any order") {
  std::vector<TuneEntry> answers = {timed_answer(512, 5), timed_answer(512, 6, "2.0"),
                                    timed_answer(512, 4), timed_answer(1024, 9)};
  answers[0].origin->rounds = 40;
  std::vector<size_t> order = {0, 1, 2, 3};
  do {
    const testing::TemporaryFolder folder;
    const auto path = folder.path() / "best.yaml";
    std::vector<std::string> notes;
    for (const size_t i : order) {
      AnswersFile file(path, kMeasured, false, ConflictPolicy::BetterEvidence);
      file.save(artefact_with({answers[i]}));
      for (const std::string& note : file.take_notes()) notes.push_back(note);
    }
    const Artefact existing = load_best(path);
    REQUIRE(existing.entries.size() == 2);
    for (const TuneEntry& entry : existing.entries) {
      CHECK(entry == answers[entry.problem.shapes[0].m == 512 ? 0 : 3]);
    }
    CHECK(notes.size() == 2);  // one for each answer that was replaced or dropped
    for (const std::string& note : notes) {
      const bool says = contains(note, "is kept, because it has more rounds") ||
                        contains(note, "is kept, because it is faster") ||
                        contains(note, "is replaced by");
      CHECK(says);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("trials keep their origin and count where drivers differ") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  Trial trial;
  trial.problem = workload_of({{640, 512, 512}});
  trial.date = "2026-11-24";
  trial.predicted = timed_answer(1, 1).choice;
  trial.times = {{trial.predicted, 5.0}};
  trial.origin = timed_answer(1, 1, "1.0").origin;
  Trial of_old = trial;  // from a file that records no origins
  of_old.problem = workload_of({{768, 512, 512}});
  of_old.origin.reset();
  Artefact first = artefact_with({});
  first.trials = {trial, of_old};
  save_into(path, first);
  AnswersFile file(path, kMeasured, false);
  Artefact fresh = artefact_with({timed_answer(1024, 10, "2.0")});
  fresh.method.timer = "other";
  file.save(fresh);
  const Artefact both = load_best(path);
  REQUIRE(both.trials.size() == 2);
  CHECK(both.trials[0] == trial);
  REQUIRE(both.trials[1].origin);
  CHECK(both.trials[1].origin->method == first.method);
  CHECK(both.trials[1].origin->software == Software{});
  CHECK(contains(join(file.summary(), "\n"),
                 "driver differs: unknown (1 answer), 1.0 (1 answer), 2.0 (1 answer)"));
}

TEST_CASE("an answer without an origin gets its file's method and an unknown driver") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  Artefact old = artefact_with({timed_answer(512, 5)});
  old.entries[0].origin.reset();
  old.tool_version = "0.0.9";
  old.rounds = 7;
  write_file(path, print_best(old));
  AnswersFile file(path, kMeasured, false);
  Artefact fresh = artefact_with({timed_answer(1024, 10)});
  fresh.method.timer = "other";
  file.save(fresh);
  const Artefact both = load_best(path);
  REQUIRE(both.entries.size() == 2);
  REQUIRE(both.entries[0].origin);
  CHECK(both.entries[0].origin->software == Software{});
  CHECK(both.entries[0].origin->tool_version == "0.0.9");
  CHECK(both.entries[0].origin->method.timer == "t");
  CHECK(both.entries[0].origin->rounds == 7);
  CHECK(contains(read_file(path), "driver: unknown"));
  CHECK(contains(join(file.summary(), "\n"), "driver differs: unknown (1 answer), 1.0 (1 answer)"));
}

TEST_CASE("processes that save into one file at once lose no answer") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  constexpr int kProcesses = 4;
  constexpr int64_t kAnswers = 8;
  for (int child = 0; child < kProcesses; ++child) {
    if (::fork() != 0) continue;
    AnswersFile file(path, kMeasured, false);
    Artefact own = artefact_with({});
    for (int64_t i = 0; i < kAnswers; ++i) {
      own.entries.push_back(timed_answer(1 + child * kAnswers + i, 10));
      file.save(own);
    }
    ::_exit(0);
  }
  for (int child = 0; child < kProcesses; ++child) ::wait(nullptr);
  CHECK(load_best(path).entries.size() == kProcesses * kAnswers);
}

TEST_CASE("where the file was replaced meanwhile, the answers go to a file beside it") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  int count = 0;
  for (const std::string& meanwhile :
       {std::string("hello\n"), print_best(artefact_with({timed_answer(1, 1)}, kH100))}) {
    std::filesystem::remove(path);
    AnswersFile file(path, kMeasured, false);
    file.save(artefact_with({timed_answer(512, 5)}));
    write_file(path, meanwhile);
    file.save(artefact_with({timed_answer(512, 5), timed_answer(1024, 10)}));
    CHECK(read_file(path) == meanwhile);
    // The answers of an earlier run beside it stay.
    const std::string name = ++count == 1 ? "best.aside.yaml" : "best.aside-2.yaml";
    CHECK(file.path() == folder.path() / name);
    CHECK(load_best(file.path()).entries.size() == 2);
    CHECK(contains(join(file.take_notes(), "\n"), name));
  }
}

TEST_CASE("an interrupted run saves its last answers in the same file") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  save_into(path, artefact_with({timed_answer(256, 3)}));
  AnswersFile file(path, kMeasured, false);
  file.save(artefact_with({timed_answer(512, 5)}));
  request_interruption();
  file.save(artefact_with({timed_answer(512, 5), timed_answer(1024, 10)}));
  clear_interruption();
  CHECK(file.path() == path);
  CHECK(load_best(path).entries.size() == 3);
  CHECK(!std::filesystem::exists(folder.path() / "best.aside.yaml"));
  CHECK(!contains(join(file.take_notes(), "\n"), "interrupted"));
}

TEST_CASE("an interruption while the file is opened is no fault of the file") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  save_into(path, artefact_with({timed_answer(256, 3)}));
  request_interruption();
  ExitCode code = ExitCode::Good;
  try {
    const AnswersFile file(path, kMeasured, false);
  } catch (const Error& error) {
    code = error.code();
  }
  clear_interruption();
  CHECK(code == ExitCode::Interrupted);
}

TEST_CASE("--overwrite leaves pinned rows alone") {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "best.yaml";
  TuneEntry pinned = timed_answer(2048, 20);
  pinned.pinned = true;
  save_into(path, artefact_with({timed_answer(512, 5), pinned}));
  AnswersFile file(path, kMeasured, true);
  file.save(artefact_with({timed_answer(1024, 10)}));
  file.save(artefact_with({timed_answer(1024, 10), timed_answer(4096, 10)}));
  const Artefact left = load_best(path);
  CHECK(left.entries.size() == 3);
  CHECK(find_entry(left, pinned.problem)->pinned);
  CHECK(find_entry(left, timed_answer(512, 5).problem) == nullptr);
}

}  // namespace
}  // namespace tilewright
