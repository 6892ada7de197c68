#include "model/span_recorder.hpp"

namespace tilewright {

SpanRecorder::SpanRecorder(int64_t ctas, int64_t lanes_per_cta, std::vector<WorkSpan>& spans)
    : ctas_(static_cast<size_t>(ctas)), lanes_per_cta_(lanes_per_cta), spans_(spans) {}

void SpanRecorder::add_unit(const ScheduledUnit& unit) {
  Cta& cta = ctas_[static_cast<size_t>(unit.cta)];
  const int64_t unit_index = cta.added++;
  if (unit.kind == UnitKind::EarlyExit) return;
  cta.units.push_back({unit.work, unit_index, unit.kind == UnitKind::Padded});
}

void SpanRecorder::launch(int64_t resident, double us) {
  lanes_ = resident * lanes_per_cta_;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    spans_.push_back(
        {.kind = SpanKind::Launch, .cta = lane / lanes_per_cta_, .lane = lane, .end_us = us});
  }
}

void SpanRecorder::start(int64_t cta, int64_t place) {
  ctas_[static_cast<size_t>(cta)].place = place;
}

double SpanRecorder::add(int64_t number, int64_t at, SpanKind kind, double begin_us, double us) {
  if (us <= 0) return begin_us;
  const Cta& cta = ctas_[static_cast<size_t>(number)];
  const Unit& unit = cta.units[static_cast<size_t>(at)];
  const int64_t lane = cta.place * lanes_per_cta_ + at % lanes_per_cta_;
  spans_.push_back({kind, number, lane, unit.unit_index, begin_us, begin_us + us, unit.work});
  return begin_us + us;
}

void SpanRecorder::main_loop(int64_t cta, int64_t unit, double begin_us, double us) {
  const bool padded = ctas_[static_cast<size_t>(cta)].units[static_cast<size_t>(unit)].padded;
  add(cta, unit, padded ? SpanKind::Padding : SpanKind::MainLoop, begin_us, us);
}

void SpanRecorder::fix_up(int64_t cta, int64_t unit, double begin_us, double us) {
  add(cta, unit, SpanKind::FixUp, begin_us, us);
}

void SpanRecorder::part(int64_t cta, int64_t unit, double begin_us, double waiting_us,
                        double fix_up_us, double epilogue_us) {
  const double turn_us = add(cta, unit, SpanKind::Waiting, begin_us, waiting_us);
  add(cta, unit, SpanKind::Epilogue, add(cta, unit, SpanKind::FixUp, turn_us, fix_up_us),
      epilogue_us);
}

void SpanRecorder::second_kernel(double begin_us, double us) {
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    spans_.push_back(
        {SpanKind::Reduction, lane / lanes_per_cta_, lane, 0, begin_us, begin_us + us, {}});
  }
}

}  // namespace tilewright
