#include "model/tile_waits.hpp"

#include "tile/plan/turnstile_proof.hpp"

namespace tilewright {

TileWaits::TileWaits(std::span<const TilePart> parts, Reduction reduction)
    : wait_mode_(tw::wait_mode_of(reduction)), tile_(parts.size()) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 || parts[i].tile != parts[i - 1].tile) tiles_.push_back({.first = i});
    ++tiles_.back().parts;
    tile_[i] = tiles_.size() - 1;
  }
  if (!is_turnstile()) return;
  awaited_ = awaited_parts(parts);
  turnstiles_.resize(parts.size());
}

TileWaits::Arrival TileWaits::arrive(size_t part, const Waiter& waiter) {
  if (wait_mode_ == WaitMode::None) return Arrival::Proceeds;
  if (wait_mode_ == WaitMode::Previous) return wait_at_turnstile(part, waiter);
  Tile& tile = tiles_[tile_[part]];
  if (wait_mode_ == WaitMode::LastArrives) {
    return ++tile.arrived == tile.parts ? Arrival::Proceeds : Arrival::Exits;
  }
  tile.waiters.push_back(waiter);
  return std::ssize(tile.waiters) == tile.parts ? Arrival::AllProceed : Arrival::Waits;
}

TileWaits::Arrival TileWaits::wait_at_turnstile(size_t part, const Waiter& waiter) {
  const int64_t awaited = awaited_[part];
  if (awaited == -1) return Arrival::Proceeds;
  // No CTA computes the awaited part.
  if (awaited == -2) return Arrival::Waits;
  Turnstile& turnstile = turnstiles_[static_cast<size_t>(awaited)];
  if (turnstile.open) return Arrival::Proceeds;
  turnstile.waiting = waiter;
  return Arrival::Waits;
}

}  // namespace tilewright
