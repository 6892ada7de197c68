#include "store/answers_file.hpp"

#include <algorithm>
#include <utility>

#include "answer/bucket_division.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "store/evidence.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

bool is_measured(const Artefact& artefact) {
  return !artefact.trials.empty() || !artefact.foreign.empty() ||
         std::any_of(artefact.entries.begin(), artefact.entries.end(),
                     [](const TuneEntry& entry) { return entry.timing.has_value(); });
}

// The single regime of the measured answers; nothing if none was measured.
std::optional<Regime> regime_held(const Artefact& artefact) {
  for (const TuneEntry& entry : artefact.entries) {
    if (entry.timing) return regime_of(origin_of(entry, artefact).method);
  }
  if (!artefact.foreign.empty()) return regime_of(artefact.foreign.front().origin.method);
  return artefact.trials.empty() ? std::nullopt : std::optional(regime_of(artefact.method));
}

Error refusal(const fs::path& path, const std::string& why) {
  return usage_error(format("{} {}: name another file, or add --overwrite to start a new one",
                            path.string(), why));
}

const TuneEntry* entry_of(const Artefact& artefact, const Workload& problem) {
  const auto same = std::find_if(artefact.entries.begin(), artefact.entries.end(),
                                 [&](const TuneEntry& entry) { return entry.problem == problem; });
  return same == artefact.entries.end() ? nullptr : &*same;
}

// Records the origin in the entry, because another file may have another method.
TuneEntry with_origin(TuneEntry entry, const Artefact& artefact) {
  if (entry.timing) entry.origin = origin_of(entry, artefact);
  return entry;
}

bool has_pinned(const Artefact& artefact, const Workload& problem) {
  return std::any_of(artefact.entries.begin(), artefact.entries.end(), [&](const TuneEntry& entry) {
    return entry.pinned && entry.problem == problem;
  });
}

// True if another config now wins some product.
bool has_other_winner(const Artefact& before, const Artefact& after) {
  return std::any_of(after.entries.begin(), after.entries.end(), [&before](const TuneEntry& entry) {
    const TuneEntry* const old = entry_of(before, entry.problem);
    return is_product(entry.problem) && old != nullptr && old->choice != entry.choice;
  });
}

bool differ_only_in_pins(TuneEntry a, const TuneEntry& b) {
  a.library_pins = b.library_pins;
  return a == b;
}

std::string evidence_text(const TuneEntry& entry) {
  return entry.timing              ? format("{:.2f} us", entry.timing->median_us)
         : entry.predicted.is_time ? format("a prediction of {:.2f} us", entry.predicted.us)
                                   : "a rank by waves and traffic";
}

// The differences between the origins of a replaced answer and the new one.
std::string changes_text(const Origin& old, const Origin& now) {
  std::string text;
  for (const OriginDifference& one : origin_differences(old, now)) {
    text += format("; {} {} is now {}", one.part, one.before, one.now);
  }
  return text;
}

// The fresh answers, without those that have worse evidence than the file's; adds a note for each
// of these.
Artefact without_worse(const Artefact& fresh, const Artefact& existing, const fs::path& path,
                       std::vector<std::string>& notes) {
  Artefact better = fresh;
  std::erase_if(better.entries, [&](const TuneEntry& entry) {
    const TuneEntry* const old = entry_of(existing, entry.problem);
    if (old == nullptr || old->pinned) return false;
    const TuneEntry there = with_origin(*old, existing);
    if (!has_better_evidence(there, with_origin(entry, fresh))) return false;
    notes.push_back(format("{}: {}: {} is kept, {}; {} is dropped", path.string(),
                           to_string(entry.problem), evidence_text(there), why_better(there, entry),
                           evidence_text(entry)));
    return true;
  });
  return better;
}

