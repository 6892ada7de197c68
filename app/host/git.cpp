#include "host/git.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShortHash = 12;

}  // namespace

ChildEnd run_git(const std::vector<std::string>& words, const fs::path& folder,
                 ChildOutput output) {
  std::vector<std::string> all = {
      "env", "LC_ALL=C", "LANGUAGE=", "git", "-c", "core.hooksPath=/dev/null"};
  all.insert(all.end(), words.begin(), words.end());
  return run_child(all, folder, output);
}

std::string git_answer(const std::vector<std::string>& words, const fs::path& folder) {
  const ChildEnd end = run_git(words, folder, ChildOutput::Answer);
  return end.code == 0 ? std::string(trim(end.output)) : "";
}

std::string git_does(const std::vector<std::string>& words, const fs::path& folder) {
  const ChildEnd end = run_git(words, folder);
  throw_if_interrupted();
  if (end.code == 0) return end.output;
  throw environment_error(format("git {} fails: {}", words.front(), one_line(trim(end.output))));
}

std::string Commit::text() const {
  return format("commit {} ({})", hash.substr(0, kShortHash), one_line(subject));
}

Commit commit_of(const std::string& name, const fs::path& folder) {
  const std::string hash = git_answer(
      {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, folder);
  if (hash.empty()) throw usage_error(format("'{}' names no commit here", one_line(name)));
  return {hash, git_answer({"log", "-1", "--format=%s", hash}, folder)};
}

Worktree::Worktree(fs::path repository, const Commit& commit) : repository_(std::move(repository)) {
  std::string name = (fs::temp_directory_path() / "tilewright-bisect-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw environment_error(format("no temporary folder: {}", std::strerror(errno)));
  }
  folder_ = name;
  const ChildEnd made = run_git(
      {"worktree", "add", "--detach", "--quiet", tree().string(), commit.hash}, repository_);
  if (made.code == 0) return;
  remove();
  throw_if_interrupted();
  throw environment_error(format("git worktree fails: {}", one_line(trim(made.output))));
}

void Worktree::remove() noexcept {
  try {
    run_git({"worktree", "remove", "--force", "--force", tree().string()}, repository_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    run_git({"worktree", "prune"}, repository_);
  } catch (const std::exception&) {
    return;  // a destructor must not throw, and the folder is a temporary one
  }
}

}  // namespace tilewright
