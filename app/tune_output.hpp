// The output of a tune: a table per problem, a summary, JSON.
#pragma once

#include <ostream>

#include "console.hpp"
#include "devices.hpp"
#include "search/tuner.hpp"
#include "tune_answers.hpp"
#include "tune_request.hpp"

namespace tilewright {

/// Where the artefact itself goes to standard output, the tables go to standard error.
class TuneOutput {
 public:
  TuneOutput(const TuneRequest& request, const ResolvedDevice& device, Console& console)
      : request_(request),
        device_(device),
        console_(console),
        people_(request.output == "-" ? console.err : console.out) {}

  /// Prints the reason once, for the first problem that has one.
  void tell_missing_counters(const TuneEntry& entry);
  /// Prints one problem's table as soon as it is done.
  void show(const TuneResult& result);
  /// Prints the summary, or JSON of all answers, after the last problem.
  void show_all(TuneAnswers& answers);

 private:
  const TuneRequest& request_;
  const ResolvedDevice& device_;
  Console& console_;
  std::ostream& people_;
  bool noted_no_counters_ = false;
  bool has_titles_ = false;  // the titles of comma-separated values were printed
};

}  // namespace tilewright
