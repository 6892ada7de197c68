#include "serve/raced_calls.hpp"

#include <exception>
#include <optional>

namespace tilewright {

RacedCalls::~RacedCalls() {
  for (const Pending& pending : pending_) timer_.drop(pending.time);
}

ProductRace RacedCalls::snapshot() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return race_;
}

// Records the times that have come.
void RacedCalls::collect() {
  std::erase_if(pending_, [this](const Pending& pending) {
    const std::optional<double> us = timer_.take(pending.time);
    if (us) race_.record(pending.ticket, *us);
    return us.has_value();
  });
}

RaceTurn RacedCalls::next_turn(bool& decides) {
  const std::lock_guard<std::mutex> lock(mutex_);
  collect();
  const RaceTurn turn = race_.next();
  decides = race_.is_decided() && winner() < 0;
  if (!decides) return turn;
  for (const Pending& pending : pending_) timer_.drop(pending.time);
  pending_.clear();
  winner_.store(race_.winner(), std::memory_order_release);
  return turn;
}

void RacedCalls::fail(const RaceTurn& turn, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  race_.fail(turn.ticket, why);
}

void RacedCalls::run_turn(const RaceTurn& turn, void* stream, const CandidateActions& actions) {
  actions.prepare(turn.candidate);
  if (!turn.is_timed) {
    actions.launch(turn.candidate);
    if (turn.ticket < 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    return race_.warmed(turn.ticket);
  }
  const std::optional<int> time = timer_.time(stream, [&] { actions.launch(turn.candidate); });
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!time) return race_.lose(turn.ticket);
  pending_.push_back({turn.ticket, *time});
}

bool RacedCalls::run(void* stream, const CandidateActions& actions) {
  bool decides = false;
  const RaceTurn turn = next_turn(decides);
  try {
    run_turn(turn, stream, actions);
    return decides;
  } catch (const std::exception& error) {
    if (turn.ticket >= 0) fail(turn, error.what());
    if (turn.candidate == 0) throw;
  }
  actions.clear();
  actions.prepare(0);
  actions.launch(0);
  return decides;
}

}  // namespace tilewright
