// Runs git: commits of a repository, and worktrees of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/child_program.hpp"

namespace tilewright {

/// Runs git in a folder, in English and without hooks.
ChildEnd run_git(const std::vector<std::string>& words, const std::filesystem::path& folder,
                 ChildOutput output = ChildOutput::Captured);

/// The standard output of a git command, trimmed; empty if it fails.
std::string git_answer(const std::vector<std::string>& words, const std::filesystem::path& folder);

/// Runs a git command that must succeed; a failure is an environment error.
std::string git_does(const std::vector<std::string>& words, const std::filesystem::path& folder);

/// A commit's hash and subject line.
struct Commit {
  std::string hash;
  std::string subject;
  std::string text() const;  // "commit 0123456789ab (Change this)"
};

/// Throws a usage error if the name is no commit's.
Commit commit_of(const std::string& name, const std::filesystem::path& folder);

/// A temporary folder with a worktree of the repository in it; the destructor removes both.
class Worktree {
 public:
  Worktree(std::filesystem::path repository, const Commit& commit);
  ~Worktree() { remove(); }
  Worktree(const Worktree&) = delete;
  Worktree& operator=(const Worktree&) = delete;

  std::filesystem::path tree() const { return folder_ / "tree"; }
  /// For files about the checked-out commit, outside of its tree.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void remove() noexcept;

  std::filesystem::path repository_;
  std::filesystem::path folder_;
};

}  // namespace tilewright
