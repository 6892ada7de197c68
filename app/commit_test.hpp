// Builds a commit in its worktree, and runs its own program on a suite without a GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commit_history.hpp"
#include "gate/gate.hpp"
#include "verbs.hpp"

namespace tilewright {

/// The result of running one commit's program on the suite.
struct Tested {
  std::optional<Baseline> numbers = {};
  std::string refused = {};  // why the commit's own gate failed without numbers: a regression
  std::string skipped = {};  // why it cannot be tested
};

/// The checked-out commit's version of the suite, if it has one, else the user's.
std::string suite_in(const std::filesystem::path& tree, const std::filesystem::path& repository,
                     const std::string& suite);

/// True if each commit builds the program in its worktree; false for one program for all commits.
bool is_built(const GateBisectOptions& options);

/// Builds the commit that is checked out, and reads its static numbers and configs. Numbers are
/// empty if the suite has harnesses alone.
Tested test_commit(const GateBisectOptions& options, const std::filesystem::path& repository,
                   const Workshop& workshop);

}  // namespace tilewright
