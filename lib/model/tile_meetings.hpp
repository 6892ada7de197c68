// How the parts of divided tiles wait for each other, as their reduction's meeting says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/fixup.hpp"
#include "tile/plan/schedule_proof.hpp"

namespace tilewright {

class TileMeetings {
 public:
  /// Whose main loop has ended, and when.
  struct Member {
    int64_t worker = -1;
    double since_us = 0;
  };
  /// What becomes of a part that comes, or of all members of its tile.
  enum class Arrival { Joins, AllJoin, Leaves, Waits };

  /// Parts are sorted by tile and k; each is known by its index.
  TileMeetings(std::span<const TilePart> parts, Reduction reduction);

  bool in_turns() const { return meeting_ == Meeting::Turn; }
  /// The part among those of its tile; how many CTAs are active it does not know.
  PartRole role_of(size_t part) const {
    const Tile& tile = tile_of(part);
    const auto last = tile.first + static_cast<size_t>(tile.parts) - 1;
    return {.first = part == tile.first, .last = part == last, .parts = tile.parts};
  }
  Arrival arrive(size_t part, const Member& member);
  /// Members of the part's tile in the order that they came in, where all join at once.
  const std::vector<Member>& members(size_t part) const { return tile_of(part).members; }
  /// The part is done; returns who waited for it, or a member without a worker.
  Member finish(size_t part) {
    if (!in_turns()) return {};
    turnstiles_[part].open = true;
    return turnstiles_[part].waiting;
  }

 private:
  struct Tile {
    size_t first = 0;  // index of its first part
    int64_t parts = 0;
    int64_t come = 0;  // parts that are there, where the last finishes the tile
    std::vector<Member> members = {};
  };
  // Behind a part that the next one waits for.
  struct Turnstile {
    bool open = false;
    Member waiting = {};
  };
  const Tile& tile_of(size_t part) const { return tiles_[tile_[part]]; }
  Arrival wait_for_turn(size_t part, const Member& member);

  Meeting meeting_;
  std::vector<Tile> tiles_;
  std::vector<size_t> tile_;           // by part
  std::vector<int64_t> awaited_;       // by part, as awaited_parts() says; of turns
  std::vector<Turnstile> turnstiles_;  // by part; of turns
};

}  // namespace tilewright
