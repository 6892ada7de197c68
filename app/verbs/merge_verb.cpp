// tilewright merge: joins the records of several runs, ranks or hosts in one store.

#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "host/output_files.hpp"
#include "request/job.hpp"
#include "store/answers_file.hpp"
#include "store/record_reader.hpp"
#include "store/record_store.hpp"
#include "store/stored_answers.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

std::string answer_text(const RunAnswer& answer, const MergedStores& stores) {
  constexpr size_t kDigits = 8;
  const TuneEntry& entry = answer.entry;
  const std::string time = entry.timing ? format("{:.2f} us", entry.timing->median_us) : "no time";
  return format("{} in {} rounds (run {} of {})", time, entry.origin ? entry.origin->rounds : 0,
                answer.run.substr(0, kDigits), stores.sources.at(answer.run));
}

std::string differences_text(const TuneEntry& kept, const TuneEntry& dropped) {
  std::string text;
  for (const OriginDifference& one : origin_differences(*dropped.origin, *kept.origin)) {
    text += format("; its {} was {}, not {}", one.part, one.before, one.now);
  }
  return text;
}

void explain_dropped(const MergedStores& stores, const Console& console) {
  for (const DroppedAnswer& answer : dropped_answers(stores.store)) {
    console.note(format("{}: {} is kept, {}; {} is dropped{}", to_string(answer.kept.entry.problem),
                        answer_text(answer.kept, stores), answer.why,
                        answer_text(answer.dropped, stores),
                        differences_text(answer.kept.entry, answer.dropped.entry)));
  }
}

// A store takes runs of any GPUs, an artefact only runs of one model.
void explain_runs(const RecordStore& store, const Console& console) {
  std::set<std::string> models;
  for (const StoredRun& run : store.runs) models.insert(to_string(run.head.device));
  console.note(origin_differences(origins_of(store)));
  if (models.size() < 2) return;
  console.note(format(
      "the runs are of {} GPU models: {}; an artefact (--best) holds the answers of one model",
      models.size(), join(std::vector<std::string>(models.begin(), models.end()), ", ")));
}

// The stores' answers and their output file; the constructor throws before anything is written.
class BestOfStores {
 public:
  BestOfStores(const RecordStore& store, const MergeOptions& options)
      : answers_(artefact_of(store)),
        file_(options.best, {answers_.device, answers_.predicted, regime_of(answers_.method)},
              options.overwrite, ConflictPolicy::BetterEvidence) {}

  void save(const Console& console) {
    const int64_t replaced = keep_pinned(answers_, file_.pinned());
    if (!file_.pinned().empty()) {
      console.note(pinned_line(file_.path().string(), file_.pinned().size(), replaced));
    }
    file_.save(answers_);
    console.note(file_.take_notes());
    console.note(file_.summary());
  }

 private:
  Artefact answers_;
  AnswersFile file_;
};

void require_two_files(const MergeOptions& o) {
  const bool both_stdout = o.output == "-" && o.best == "-";
  if (!both_stdout && !is_same_file(o.output, o.best)) return;
  throw usage_error(format("-o and --best would both write '{}': give each its own file", o.best));
}

// Throws a usage error where the output has records that the stores do not.
void require_no_loss(const MergeOptions& o, const MergedStores& merged) {
  if (o.output.empty() || !is_replaceable(o.output) || is_missing(o.output)) return;
  const std::string before = read_file(o.output, kMaxStoreBytes);
  require_store(before, o.output);
  if (merge_stores({merged.text, before}, {"the stores", o.output}).text == merged.text) return;
  throw usage_error(
      format("-o '{0}' has records that the stores do not have: name it among them, as in merge "
             "{0} {1} -o {0}, or name another file",
             o.output, join(o.stores, " ")));
}

}  // namespace

Report run_merge(const MergeOptions& options, Console& console) {
  if (options.output.empty() && options.best.empty()) {
    throw usage_error("merge writes a store with -o FILE.jsonl, an artefact with --best FILE.yaml");
  }
  for (const std::string& path : {options.output, options.best}) {
    if (!path.empty()) require_writable(path);
  }
  require_two_files(options);
  const NamedFile best_file{"--best", options.best};
  std::vector<NamedFile> inputs;
  for (const std::string& store : options.stores) inputs.push_back({"a STORE", store});
  require_distinct({&best_file, 1}, inputs);
  std::vector<std::string> texts;
  for (const std::string& path : options.stores) {
    texts.push_back(read_file(path, kMaxStoreBytes));
  }
  const MergedStores merged = merge_stores(texts, options.stores);
  const RecordStore& store = merged.store;
  console.note(merged.notes);
  require_no_loss(options, merged);
  // Report an artefact that cannot be made before anything is written.
  std::optional<BestOfStores> best;
  if (!options.best.empty()) best.emplace(store, options);
  if (!options.output.empty()) write_file(options.output, merged.text);
  if (best) {
    explain_dropped(merged, console);
    best->save(console);
  } else {
    explain_runs(store, console);
  }
  console.note(format("{} run{} of {} store{}", store.runs.size(),
                      store.runs.size() == 1 ? "" : "s", options.stores.size(),
                      options.stores.size() == 1 ? "" : "s"));
  if (const int64_t missing = unanswered_count(store)) {
    console.note(format("{} problem{} of these runs {} no answer; tune --resume continues", missing,
                        missing == 1 ? "" : "s", missing == 1 ? "has" : "have"));
  }
  return {};
}

}  // namespace tilewright