// Answers of other harnesses, and of other problems, stay.
void join_foreign(Artefact& merged, const Artefact& existing, const Artefact& fresh) {
  merged.foreign.clear();
  for (const ForeignEntry& entry : existing.foreign) {
    const bool is_anew = std::any_of(
        fresh.foreign.begin(), fresh.foreign.end(), [&entry](const ForeignEntry& other) {
          return other.problem == entry.problem && other.choice.harness == entry.choice.harness;
        });
    if (!is_anew) merged.foreign.push_back(entry);
  }
  merged.foreign.insert(merged.foreign.end(), fresh.foreign.begin(), fresh.foreign.end());
}

// "best.yaml" as "best.aside.yaml", or as "best.aside-2.yaml" and so on where that is there.
fs::path fallback_path(const fs::path& path) {
  const auto beside = [&path](const std::string& word) {
    fs::path name = path.stem();
    name += word;
    name += path.extension();
    return path.parent_path() / name;
  };
  fs::path free = beside(".aside");
  for (int i = 2; !is_missing(free); ++i) free = beside(format(".aside-{}", i));
  return free;
}

constexpr std::string_view kArtefactSchema = "tilewright.best/";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

void require_mergeable(const Artefact& existing, const AnswersSource& source,
                       const fs::path& path) {
  if (existing.entries.empty() && existing.trials.empty() && existing.foreign.empty()) return;
  if (!same_model(existing.device, source.device)) {
    throw refusal(path, format("has answers of {}, and these are of {}", to_string(existing.device),
                               to_string(source.device)));
  }
  if (!is_measured(existing)) return;
  if (source.predicted) {
    throw refusal(path, format("has measured answers for {}, and these are predicted: a prediction "
                               "replaces no measurement",
                               existing.device.name));
  }
  const Regime regime = regime_held(existing).value_or(source.regime);
  if (regime == source.regime) return;
  const auto name = [](Regime one) { return kRegimes[static_cast<size_t>(one)]; };
  throw refusal(path, format("has answers of --regime {}, and these are of --regime {}",
                             name(regime), name(source.regime)));
}

Artefact merge_answers(const Artefact& existing, const Artefact& fresh) {
  Artefact merged = fresh;
  merged.entries.clear();
  for (const TuneEntry& entry : existing.entries) {
    const TuneEntry* const now = entry.pinned ? nullptr : entry_of(fresh, entry.problem);
    const bool stays = now == nullptr || has_pinned(existing, entry.problem);
    if (stays) {
      merged.entries.push_back(with_origin(entry, existing));
    } else if (entry_of(merged, entry.problem) == nullptr) {
      merged.entries.push_back(*now);
      TuneEntry& anew = merged.entries.back();
      if (anew.timing && entry.timing) {
        anew.library_pins =
            join_pins(anew.library_pins, entry.library_pins, anew.choice, entry.choice);
      }
    }
  }
  for (const TuneEntry& entry : fresh.entries) {
    if (entry_of(merged, entry.problem) == nullptr) merged.entries.push_back(entry);
  }
  join_foreign(merged, existing, fresh);
  merged.trials.clear();
  for (const Trial& trial : existing.trials) {
    const bool is_anew =
        std::any_of(fresh.trials.begin(), fresh.trials.end(),
                    [&trial](const Trial& other) { return other.problem == trial.problem; });
    if (is_anew) continue;
    merged.trials.push_back(trial);
    // The joined file's own method and versions are those of `fresh`.
    const Origin origin = origin_of(trial, existing);
    if (origin_of(trial, fresh) != origin) merged.trials.back().origin = origin;
  }
  // Fresh trials follow the kept ones in their own order, even if some replace an older trial.
  merged.trials.insert(merged.trials.end(), fresh.trials.begin(), fresh.trials.end());
  const bool divides = !fresh.trials.empty() || has_other_winner(existing, merged);
  merged.buckets = divides ? buckets_of(merged.entries, merged.trials) : existing.buckets;
  return merged;
}

