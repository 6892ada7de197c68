// Selects the problems of a command that this process tunes, as one of the command's ranks.
#pragma once

#include <string>
#include <vector>

#include "host/launcher.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// A command's problems, and the ones that this process is to tune.
struct TuneShare {
  std::vector<Workload> problems;
  std::vector<size_t> indices;  // indices into `problems`, ascending
  Rank rank;
  std::vector<std::string> stores = {};  // other ranks' stores; the run keeps their answers
};

/// The rank's share of the problems. It depends only on the problems and the rank, not on the
/// answers of other ranks, so that every process computes the same division.
TuneShare share_of(const std::vector<Workload>& problems, const Rank& rank = {});

/// The problems at the share's indices.
std::vector<Workload> grouped_problems(const TuneShare& share);

/// The stores of all ranks, past ones too, except `own`; `store_of_all` is the value of --store,
/// which all ranks share.
std::vector<std::string> stores_of_others(const std::string& store_of_all, const std::string& own);

}  // namespace tilewright
