#include "serve/race_text.hpp"

#include <vector>

#include "base/text.hpp"

namespace tilewright {
namespace {

std::string winner_text(const RaceState& state) {
  const ProductRace& race = state.race;
  const std::string when = state.found
                               ? format("in {} calls of an earlier process", state.found->calls)
                               : format("in {} calls", race.calls());
  const std::string winner =
      state.found ? state.found->winner : state.names[static_cast<size_t>(race.winner())];
  if (winner == kPlainName) {
    return format("{}; raced {}: no other kernel is faster beyond the interval", state.plain, when);
  }
  const double ratio = state.found ? state.found->ratio : race.ratio();
  if (!state.winner_failure.empty()) {
    return format("{}; raced {}: the winner, {}, cannot run: {}", state.plain, when, winner,
                  state.winner_failure);
  }
  return format("raced {}: {}, {:.3f} of the plain answer's time; plain: {}", when, winner, ratio,
                state.plain);
}

}  // namespace

std::string race_text(const RaceState& state) {
  const ProductRace& race = state.race;
  std::string text = state.found || race.is_decided()
                         ? winner_text(state)
                         : format("{}; racing: {} of at most {} calls", state.plain, race.calls(),
                                  race.max_calls());
  const std::vector<std::string> failures = race.failures();
  for (size_t i = 0; i < failures.size(); ++i) {
    if (!failures[i].empty()) text += format("; {} left: {}", state.names[i], failures[i]);
  }
  if (!state.file_trouble.empty()) text += "; winners are not kept: " + state.file_trouble;
  return text;
}

}  // namespace tilewright
