#include "host/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
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

int code_of_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int code_of(pid_t id) {
  int status = 0;
  while (waitpid(id, &status, 0) < 0) {
    if (errno != EINTR) return kNotStarted;
  }
  return code_of_status(status);
}

// The words as posix_spawn() takes them; they must outlive the result.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// This program's environment, in which `variables` replace those of the same names.
std::vector<char*> environment_with(std::vector<std::string>& variables) {
  std::vector<char*> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool is_replaced =
        std::any_of(variables.begin(), variables.end(), [text](std::string_view one) {
          return text.starts_with(one.substr(0, one.find('=') + 1));
        });
    if (!is_replaced) all.push_back(*entry);
  }
  for (std::string& variable : variables) all.push_back(variable.data());
  all.push_back(nullptr);
  return all;
}

// Signals that wait for sigwaitinfo() while this lives, instead of ending this program.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
      sigaddset(&held_, signal);
    }
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& held() const { return held_; }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t held_ = {};
  sigset_t before_ = {};
};

// The child's exit code. The terminal sends its signals to the child too, other processes only to
// this one.
int code_of(pid_t id, const HeldSignals& signals) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(id, &status, WNOHANG);
    if (ended == id) return code_of_status(status);
    if (ended < 0 && errno != EINTR) return kNotStarted;
    siginfo_t info = {};
    const int signal = sigwaitinfo(&signals.held(), &info);
    const bool is_sent = signal > 0 && signal != SIGCHLD && info.si_code <= 0;
    if (is_sent) kill(id, signal);
  }
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
  const std::vector<char*> arguments = pointers_to(copies);
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

ChildEnd run_program(const std::vector<std::string>& words,
                     const std::vector<std::string>& variables, bool is_quiet) {
  std::vector<std::string> copies = words;
  std::vector<std::string> added = variables;
  const std::vector<char*> arguments = pointers_to(copies);
  const std::vector<char*> environment = environment_with(added);
  const HeldSignals signals;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &signals.before());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (is_quiet) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t id = -1;
  const int error =
      posix_spawnp(&id, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return {kNotStarted, std::strerror(error)};
  return {code_of(id, signals), {}};
}

}  // namespace tilewright
