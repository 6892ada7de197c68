// Sums up what a timeline's events say, and keeps spans where they are asked for.
#pragma once

#include <cstdint>

#include "model/span_recorder.hpp"
#include "model/timeline.hpp"
#include "model/unit_lists.hpp"

namespace tilewright {

/// Times are microseconds; a recorder, unless null, outlives it.
class TimelineLog {
 public:
  TimelineLog(int64_t ctas, int64_t lanes_per_cta, SpanRecorder* recorder);

  void launch(int64_t places, double us) {
    if (recorder_ != nullptr) recorder_->launch(places, us);
  }
  void start(int64_t cta, int64_t place) {
    if (recorder_ != nullptr) recorder_->start(cta, place);
  }
  void main_loop(const UnitTurn& at, double begin_us, double us) {
    if (recorder_ != nullptr) recorder_->main_loop(at.cta, at.turn, begin_us, us);
  }
  /// A part moves sums up to `end_us`, behind others of its CTA, since its main loop ended.
  void move(const UnitTurn& at, double since_us, double end_us, double us);
  /// A part, or a whole tile, that waited since then ends.
  void finish(const UnitTurn& at, double since_us, double end_us, double fix_up_us,
              double store_us);
  /// A worker ends; returns the end of its CTA so far.
  double end(int64_t cta, double us);

  /// All of it; `ends` unless a CTA waits for ever.
  Timeline summed(bool ends) const;

 private:
  SpanRecorder* recorder_;
  Timeline timeline_;
};

}  // namespace tilewright
