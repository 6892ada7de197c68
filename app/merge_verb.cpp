// tilewright merge: the records of several runs, ranks or hosts in one store.

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "job.hpp"
#include "store/record_store.hpp"
#include "store/stored_answers.hpp"
#include "verbs.hpp"

namespace tilewright {

namespace {

// The stores' answers, but for what somebody pinned in the file that they go to.
Artefact best_of(const RecordStore& store, const MergeOptions& options, Console& console) {
  Artefact best = artefact_of(store);
  const std::vector<TuneEntry> pinned = pinned_entries(options.best, best.device);
  if (!pinned.empty()) {
    console.err << pinned_line(options.best, pinned.size(), keep_pinned(best, pinned));
  }
  return best;
}

}  // namespace

ExitCode run_merge(const MergeOptions& options, Console& console) {
  if (options.output.empty() && options.best.empty()) {
    throw usage_error("merge writes a store with -o FILE.jsonl, an artefact with --best FILE.yaml");
  }
  for (const std::string& path : {options.output, options.best}) {
    if (!path.empty()) require_writable(path);
  }
  std::vector<std::string> texts;
  for (const std::string& path : options.stores) {
    texts.push_back(read_file(path, kMostStoreBytes));
    const RecordStore store = parse_records(texts.back(), path);
    if (store.unread > 0) console.err << unread_lines(store, path);
  }
  const std::string joined = join_stores(texts, options.stores);
  const RecordStore store = parse_records(joined, "the stores together");
  // An artefact that cannot be is said before anything is written.
  const std::string best = options.best.empty() ? "" : print_best(best_of(store, options, console));
  if (!options.output.empty()) write_file(options.output, joined);
  if (!options.best.empty()) write_file(options.best, best);
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
