// Records the events of a timeline as spans.
#pragma once

#include <cstdint>
#include <vector>

#include "tile/plan/plan.hpp"
#include "tile/plan/work_tile.hpp"

namespace tilewright {

/// The caller first adds all units, then reports the events of every CTA. Events count a CTA's
/// units without early exits; the CTA's lanes take the units in rotation. Times are microseconds.
/// Appends to `spans`, which must outlive it.
class SpanRecorder {
 public:
  SpanRecorder(int64_t ctas, int64_t lanes_per_cta, std::vector<WorkSpan>& spans);

  /// A unit of the schedule, early exits included.
  void add_unit(const ScheduledUnit& unit);
  /// The kernel starts on so many multiprocessors.
  void launch(int64_t resident, double us);
  /// The CTA runs on this multiprocessor.
  void start(int64_t cta, int64_t place);
  void main_loop(int64_t cta, int64_t unit, double begin_us, double us);
  /// The sums that a part moves before it waits.
  void fix_up(int64_t cta, int64_t unit, double begin_us, double us);
  /// The rest of a part after that, or of a whole tile after its main loop.
  void part(int64_t cta, int64_t unit, double begin_us, double waiting_us, double fix_up_us,
            double epilogue_us);
  /// Spans all lanes after the first kernel, and includes its own launch.
  void second_kernel(double begin_us, double us);

 private:
  struct Unit {
    WorkTile work;
    int64_t unit_index = 0;
    bool padded = false;
  };
  struct Cta {
    std::vector<Unit> units;
    int64_t added = 0;
    int64_t place = 0;
  };
  // Returns the end; drops spans without length.
  double add(int64_t cta, int64_t unit, SpanKind kind, double begin_us, double us);

  std::vector<Cta> ctas_;
  int64_t lanes_per_cta_;
  std::vector<WorkSpan>& spans_;
  int64_t lanes_ = 0;
};

}  // namespace tilewright
