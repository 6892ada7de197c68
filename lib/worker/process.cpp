#include "worker/process.hpp"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) {
    return format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return format("ended with exit code {}", WEXITSTATUS(status));
}

// Starts the program with `socket` as its standard input and output.
int spawn(pid_t& id, const std::vector<std::string>& command, int socket) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  const int error = posix_spawnp(&id, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command, KillPolicy policy)
    : kill_policy_(std::move(policy)) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw environment_error(
        format("cannot create a socket to a worker process: {}", std::strerror(errno)));
  }
  const int error = spawn(id_, command, ends[1]);
  close(ends[1]);
  socket_.emplace(ends[0]);
  if (error == 0) return;
  throw environment_error(
      format("the worker process {} does not start: {}", command.front(), std::strerror(error)));
}

WorkerProcess::~WorkerProcess() {
  stop("was stopped");
}

std::optional<std::string> WorkerProcess::exchange(const std::string& line, double limit_s) {
  constexpr int kWaitMs = 100;  // between checks for Ctrl-C
  if (!is_running()) return std::nullopt;
  const auto deadline = Clock::now() + std::chrono::duration<double>(limit_s);
  std::string unsent = line + '\n';
  bool is_open = true;
  while (is_open) {
    if (std::optional<std::string> answer = socket_->pop_line()) return answer;
    if (is_interrupted()) {
      // A late answer would be taken for the answer to the next request.
      stop("was stopped by Ctrl-C");
      throw_if_interrupted();
    }
    if (Clock::now() > deadline) {
      stop(format("gave no answer for {:.0f} s and was ended", limit_s));
      require_ended();
      return std::nullopt;
    }
    is_open = unsent.empty() ? socket_->receive(kWaitMs) : socket_->send_some(unsent, kWaitMs);
  }
  stop({});
  require_ended();
  return std::nullopt;
}

bool WorkerProcess::has_ended(std::chrono::milliseconds wait, int& status) const {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(5);
  const auto deadline = Clock::now() + wait;
  while (true) {
    const pid_t ended = waitpid(id_, &status, WNOHANG);
    if (ended == id_ || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

// An empty `why`: the process closed its socket, and its exit status gives the reason. A process
// that the driver holds ends only when the driver releases it.
void WorkerProcess::stop(const std::string& why) {
  if (!is_running()) return;
  int status = 0;
  bool ended = why.empty() && has_ended(kill_policy_.grace, status);
  if (!ended) {
    kill_policy_.kill(id_, SIGKILL);
    ended = has_ended(kill_policy_.grace, status);
  }
  if (!ended) unkillable_id_ = id_;
  exit_reason_ = !why.empty() ? why : ended ? ending_of(status) : "closed its socket and was ended";
  id_ = -1;
}

// A new process would wait for the same device.
void WorkerProcess::require_ended() const {
  if (unkillable_id_ < 0) return;
  throw environment_error(
      format("the worker process {} {} and still exists: the system keeps it, for example because "
             "a driver waits for its GPU; reset the GPU or restart the machine",
             unkillable_id_, exit_reason_));
}

}  // namespace tilewright
