// The answers of a tune so far, and the file that they are kept in.
#pragma once

#include <cstdint>
#include <map>

#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "store/answers_file.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// One answer a place, in the order of the problems, whoever was done first.
class TuneAnswers {
 public:
  /// Of `options.output`, where that names a file. Throws as AnswersFile does.
  TuneAnswers(const TuneOptions& options, const ResolvedDevice& device, const Console& console);

  /// `answer` has one entry.
  void put(size_t place, Artefact answer);
  size_t size() const { return answers_.size(); }
  /// All of them, with what somebody pinned before in the file.
  const Artefact& artefact();
  /// Saves them where that can be done again and again: what was measured outlives whatever ends
  /// the process next.
  void save_early();
  /// Saves them where there is an output, and says where and beside what they stand.
  void save_last();

 private:
  void save();

  const TuneOptions& options_;
  const Console& console_;
  std::map<size_t, Artefact> answers_;  // by place
  Artefact artefact_;                   // of them all
  AnswersFile file_;
  int64_t replaced_ = 0;  // answers, by rows that are pinned in the file
};

}  // namespace tilewright
