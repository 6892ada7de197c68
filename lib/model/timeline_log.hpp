// Sums up the events of a timeline, and records spans on request.
#pragma once

#include <cstdint>

#include "model/span_recorder.hpp"
#include "model/timeline.hpp"
#include "model/unit_lists.hpp"

namespace tilewright {

/// Times are microseconds. The recorder, unless null, outlives it.
class TimelineLog {
 public:
  TimelineLog(int64_t ctas, int64_t lanes_per_cta, SpanRecorder* recorder);

  void launch(int64_t resident, double us) {
    if (recorder_ != nullptr) recorder_->launch(resident, us);
  }
  void start(int64_t cta, int64_t place) {
    if (recorder_ != nullptr) recorder_->start(cta, place);
  }
  void main_loop(const UnitIndex& at, double begin_us, double us) {
    if (recorder_ != nullptr) recorder_->main_loop(at.cta, at.unit_index, begin_us, us);
  }
  /// A part ended its main loop at `since_us`, and moves sums until `end_us`, after other moves of
  /// its CTA.
  void move(const UnitIndex& at, double since_us, double end_us, double us);
  /// A part, or a whole tile, that has waited since `since_us` ends.
  void finish(const UnitIndex& at, double since_us, double end_us, double fix_up_us,
              double store_us);
  /// A worker ends; returns the end of its CTA so far.
  double end(int64_t cta, double us);

  /// The sum of all events; `completed` is false if a CTA waits forever.
  Timeline summed(bool completed) const;

 private:
  SpanRecorder* recorder_;
  Timeline timeline_;
};

}  // namespace tilewright
