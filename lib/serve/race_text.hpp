// The state of a product's race, for people.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "serve/product_race.hpp"
#include "serve/race_file.hpp"

namespace tilewright {

/// A race, and what went wrong beside it.
struct RaceState {
  std::string plain;                   // the line on the plain answer
  std::span<const std::string> names;  // of the candidates
  const ProductRace& race;
  std::optional<RaceResult> found = {};  // of an earlier process, instead of the race
  std::string winner_failure = {};       // why the winner cannot run after all; else empty
  std::string file_trouble = {};         // why winners are not kept; else empty
};

/// One line: racing, raced with the winner, or raced without one; and what went wrong.
std::string race_text(const RaceState& state);

/// The winner's name in a file, of the plain answer.
inline constexpr const char* kPlainName = "plain";

}  // namespace tilewright
