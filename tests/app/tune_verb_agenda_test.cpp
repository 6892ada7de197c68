#include <doctest/doctest.h>

#include <sstream>

#include "app/fake_device.hpp"
#include "render/progress_bar.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/tune_verb.hpp"

namespace tilewright {
namespace {

TEST_CASE("all answers are kept; a GPU resumes the problems that it began") {
  const testing::TemporaryFolder folder;
  TuneOptions options;
  options.problems = {"256x256x256"};
  options.store = (folder.path() / "own.jsonl").string();
  const TuneRequest request = read_tune(options);
  const ResolvedDevice gpu = testing::fake_gpu();
  std::vector<Workload> problems;
  for (const int64_t n : {256, 512, 768, 1024}) problems.push_back({.shapes = {{n, n, n}}});
  std::map<std::string, EarlierAnswer> answers;
  answers[full_text(problems[1])] = {options.store, {}};
  answers[full_text(problems[2])] = {"other.jsonl", {}};
  StoredRun run;
  run.head.device_uuid = "GPU-fake";
  run.head.session = session_of(request, gpu);
  run.records.push_back(ProblemRecord{problems[0], {}});
  RecordStore earlier;
  earlier.runs = {run};
  std::ostringstream words;
  Console console{.out = words, .err = words};
  ProgressBar bar(console);
  const std::vector<ResolvedDevice> gpus = {gpu};
  const TunerPool pool(request, gpus, {}, earlier, console, bar);
  const TuneAgenda agenda = agenda_of(share_of(problems), answers, pool);
  REQUIRE(agenda.tasks.size() == 2);
  CHECK(agenda.tasks[0].index == 0);
  CHECK(agenda.tasks[0].tuner != nullptr);
  CHECK(agenda.tasks[1].index == 3);
  CHECK(agenda.tasks[1].problem == problems[3]);
  CHECK(agenda.tasks[1].tuner == nullptr);
  REQUIRE(agenda.kept.size() == 2);
  CHECK(agenda.kept.at(1).store == options.store);
  CHECK(agenda.kept.at(2).store == "other.jsonl");
}

}  // namespace
}  // namespace tilewright
