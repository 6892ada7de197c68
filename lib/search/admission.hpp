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

/// Compiles and verifies configs of one prepared problem, and remembers what became of each.
class Admission {
 public:
  Admission(const Workload& problem, Runner& runner, Progress& progress)
      : problem_(problem), runner_(runner), progress_(progress) {}

  /// Those of `configs` that may race, in order; who was asked for before keeps its answer.
  std::vector<Contender> admit(const std::vector<TileConfig>& configs, double best_us);

  /// Takes back what was admitted: its launch was lost.
  void withdraw(const Lane& lost);

  /// Why nothing at all may race.
  Error nothing_runs() const;

  const BuildResult& build_of(const TileConfig& config) const;
  const Verification& verification_of(const TileConfig& config) const;
  /// How many the compiler refused and how many could not be launched.
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
  Progress& progress_;
  std::map<std::string, Answer> answers_;  // by config
  std::map<std::string, int64_t> rejected_;
  std::vector<WrongKernel> wrong_;
  std::string failure_;  // the last one
};

/// The contender of a config of ours.
Contender contender_of(const TileConfig& config);

}  // namespace tilewright
