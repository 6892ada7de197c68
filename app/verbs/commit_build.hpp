// Builds a commit in its worktree, and runs its own program on a suite without a GPU.
#pragma once

#include <filesystem>
#include <string>

#include "gate/gate.hpp"
#include "host/git.hpp"
#include "verbs/bisect_log.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

/// The checked-out commit's version of the suite, if it has one, else the user's.
std::string suite_in(const std::filesystem::path& tree, const std::filesystem::path& repository,
                     const std::string& suite);

/// True if each commit builds the program in its worktree; false for one program for all commits.
bool is_built(const GateBisectOptions& options);

/// Builds the commit that is checked out, and reads its static numbers and configs, which are none
/// if the suite has harnesses alone. Answers `good` if it could, `skip` if the commit cannot be
/// built or run, and `bad` if its own gate fails without numbers.
CommitAnswer read_commit(const GateBisectOptions& options, const std::filesystem::path& repository,
                         const Worktree& worktree, Baseline& numbers);

}  // namespace tilewright
