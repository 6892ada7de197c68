// Commits of the repository in the current folder, and worktrees of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright {

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

/// A temporary folder with a git worktree in it; the destructor removes both.
class Workshop {
 public:
  Workshop(std::filesystem::path repository, const Commit& commit);
  ~Workshop() { remove(); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::filesystem::path tree() const { return folder_ / "tree"; }
  std::filesystem::path baseline() const { return folder_ / "baseline.yaml"; }

 private:
  void remove() noexcept;

  std::filesystem::path repository_;
  std::filesystem::path folder_;
};

}  // namespace tilewright
