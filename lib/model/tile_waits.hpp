// How the parts of divided tiles wait for each other, by their reduction's WaitMode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/fixup.hpp"
#include "tile/plan/schedule_proof.hpp"

namespace tilewright {

class TileWaits {
 public:
  /// A worker that has ended its main loop, and when.
  struct Waiter {
    int64_t worker = -1;
    double since_us = 0;
  };
  /// What an arriving part does; with AllProceed, all waiters of its tile proceed.
  enum class Arrival { Proceeds, AllProceed, Exits, Waits };

  /// Parts are sorted by tile and k; an index identifies each.
  TileWaits(std::span<const TilePart> parts, Reduction reduction);

  bool is_turnstile() const { return wait_mode_ == WaitMode::Previous; }
  /// The part's role in its tile; the caller sets `active`.
  FixupRole role_of(size_t part) const {
    const Tile& tile = tile_of(part);
    const auto last = tile.first + static_cast<size_t>(tile.parts) - 1;
    return {.first = part == tile.first, .last = part == last, .parts = tile.parts};
  }
  Arrival arrive(size_t part, const Waiter& waiter);
  /// Waiters of the part's tile in order of arrival, where all proceed at once.
  const std::vector<Waiter>& waiters(size_t part) const { return tile_of(part).waiters; }
  /// Marks the part as done; returns the waiter that waited for it, or one without a worker.
  Waiter finish(size_t part) {
    if (!is_turnstile()) return {};
    turnstiles_[part].open = true;
    return turnstiles_[part].waiting;
  }

 private:
  struct Tile {
    size_t first = 0;  // index of its first part
    int64_t parts = 0;
    int64_t arrived = 0;  // parts that have arrived, where the last finishes the tile
    std::vector<Waiter> waiters = {};
  };
  // State of a part that the next one waits for.
  struct Turnstile {
    bool open = false;
    Waiter waiting = {};
  };
  const Tile& tile_of(size_t part) const { return tiles_[tile_[part]]; }
  Arrival wait_at_turnstile(size_t part, const Waiter& waiter);

  WaitMode wait_mode_;
  std::vector<Tile> tiles_;
  std::vector<size_t> tile_;           // by part
  std::vector<int64_t> awaited_;       // by part, from awaited_parts(); for WaitMode::Previous
  std::vector<Turnstile> turnstiles_;  // by part; for WaitMode::Previous
};

}  // namespace tilewright
