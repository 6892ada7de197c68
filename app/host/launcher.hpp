// This process's rank among many, from the variables of its launcher: Slurm's srun, or an mpirun.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilewright {

/// One of `size` processes that share the problems of one command.
struct Rank {
  int rank = 0;
  int size = 1;
  int local = -1;           // the number among this host's processes; -1: unknown
  std::string source = {};  // where the rank comes from; empty: there is one process
  bool operator==(const Rank&) const = default;
};

/// An environment variable's value, or null.
using Variables = std::function<const char*(const char*)>;

/// The rank from OMPI_COMM_WORLD_*, PMI_* or SLURM_*, the first of these that are set: an mpirun
/// inside a Slurm job counts its own ranks. A shell of a Slurm job is not a rank. Throws a usage
/// error for a variable that lacks its companion, for a value that is no number, and for a rank
/// that is not below its size.
Rank launched_rank(const Variables& get);

/// "R/N", as --rank takes it. Throws a usage error.
Rank parse_rank(const std::string& text);

/// "best.yaml" of rank 2 of 4 is "best.rank-2of4.yaml"; one process keeps the name, and "-".
std::string file_of_rank(const std::string& path, const Rank& rank);

/// The existing files that file_of_rank() names for this path and any rank of any size, sorted by
/// name.
std::vector<std::string> files_of_ranks(const std::string& path);

}  // namespace tilewright
