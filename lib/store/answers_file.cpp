#include "store/answers_file.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "search/bucket_division.hpp"
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
  return usage_error(
      format("{} {}; name another file, or give --overwrite to begin it anew", path.string(), why));
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

bool differ_in_pins_alone(TuneEntry a, const TuneEntry& b) {
  a.library_pins = b.library_pins;
  return a == b;
}

std::string evidence_text(const TuneEntry& entry) {
  return entry.timing ? format("{:.2f} us", entry.timing->median_us)
                      : format("a prediction of {:.2f} us", entry.predicted.us);
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
Artefact with_better_alone(const Artefact& fresh, const Artefact& held, const fs::path& path,
                           std::vector<std::string>& notes) {
  Artefact better = fresh;
  std::erase_if(better.entries, [&](const TuneEntry& entry) {
    const TuneEntry* const old = entry_of(held, entry.problem);
    if (old == nullptr || old->pinned) return false;
    const TuneEntry there = with_origin(*old, held);
    if (!has_better_evidence(there, with_origin(entry, fresh))) return false;
    notes.push_back(format("{}: {}: {} stands, {}; {} is dropped", path.string(),
                           to_string(entry.problem), evidence_text(there), why_better(there, entry),
                           evidence_text(entry)));
    return true;
  });
  return better;
}

// Answers of other harnesses, and of other problems, stay.
void join_foreign(Artefact& joined, const Artefact& held, const Artefact& fresh) {
  joined.foreign.clear();
  for (const ForeignEntry& entry : held.foreign) {
    const bool is_anew = std::any_of(
        fresh.foreign.begin(), fresh.foreign.end(), [&entry](const ForeignEntry& other) {
          return other.problem == entry.problem && other.choice.harness == entry.choice.harness;
        });
    if (!is_anew) joined.foreign.push_back(entry);
  }
  joined.foreign.insert(joined.foreign.end(), fresh.foreign.begin(), fresh.foreign.end());
}

// "best.yaml" as "best.aside.yaml".
fs::path aside(const fs::path& path) {
  fs::path name = path.stem();
  name += ".aside";
  name += path.extension();
  return path.parent_path() / name;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

void require_joinable(const Artefact& held, const AnswersSource& source, const fs::path& path) {
  if (held.entries.empty() && held.trials.empty() && held.foreign.empty()) return;
  if (!same_model(held.device, source.device)) {
    throw refusal(path, format("has answers of {}, and these are of {}", to_string(held.device),
                               to_string(source.device)));
  }
  if (!is_measured(held)) return;
  if (source.predicted) {
    throw refusal(path, format("has answers measured on {}, and these are predicted: a prediction "
                               "replaces no measurement",
                               held.device.name));
  }
  const Regime regime = regime_held(held).value_or(source.regime);
  if (regime == source.regime) return;
  const auto name = [](Regime one) { return kRegimes[static_cast<size_t>(one)]; };
  throw refusal(path, format("has answers of --regime {}, and these are of --regime {}",
                             name(regime), name(source.regime)));
}

Artefact join_answers(const Artefact& held, const Artefact& fresh) {
  Artefact joined = fresh;
  joined.entries.clear();
  for (const TuneEntry& entry : held.entries) {
    const TuneEntry* const now = entry.pinned ? nullptr : entry_of(fresh, entry.problem);
    const bool stays = now == nullptr || has_pinned(held, entry.problem);
    if (stays) {
      joined.entries.push_back(with_origin(entry, held));
    } else if (entry_of(joined, entry.problem) == nullptr) {
      joined.entries.push_back(*now);
      TuneEntry& anew = joined.entries.back();
      if (anew.timing && entry.timing) {
        anew.library_pins =
            join_pins(anew.library_pins, entry.library_pins, anew.choice, entry.choice);
      }
    }
  }
  for (const TuneEntry& entry : fresh.entries) {
    if (entry_of(joined, entry.problem) == nullptr) joined.entries.push_back(entry);
  }
  join_foreign(joined, held, fresh);
  joined.trials.clear();
  for (const Trial& trial : held.trials) {
    const bool is_anew =
        std::any_of(fresh.trials.begin(), fresh.trials.end(),
                    [&trial](const Trial& other) { return other.problem == trial.problem; });
    if (is_anew) continue;
    joined.trials.push_back(trial);
    // The joined file's own method and versions are those of `fresh`.
    const Origin origin = origin_of(trial, held);
    if (origin_of(trial, fresh) != origin) joined.trials.back().origin = origin;
  }
  // Fresh trials follow the kept ones in their own order, even if some replace an older trial.
  joined.trials.insert(joined.trials.end(), fresh.trials.begin(), fresh.trials.end());
  const bool divides = !fresh.trials.empty() || has_other_winner(held, joined);
  joined.buckets = divides ? buckets_of(joined.entries, joined.trials) : held.buckets;
  return joined;
}

AnswersFile::AnswersFile(fs::path path, const AnswersSource& source, bool overwrite,
                         SameProblem same)
    : path_(std::move(path)),
      source_(source),
      overwrite_(overwrite),
      same_(same),
      is_replaceable_(!path_.empty() && tilewright::is_replaceable(path_)) {
  pinned_ = pinned_entries(path_, source_.device);
  if (const std::optional<Artefact> before = held()) require_joinable(*before, source_, path_);
}

// The part of the file that save() keeps; nothing if the file is empty or missing.
std::optional<Artefact> AnswersFile::held() const {
  if (!is_replaceable_ || is_missing(path_)) return std::nullopt;
  if (overwrite_) {
    Artefact rows;
    rows.device = source_.device;
    rows.entries = pinned_;
    return rows;
  }
  const std::string text = read_file(path_, kMostStoreBytes);
  if (is_blank(text)) return std::nullopt;
  if (text == text_) return written_;
  try {
    return parse_best(text, path_.string());
  } catch (const Error& error) {
    throw refusal(path_, format("is no whole artefact ({})", error.what()));
  }
}

void AnswersFile::note_replaced(const Artefact& held, const Artefact& fresh) {
  for (const TuneEntry& entry : fresh.entries) {
    if (!own_.insert(full_text(entry.problem)).second) continue;
    const TuneEntry* const old = entry_of(held, entry.problem);
    if (old == nullptr || has_pinned(held, entry.problem)) continue;
    if (differ_in_pins_alone(*old, entry)) continue;
    const bool both = old->timing && entry.timing;
    notes_.push_back(format(
        "{}: {}: {} is replaced by {}{}", path_.string(), to_string(entry.problem),
        evidence_text(*old), evidence_text(entry),
        both ? changes_text(origin_of(*old, held), origin_of(entry, fresh)) : std::string()));
  }
}

void AnswersFile::save(const Artefact& fresh) {
  if (!is_replaceable_) {
    note_replaced({}, fresh);
    written_ = fresh;
    write_file(path_, print_best(fresh));
    return;
  }
  const FileLock turn(path_);
  std::optional<Artefact> before;
  try {
    before = held();
    if (before) require_joinable(*before, source_, path_);
  } catch (const Error& error) {
    // Another process replaced the file while this run measured.
    path_ = aside(path_);
    notes_.push_back(format("{}; these answers are in {}", error.what(), path_.string()));
    before.reset();
  }
  const Artefact& old = before.value_or(Artefact{});
  const Artefact coming =
      same_ == SameProblem::BetterEvidence ? with_better_alone(fresh, old, path_, notes_) : fresh;
  note_replaced(old, coming);
  Artefact joined = join_answers(old, coming);
  if (fresh.trials.empty() && joined.buckets != old.buckets) {
    notes_.push_back(
        format("{}: a winner is another config: its {} ranges of sizes are divided "
               "anew, tune --dispatch times it between",
               path_.string(), old.buckets.size()));
  }
  const std::string text = print_best(joined);
  write_file(path_, text);
  text_ = text;
  written_ = std::move(joined);
  overwrite_ = false;
}

std::vector<std::string> AnswersFile::take_notes() {
  return std::exchange(notes_, {});
}

std::vector<std::string> AnswersFile::summary() const {
  std::vector<std::string> lines;
  const int64_t others = std::count_if(
      written_.entries.begin(), written_.entries.end(),
      [this](const TuneEntry& e) { return !e.pinned && own_.count(full_text(e.problem)) == 0; });
  if (others > 0) {
    lines.push_back(format("{}: {} answer{} of other problems stay{}", path_.string(), others,
                           others == 1 ? "" : "s", others == 1 ? "s" : ""));
  }
  for (const std::string& line : origin_differences(origins_of(written_))) {
    lines.push_back(format("{}: {}", path_.string(), line));
  }
  return lines;
}

}  // namespace tilewright
