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
  if (!in_turns()) return;
  awaited_ = awaited_parts(parts);
  turnstiles_.resize(parts.size());
}

TileWaits::Arrival TileWaits::arrive(size_t part, const Member& member) {
  if (wait_mode_ == WaitMode::None) return Arrival::Joins;
  if (wait_mode_ == WaitMode::Previous) return wait_for_turn(part, member);
  Tile& tile = tiles_[tile_[part]];
  if (wait_mode_ == WaitMode::LastArrives) {
    return ++tile.arrived == tile.parts ? Arrival::Joins : Arrival::Leaves;
  }
  tile.members.push_back(member);
  return std::ssize(tile.members) == tile.parts ? Arrival::AllJoin : Arrival::Waits;
}

TileWaits::Arrival TileWaits::wait_for_turn(size_t part, const Member& member) {
  const int64_t awaited = awaited_[part];
  if (awaited == -1) return Arrival::Joins;
  // No CTA computes the awaited part.
  if (awaited == -2) return Arrival::Waits;
  Turnstile& turnstile = turnstiles_[static_cast<size_t>(awaited)];
  if (turnstile.open) return Arrival::Joins;
  turnstile.waiting = member;
  return Arrival::Waits;
}

}  // namespace tilewright
