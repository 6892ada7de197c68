#include "verbs/earlier_runs.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "store/measured_json.hpp"
#include "store/stored_answers.hpp"
#include "verbs/device_tuner.hpp"

namespace tilewright {
namespace {

RecordStore like_this(const RecordStore& store, const TuneRequest& request,
                      const ResolvedDevice& device) {
  return runs_like(store, session_of(request, device),
                   fingerprint(device.spec, device.gpu_index < 0));
}

void add(EarlierRuns& earlier, const std::string& path, RecordStore runs) {
  for (auto& [problem, answer] : answers_of(runs)) {
    earlier.answers.insert_or_assign(problem, EarlierAnswer{path, std::move(answer)});
  }
  add_runs(earlier.runs, std::move(runs));
}

}  // namespace

RecordStore read_resumed_store(const std::string& path, const Console& console) {
  if (is_missing(path)) {
    throw usage_error(
        format("--resume: '{}' does not exist; omit --resume to start a new store", path));
  }
  RecordStore store = parse_records(read_file(path, kMaxStoreBytes), path, KeptRecords::Unanswered);
  console.note(reading_notes(store, path));
  return store;
}

EarlierRuns read_earlier_runs(const TuneRequest& request, const TuneShare& share,
                              const ResolvedDevice& device, const Console& console) {
  EarlierRuns earlier;
  for (const std::string& path : share.stores) {
    try {
      const RecordStore other =
          parse_records(read_file(path, kMaxStoreBytes), path, KeptRecords::Unanswered);
      add(earlier, path, like_this(other, request, device));
    } catch (const Error& error) {
      if (error.code() == ExitCode::Interrupted) throw;
      // The store of a rank that has just started may hold no complete line.
      console.note(format("skipped: {}", error.what()));
    }
  }
  const bool others_run = share.rank.size > 1 || !share.stores.empty();
  if (others_run && is_missing(request.store)) {
    console.note(format("{} does not exist: this rank starts a new one", request.store));
    return earlier;
  }
  const RecordStore own = read_resumed_store(request.store, console);
  add(earlier, request.store, like_this(own, request, device));
  if (earlier.runs.runs.empty()) {
    console.note(
        format("{} has no run with these options on this GPU model: everything is measured",
               request.store));
  }
  return earlier;
}

}  // namespace tilewright
