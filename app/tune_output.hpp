// What a tune shows of its results: a table a problem, a summary, JSON.
#pragma once

#include <ostream>

#include "console.hpp"
#include "devices.hpp"
#include "options.hpp"
#include "search/tuner.hpp"
#include "tune_answers.hpp"

namespace tilewright {

/// Where the artefact itself goes to standard output, the tables make room.
class TuneOutput {
 public:
  TuneOutput(const TuneOptions& options, const ResolvedDevice& device, Console& console)
      : options_(options),
        device_(device),
        console_(console),
        people_(options.output == "-" ? console.err : console.out) {}

  /// Says it of the first problem alone.
  void tell_missing_counters(const TuneEntry& entry);
  /// One problem's table, at once.
  void show(const TuneResult& result);
  /// All of them, behind the last one.
  void show_all(TuneAnswers& answers);

 private:
  const TuneOptions& options_;
  const ResolvedDevice& device_;
  Console& console_;
  std::ostream& people_;
  bool told_no_counters_ = false;
  bool has_titles_ = false;  // of comma-separated values
};

}  // namespace tilewright
