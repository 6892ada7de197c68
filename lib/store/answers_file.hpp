// A best.yaml to which several runs add their answers; `tune -o` and `merge --best` write it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/runner.hpp"
#include "store/best_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// What decides whether a run's answers may be stored beside those of another run.
struct AnswersSource {
  DeviceFingerprint device;
  bool predicted = false;
  Regime regime = Regime::Rotate;
};

/// Throws a usage error that names the file, the difference and what to do if answers of `source`
/// cannot be stored beside the artefact's: another GPU model, another regime, or predictions beside
/// measurements. Measured answers may be added to predicted ones.
void require_mergeable(const Artefact& existing, const AnswersSource& source,
                       const std::filesystem::path& path);

/// Returns `fresh` plus the answers of `existing` for other problems. A pinned row of `existing`
/// stays in place of a fresh answer. A kept answer keeps its origin; a replaced answer leaves its
/// library pins of versions that the fresh answer does not pin. Trials of `existing` stay, except
/// those of products that `fresh` tried. The ranges of sizes stay too, unless `fresh` has trials or
/// another config wins a product: then they are computed again from all trials.
Artefact merge_answers(const Artefact& existing, const Artefact& fresh);

/// Which answer save() keeps when both the file and the run have one for a problem.
enum class ConflictPolicy {
  Newer,           // the run's answer; for `tune`
  BetterEvidence,  // by has_better_evidence(): stores merged in any order give one file
};

/// One run's view of the file. Other processes may write the file meanwhile: every save() first
/// reads it and adds to its current content.
class AnswersFile {
 public:
  /// An empty path stands for no file; standard output, a device and a pipe hold no answers. With
  /// `overwrite` the first save() keeps only the pinned rows of the file. Throws as
  /// require_mergeable() does, and a usage error for a file that is not a complete artefact.
  AnswersFile(std::filesystem::path path, const AnswersSource& source, bool overwrite,
              ConflictPolicy on_conflict = ConflictPolicy::Newer);

  /// True if save() may be called several times.
  bool is_replaceable() const { return is_replaceable_; }
  /// Pinned rows that the file had when it was opened.
  const std::vector<TuneEntry>& pinned() const { return pinned_; }
  /// Writes the answers to the file. If other answers that cannot be joined have replaced the file
  /// meanwhile, writes a second file beside it and adds a note. Throws like write_file().
  void save(const Artefact& fresh);
  /// Messages about the answers that save() replaced since the last call.
  std::vector<std::string> take_notes();
  /// Messages about the file after the last save(): its answers to other problems, and the
  /// differences between the answers' origins.
  std::vector<std::string> summary() const;
  /// The file that the last save() wrote.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::optional<Artefact> current() const;
  void note_replaced(const Artefact& existing, const Artefact& fresh);

  std::filesystem::path path_;
  AnswersSource source_;
  bool overwrite_ = false;
  ConflictPolicy on_conflict_ = ConflictPolicy::Newer;
  bool is_replaceable_ = false;
  std::vector<TuneEntry> pinned_;
  std::set<std::string> saved_problems_;  // full_text() of the problems that save() has written
  std::string last_text_;  // the file's text as last written; `last_artefact_` is the same, parsed
  Artefact last_artefact_;
  std::vector<std::string> notes_;
};

}  // namespace tilewright