AnswersFile::AnswersFile(fs::path path, const AnswersSource& source, bool overwrite,
                         ConflictPolicy on_conflict)
    : path_(std::move(path)),
      source_(source),
      overwrite_(overwrite),
      on_conflict_(on_conflict),
      is_replaceable_(!path_.empty() && tilewright::is_replaceable(path_)) {
  pinned_ = pinned_entries(path_, source_.device);
  if (const std::optional<Artefact> before = current()) require_mergeable(*before, source_, path_);
}

// The part of the file that save() keeps; nothing if the file is empty or missing.
std::optional<Artefact> AnswersFile::current() const {
  if (!is_replaceable_ || is_missing(path_)) return std::nullopt;
  const std::string text = read_file(path_, kMaxStoreBytes);
  if (is_blank(text)) return std::nullopt;
  if (!names_schema(text, kArtefactSchema)) {
    throw usage_error(format("{} is no artefact: name another file", path_.string()));
  }
  if (overwrite_) {
    Artefact rows;
    rows.device = source_.device;
    rows.entries = pinned_;
    return rows;
  }
  if (text == last_text_) return last_artefact_;
  try {
    return parse_best(text, path_.string());
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    throw refusal(path_, format("is not a complete artefact ({})", error.what()));
  }
}

void AnswersFile::note_replaced(const Artefact& existing, const Artefact& fresh) {
  for (const TuneEntry& entry : fresh.entries) {
    if (!saved_problems_.insert(full_text(entry.problem)).second) continue;
    const TuneEntry* const old = entry_of(existing, entry.problem);
    if (old == nullptr || has_pinned(existing, entry.problem)) continue;
    if (differ_only_in_pins(*old, entry)) continue;
    const bool both = old->timing && entry.timing;
    notes_.push_back(format(
        "{}: {}: {} is replaced by {}{}", path_.string(), to_string(entry.problem),
        evidence_text(*old), evidence_text(entry),
        both ? changes_text(origin_of(*old, existing), origin_of(entry, fresh)) : std::string()));
  }
}

void AnswersFile::save(const Artefact& fresh) {
  if (!is_replaceable_) {
    note_replaced({}, fresh);
    last_artefact_ = fresh;
    write_file(path_, print_best(fresh));
    return;
  }
  // An interrupted run saves its answers last.
  const FinishingWork work;
  const FileLock lock(path_);
  std::optional<Artefact> before;
  try {
    before = current();
    if (before) require_mergeable(*before, source_, path_);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) throw;
    // Another process replaced the file while this run measured.
    path_ = fallback_path(path_);
    notes_.push_back(format("{}; these answers are in {}", error.what(), path_.string()));
    before.reset();
  }
  const Artefact& old = before.value_or(Artefact{});
  const Artefact coming = on_conflict_ == ConflictPolicy::BetterEvidence
                              ? without_worse(fresh, old, path_, notes_)
                              : fresh;
  note_replaced(old, coming);
  Artefact merged = merge_answers(old, coming);
  if (fresh.trials.empty() && merged.buckets != old.buckets) {
    notes_.push_back(
        format("{}: a new config won: its {} ranges of sizes are computed again, and tune "
               "--dispatch times its new ranges",
               path_.string(), old.buckets.size()));
  }
  const std::string text = print_best(merged);
  write_file(path_, text);
  last_text_ = text;
  last_artefact_ = std::move(merged);
  overwrite_ = false;
}

std::vector<std::string> AnswersFile::take_notes() {
  return std::exchange(notes_, {});
}

std::vector<std::string> AnswersFile::summary() const {
  std::vector<std::string> lines;
  const int64_t others = std::count_if(
      last_artefact_.entries.begin(), last_artefact_.entries.end(), [this](const TuneEntry& e) {
        return !e.pinned && saved_problems_.count(full_text(e.problem)) == 0;
      });
  if (others > 0) {
    lines.push_back(format("{}: {} answer{} of other problems kept", path_.string(), others,
                           others == 1 ? "" : "s"));
  }
  for (const std::string& line : origin_differences(origins_of(last_artefact_))) {
    lines.push_back(format("{}: {}", path_.string(), line));
  }
  return lines;
}

}  // namespace tilewright
