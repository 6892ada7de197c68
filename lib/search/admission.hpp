// Which configs may race: those that compile, run, and compute right results.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "search/race.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// Compiles and verifies configs of one prepared problem, and keeps the result of each.
class Admission {
 public:
  Admission(const Workload& problem, Runner& runner, ProgressListener& progress)
      : problem_(problem), runner_(runner), progress_(progress) {}

  /// The configs that may race, in order. A config that was examined before keeps its result.
  std::vector<Contender> admit(const std::vector<TileConfig>& configs, double best_us);

  /// Excludes a config that was admitted, because its launch was lost.
  void withdraw(const RaceEntry& lost);

  /// The error that explains why nothing may race.
  Error nothing_runs() const;

  const BuildResult& build_of(const TileConfig& config) const;
  const Verification& verification_of(const TileConfig& config) const;
  /// How many configs the compiler refused, and how many could not be launched.
  const std::map<std::string, int64_t>& rejected() const { return rejected_; }
  const std::vector<WrongKernel>& wrong() const { return wrong_; }

 private:
  void examine(const std::vector<TileConfig>& configs, double best_us);
  bool is_right(const TileConfig& config);

  struct Answer {
    bool admitted = false;
    BuildResult build;
    Verification verification;
  };

  const Workload& problem_;
  Runner& runner_;
  ProgressListener& progress_;
  std::map<std::string, Answer> answers_;  // by config
  std::map<std::string, int64_t> rejected_;
  std::vector<WrongKernel> wrong_;
  std::string failure_;  // the last failure
};

/// The contender of one of our configs.
Contender contender_of(const TileConfig& config);
/// The contender of a config of a foreign kernel.
Contender contender_of(const ForeignConfig& config);

}  // namespace tilewright
