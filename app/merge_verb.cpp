// tilewright merge: the records of several runs, ranks or hosts in one store.

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "job.hpp"
#include "store/answers_file.hpp"
#include "store/record_store.hpp"
#include "store/stored_answers.hpp"
#include "verbs.hpp"

namespace tilewright {

namespace {

// Which store holds a run, by the run's name.
using StoresOfRuns = std::map<std::string, std::string>;

std::string answer_text(const RunAnswer& answer, const StoresOfRuns& stores) {
  constexpr size_t kDigits = 8;
  const TuneEntry& entry = answer.entry;
  const std::string time = entry.timing ? format("{:.2f} us", entry.timing->median_us) : "no time";
  return format("{} in {} rounds (run {} of {})", time, entry.origin ? entry.origin->rounds : 0,
                answer.run.substr(0, kDigits), stores.at(answer.run));
}

void explain_dropped(const RecordStore& store, const StoresOfRuns& stores, std::ostream& err) {
  for (const DroppedAnswer& answer : dropped_answers(store)) {
    err << format("{}: {} stands, for its evidence is the better one; {} is dropped\n",
                  to_string(answer.kept.entry.problem), answer_text(answer.kept, stores),
                  answer_text(answer.dropped, stores));
  }
}

// One store takes runs of any GPU, an artefact those of one model.
void explain_models(const RecordStore& store, std::ostream& err) {
  std::set<std::string> models;
  for (const StoredRun& run : store.runs) models.insert(to_string(run.head.device));
  if (models.size() < 2) return;
  err << format("the runs are of {} GPU models: {}; an artefact (--best) takes one\n",
                models.size(), join(std::vector<std::string>(models.begin(), models.end()), ", "));
}

// The stores' answers and the file that they go to, which refuses before anything is written.
class BestOfStores {
 public:
  BestOfStores(const RecordStore& store, const MergeOptions& options)
      : answers_(artefact_of(store)),
        file_(options.best, {answers_.device, answers_.predicted, regime_of(answers_.method)},
              options.overwrite) {}

  void save(std::ostream& err) {
    const int64_t replaced = keep_pinned(answers_, file_.pinned());
    if (!file_.pinned().empty()) {
      err << pinned_line(file_.path().string(), file_.pinned().size(), replaced);
    }
    file_.save(answers_);
    for (const std::string& note : file_.take_notes()) err << note << '\n';
    for (const std::string& line : file_.summary()) err << line << '\n';
  }

 private:
  Artefact answers_;
  AnswersFile file_;
};

}  // namespace

ExitCode run_merge(const MergeOptions& options, Console& console) {
  if (options.output.empty() && options.best.empty()) {
    throw usage_error("merge writes a store with -o FILE.jsonl, an artefact with --best FILE.yaml");
  }
  for (const std::string& path : {options.output, options.best}) {
    if (!path.empty()) require_writable(path);
  }
  std::vector<std::string> texts;
  StoresOfRuns stores;
  for (const std::string& path : options.stores) {
    texts.push_back(read_file(path, kMostStoreBytes));
    const RecordStore store = parse_records(texts.back(), path);
    console.err << reading_notes(store, path);
    for (const StoredRun& run : store.runs) {
      const auto same = stores.emplace(run.head.run, path).first;
      same->second = std::min(same->second, path);
    }
  }
  const std::string joined = join_stores(texts, options.stores);
  const RecordStore store = parse_records(joined, "the stores together");
  // An artefact that cannot be is said before anything is written.
  std::optional<BestOfStores> best;
  if (!options.best.empty()) best.emplace(store, options);
  if (!options.output.empty()) write_file(options.output, joined);
  if (best) {
    explain_dropped(store, stores, console.err);
    best->save(console.err);
  } else {
    explain_models(store, console.err);
  }
  console.err << format("{} run{} of {} store{}\n", store.runs.size(),
                        store.runs.size() == 1 ? "" : "s", options.stores.size(),
                        options.stores.size() == 1 ? "" : "s");
  if (const int64_t missing = unanswered_count(store)) {
    console.err << format("{} problem{} of these runs {} no answer; tune --resume goes on\n",
                          missing, missing == 1 ? "" : "s", missing == 1 ? "has" : "have");
  }
  return ExitCode::Good;
}

}  // namespace tilewright
