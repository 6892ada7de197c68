// The answers of a tune so far, and the file that keeps them.
#pragma once

#include <cstdint>
#include <map>

#include "host/console.hpp"
#include "host/devices.hpp"
#include "request/tune_request.hpp"
#include "store/answers_file.hpp"
#include "store/best_table.hpp"

namespace tilewright {

/// One answer per index, in the order of the problems, whichever tuner finished first.
class TuneAnswers {
 public:
  /// Opens `request.output`, where that names a file. Throws as AnswersFile does.
  TuneAnswers(const TuneRequest& request, const ResolvedDevice& device, const Console& console);

  /// `answer` has one entry.
  void put(size_t index, Artefact answer);
  size_t size() const { return answers_.size(); }
  /// All answers, with the rows that the file had pinned before.
  const Artefact& artefact();
  /// Saves the answers if the output can be written repeatedly, so that they survive whatever ends
  /// the process next.
  void save_early();
  /// Saves the answers if there is an output, and prints where they are and which rows the file
  /// pins.
  void save_last();

 private:
  void save();

  const TuneRequest& request_;
  const Console& console_;
  std::map<size_t, Artefact> answers_;  // by index
  Artefact artefact_;                   // all answers
  AnswersFile file_;
  int64_t replaced_ = 0;  // answers that pinned rows of the file replace
};

}  // namespace tilewright
