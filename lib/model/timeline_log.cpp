#include "model/timeline_log.hpp"

#include <algorithm>
#include <cstddef>

namespace tilewright {

TimelineLog::TimelineLog(int64_t ctas, int64_t lanes_per_cta, SpanRecorder* recorder)
    : recorder_(recorder) {
  timeline_.end.assign(static_cast<size_t>(ctas), 0);
  timeline_.lanes_per_cta = lanes_per_cta;
}

void TimelineLog::move(const UnitIndex& at, double since_us, double end_us, double us) {
  const double waiting_us = end_us - us - since_us;
  timeline_.waiting_us += waiting_us;
  timeline_.fix_up_us += us;
  if (recorder_ == nullptr) return;
  recorder_->part(at.cta, at.unit_index, since_us, waiting_us, 0, 0);
  recorder_->fix_up(at.cta, at.unit_index, end_us - us, us);
}

void TimelineLog::finish(const UnitIndex& at, double since_us, double end_us, double fix_up_us,
                         double store_us) {
  const double waiting_us = end_us - store_us - fix_up_us - since_us;
  timeline_.waiting_us += waiting_us;
  timeline_.fix_up_us += fix_up_us;
  if (recorder_ == nullptr) return;
  recorder_->part(at.cta, at.unit_index, since_us, waiting_us, fix_up_us, store_us);
}

double TimelineLog::end(int64_t cta, double us) {
  double& end = timeline_.end[static_cast<size_t>(cta)];
  end = std::max(end, us);
  return end;
}

Timeline TimelineLog::summed(bool completed) const {
  Timeline timeline = timeline_;
  timeline.completed = completed;
  timeline.us = *std::max_element(timeline.end.begin(), timeline.end.end());
  return timeline;
}

}  // namespace tilewright
