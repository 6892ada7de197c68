#include "model/span_recorder.hpp"

namespace tilewright {

SpanRecorder::SpanRecorder(int64_t ctas, std::vector<WorkSpan>& spans)
    : ctas_(static_cast<size_t>(ctas)), spans_(spans) {}

void SpanRecorder::deal(const ScheduledUnit& unit) {
  Cta& cta = ctas_[static_cast<size_t>(unit.cta)];
  const int64_t turn = cta.dealt++;
  if (unit.kind == UnitKind::EarlyExit) return;
  cta.units.push_back({unit.work, turn, unit.kind == UnitKind::Padded});
}

void SpanRecorder::launch(int64_t lanes, double us) {
  lanes_ = lanes;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    spans_.push_back({.kind = SpanKind::Launch, .cta = lane, .lane = lane, .end_us = us});
  }
}

void SpanRecorder::start(int64_t cta, int64_t lane) {
  ctas_[static_cast<size_t>(cta)].lane = lane;
}

double SpanRecorder::add(int64_t number, SpanKind kind, double begin_us, double us) {
  if (us <= 0) return begin_us;
  const Cta& cta = ctas_[static_cast<size_t>(number)];
  const Unit& unit = cta.units[cta.begun - 1];
  spans_.push_back({kind, number, cta.lane, unit.turn, begin_us, begin_us + us, unit.work});
  return begin_us + us;
}

void SpanRecorder::work(int64_t number, double begin_us, double main_loop_us, double epilogue_us) {
  Cta& cta = ctas_[static_cast<size_t>(number)];
  const bool padded = cta.units[cta.begun++].padded;
  const SpanKind kind = padded ? SpanKind::Padding : SpanKind::MainLoop;
  add(number, SpanKind::Epilogue, add(number, kind, begin_us, main_loop_us), epilogue_us);
}

void SpanRecorder::fix_up(int64_t cta, double begin_us, double us) {
  add(cta, SpanKind::FixUp, begin_us, us);
}

void SpanRecorder::part(int64_t cta, double begin_us, double waiting_us, double fix_up_us,
                        double epilogue_us) {
  const double turn_us = add(cta, SpanKind::Waiting, begin_us, waiting_us);
  add(cta, SpanKind::Epilogue, add(cta, SpanKind::FixUp, turn_us, fix_up_us), epilogue_us);
}

void SpanRecorder::second_kernel(double begin_us, double us) {
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    spans_.push_back({SpanKind::Reduction, lane, lane, 0, begin_us, begin_us + us, {}});
  }
}

}  // namespace tilewright
