// tilewright tune --pin-library: times another version of cuBLASLt at the products of a tuned file.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "render/progress_bar.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "search/origin.hpp"
#include "store/answers_file.hpp"
#include "store/measured_json.hpp"
#include "verbs/tune_verb.hpp"
#include "verbs/tuned_file.hpp"
#include "verbs/tuner_pool.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

// Why the library is not timed for an entry; empty if it is.
std::optional<std::string> why_left_out(const TuneEntry& entry) {
  if (!is_product(entry.problem)) return "is not a single product";
  if (!entry.timing) return "was not measured";
  if (entry.pinned) return "is pinned, even if another config is faster";
  if (entry.objective != Objective::Time) return "was not tuned for time";
  return std::nullopt;
}

// True where the entry has a pin of `library` ("cublasLt 13.1.0") that was timed beside its config.
bool has_pin_of(const TuneEntry& entry, const std::string& library) {
  return std::any_of(entry.library_pins.begin(), entry.library_pins.end(),
                     [&library](const LibraryPin& pin) {
                       return !pin.beside && library == "cublasLt " + library_version(pin.version);
                     });
}

// The products that the request names, pinned or not; by default all without a pin of the version.
std::vector<TuneEntry> entries_to_pin(const TuneRequest& request, const Artefact& artefact,
                                      const std::string& library, Console& console) {
  std::vector<TuneEntry> entries;
  if (!request.problems.empty()) {
    for (const Workload& problem : request.problems) {
      const TuneEntry* const entry = find_entry(artefact, problem);
      if (entry == nullptr || entry->problem != problem) {
        throw usage_error(format("{} is not tuned in {}", to_string(problem), request.pin_library));
      }
      if (const auto why = why_left_out(*entry)) {
        throw usage_error(format("{} {}", to_string(problem), *why));
      }
      entries.push_back(*entry);
    }
    return entries;
  }
  int64_t known = 0;
  for (const TuneEntry& entry : artefact.entries) {
    if (const auto why = why_left_out(entry)) {
      console.note(format("{} {}: skipped", to_string(entry.problem), *why));
    } else if (has_pin_of(entry, library)) {
      ++known;
    } else {
      entries.push_back(entry);
    }
  }
  if (known > 0) {
    console.note(format("{} product{} a pin of {} already: give PROBLEMs to time them again", known,
                        known == 1 ? " has" : "s have", library));
  }
  return entries;
}

Table pins_table(const std::vector<TuneEntry>& entries, const std::vector<LibraryPin>& pins) {
  Table table({{"problem", false, 0},
               {"fastest algorithm", false, 1},
               {"us", true, 0},
               {"share of ours", true, 0},
               {"first choice us", true, 0},
               {"share of ours", true, 0},
               {"faster", false, 0}});
  for (size_t i = 0; i < pins.size(); ++i) {
    const LibraryPin& pin = pins[i];
    table.add_row({to_string(entries[i].problem), pin.name, time_text(pin.median_us),
                   ratio_text(pin.ratio), time_text(pin.first_us), ratio_text(pin.first_ratio),
                   is_faster(pin.ratio) ? "library" : "ours"});
  }
  return table;
}

// Collects a run's pins, and saves them.
class GrowingPins {
 public:
  /// Throws before anything is measured if the output holds answers of another kind.
  GrowingPins(const TuneRequest& request, const Artefact& artefact, Console& console)
      : request_(request),
        console_(console),
        grown_(artefact),
        file_(request.output,
              {.device = artefact.device, .predicted = false, .regime = regime_of(artefact.method)},
              request.overwrite) {
    // If the output is the file with the choices, only pins are added, so that answers that other
    // processes write there meanwhile stay.
    std::error_code unknown;
    const bool is_same = !request.overwrite &&
                         std::filesystem::equivalent(request.output, request.pin_library, unknown);
    if (!is_same) return;
    grown_.entries.clear();
    grown_.trials.clear();
    grown_.buckets.clear();
  }

  void add(TuneEntry entry, const LibraryPin& pin) {
    entry.library_pins = join_pins({pin}, entry.library_pins, entry.choice, entry.choice);
    pinned_.push_back(entry);
    pins_.push_back(pin);
    const auto same =
        std::find_if(grown_.entries.begin(), grown_.entries.end(),
                     [&entry](const TuneEntry& other) { return other.problem == entry.problem; });
    if (same != grown_.entries.end()) {
      *same = std::move(entry);
    } else {
      grown_.entries.push_back(std::move(entry));
    }
    if (file_.is_replaceable()) save();
  }

  Report finish(ExitCode code, size_t products) {
    if (code == ExitCode::Interrupted) {
      console_.note(format("interrupted: {} of {} products were pinned", pins_.size(), products));
    }
    if (!request_.output.empty() && !pins_.empty()) {
      save();
      console_.note(file_.summary());
    }
    Report report{.json = [artefact = grown_] { return tune_json(artefact); }, .code = code};
    if (request_.output != "-") report.text.emplace_back(pins_table(pinned_, pins_));
    return report;
  }

 private:
  void save() {
    file_.save(grown_);
    console_.note(file_.take_notes());
  }

  const TuneRequest& request_;
  Console& console_;
  Artefact grown_;                 // the artefact to save
  std::vector<TuneEntry> pinned_;  // in the order in which they were measured
  std::vector<LibraryPin> pins_;
  AnswersFile file_;  // request.output
};

}  // namespace

Report pin_library(const TuneRequest& request, Console& console, const BackendLoader& load) {
  const Artefact artefact = load_best(request.pin_library);
  GrowingPins grown(request, artefact, console);
  const std::vector<ResolvedDevice> devices = resolve_devices(request.device, request.rank, load);
  const ResolvedDevice& first = devices.front();
  if (first.gpu_index < 0) {
    throw environment_error(
        format("--pin-library measures, and device {} is a preset: name cuda:N", first.spec.name));
  }
  require_device_of(artefact, request.pin_library, first, request);
  const std::string library = software_of(first.backend->versions()).library;
  const std::vector<TuneEntry> entries = entries_to_pin(request, artefact, library, console);
  for (const TuneEntry& entry : entries) require_room(entry.problem, first.spec);
  TunePolicy policy;
  policy.rounds = request.rounds;
  policy.seed = request.seed;
  ProgressBar bar(console);
  TunerPool pool(request, devices, policy, {}, console, bar);
  std::vector<TunerPool::Task> tasks;
  tasks.reserve(entries.size());
  for (const TuneEntry& entry : entries) {
    tasks.push_back({tasks.size(), entry.problem});
  }
  pool.enqueue(std::move(tasks), entries.size());
  pool.run([&](DeviceTuner& tuner, const TunerPool::Task& task, ProgressListener& progress) {
    const TuneEntry& entry = entries[task.index];
    const std::optional<LibraryPin> pin = tuner.pin(task.problem, entry.choice, progress);
    const auto held = pool.lock();
    if (pin) {
      grown.add(entry, *pin);
    } else {
      console.note(format("{}: the library has no algorithm", to_string(task.problem)));
    }
  });
  return grown.finish(pool.report_disturbances(), entries.size());
}

}  // namespace tilewright
