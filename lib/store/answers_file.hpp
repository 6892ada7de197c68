// A best.yaml that several runs put their answers into: what `tune -o` and `merge --best` write.
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

/// What a run's answers come from, as far as it decides which answers they may stand beside.
struct AnswersSource {
  DeviceFingerprint device;
  bool predicted = false;
  Regime regime = Regime::Rotate;
};

/// Throws a usage error that names the file, what differs and what to do, where answers of `source`
/// cannot stand beside those of the artefact: another GPU model, another regime, or predictions
/// beside what was measured. Measured answers may come to predicted ones.
void require_joinable(const Artefact& held, const AnswersSource& source,
                      const std::filesystem::path& path);

/// `fresh` with what `held` has of other problems, and its pinned rows in the places of fresh
/// answers; an answer that stays keeps its origin, and one that is
/// replaced leaves its pins of versions of the library that the fresh one has none of. Trials stay,
/// but for those of products that `fresh` tried. The ranges of sizes stay, too, unless there are
/// fresh trials or a winner was replaced by another config: then they are divided anew between all
/// trials.
Artefact join_answers(const Artefact& held, const Artefact& fresh);

/// Which answer of a problem stands that the file holds and a save brings anew.
enum class SameProblem {
  Newer,           // the one that comes: a tune's
  BetterEvidence,  // has_better_evidence(): stores merged in any order leave one file
};

/// One run's view of the file, which others may write meanwhile: every save() adds to what the file
/// holds by then.
class AnswersFile {
 public:
  /// An empty path stands for no file; standard output, a device and a pipe hold nothing. With
  /// `overwrite` the first save() leaves only pinned rows of what was there. Throws as
  /// require_joinable() does, and a usage error for a file that is no whole artefact.
  AnswersFile(std::filesystem::path path, const AnswersSource& source, bool overwrite,
              SameProblem same = SameProblem::Newer);

  /// True where save() may be called again and again.
  bool is_replaceable() const { return is_replaceable_; }
  /// Pinned rows that the file held.
  const std::vector<TuneEntry>& pinned() const { return pinned_; }
  /// Puts the answers into the file. Where it became another kind of file meanwhile, they
  /// go to a file beside it, and a note says so. Throws like write_file().
  void save(const Artefact& fresh);
  /// Lines for people about what the saves replaced since the last call.
  std::vector<std::string> take_notes();
  /// Lines for people about what stands in the file behind the last save(): pinned rows, answers of
  /// other problems, and what the answers differ in.
  std::vector<std::string> summary() const;
  /// Where the last save() went.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::optional<Artefact> held() const;
  void note_replaced(const Artefact& held, const Artefact& fresh);

  std::filesystem::path path_;
  AnswersSource source_;
  bool overwrite_ = false;
  SameProblem same_ = SameProblem::Newer;
  bool is_replaceable_ = false;
  std::vector<TuneEntry> pinned_;
  std::set<std::string> own_;  // problems that save() has put there (full_text)
  std::string text_;           // as last written, and what it says
  Artefact written_;
  std::vector<std::string> notes_;
};

}  // namespace tilewright
