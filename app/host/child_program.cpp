#include "host/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int kNotStarted = 127;

// git sets these for hooks and aliases, and they override the folder.
constexpr std::string_view kOfARepository[] = {
    "GIT_DIR=",    "GIT_WORK_TREE=",        "GIT_INDEX_FILE=", "GIT_COMMON_DIR=",
    "GIT_PREFIX=", "GIT_OBJECT_DIRECTORY=", "GIT_NAMESPACE="};

std::vector<char*> child_environment() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool leads_away =
        std::any_of(std::begin(kOfARepository), std::end(kOfARepository),
                    [text](std::string_view name) { return text.starts_with(name); });
    if (!leads_away) kept.push_back(*entry);
  }
  kept.push_back(nullptr);
  return kept;
}

int code_of(pid_t id) {
  int status = 0;
  while (waitpid(id, &status, 0) < 0) {
    if (errno != EINTR) return kNotStarted;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> part{};
  for (size_t count = 0; (count = std::fread(part.data(), 1, part.size(), file)) > 0;) {
    text.append(part.data(), count);
  }
  return text;
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& words, const std::filesystem::path& folder,
                   ChildOutput output) {
  // A file, because a process that the program leaves running would hold a pipe open.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> captured(std::tmpfile(), std::fclose);
  if (!captured) {
    throw environment_error(format("cannot make a temporary file for the output of {}: {}",
                                   words.front(), std::strerror(errno)));
  }
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  arguments.reserve(copies.size() + 1);
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::vector<char*> environment = child_environment();
  const int out = output == ChildOutput::Shown ? STDERR_FILENO : fileno(captured.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (output == ChildOutput::Captured) {
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
  } else if (output == ChildOutput::Answer) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t id = -1;
  const int error =
      posix_spawnp(&id, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {kNotStarted, std::strerror(error)};
  const int code = code_of(id);
  return {code, content_of(captured.get())};
}

}  // namespace tilewright
