// Which problems of a command this process tunes, beside the command's other ranks.
#pragma once

#include <string>
#include <vector>

#include "launcher.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A command's problems, and those of them that this process is to tune.
struct TuneShare {
  std::vector<Workload> problems;
  std::vector<size_t> places;  // in `problems`, ascending
  Rank rank;
  std::vector<std::string> stores = {};  // of other ranks: the run keeps their answers
};

/// The rank's share of the problems. It depends on the problems and the rank alone, never on what
/// other ranks have answered, so that every process computes the same division.
TuneShare share_of(const std::vector<Workload>& problems, const Rank& rank = {});

/// The problems at the share's places.
std::vector<Workload> grouped_problems(const TuneShare& share);

/// The stores of the ranks other than the one whose store is `own`, as many as there ever were;
/// `store_of_all` is what --store names, for all ranks alike.
std::vector<std::string> stores_of_others(const std::string& store_of_all, const std::string& own);

}  // namespace tilewright
