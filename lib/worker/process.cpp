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

// The program with `socket` as its standard input and output.
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

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw environment_error(format("no socket to a worker process: {}", std::strerror(errno)));
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

std::optional<std::string> WorkerProcess::ask(const std::string& line, double limit_s) {
  constexpr int kWaitMs = 100;  // between looks at Ctrl-C
  if (!is_running()) return std::nullopt;
  const auto deadline = Clock::now() + std::chrono::duration<double>(limit_s);
  bool is_open = socket_->tell(line);
  while (is_open) {
    if (std::optional<std::string> answer = socket_->take()) return answer;
    if (is_interrupted()) {
      // Its answer would be taken for that of another question.
      stop("was stopped by Ctrl-C");
      throw_if_interrupted();
    }
    if (Clock::now() > deadline) {
      stop(format("gave no answer for {:.0f} s and was ended", limit_s));
      return std::nullopt;
    }
    is_open = socket_->receive(kWaitMs);
  }
  stop({});
  return std::nullopt;
}

// Without a reason the process has closed its socket, and its own end is the reason.
void WorkerProcess::stop(const std::string& why) {
  if (!is_running()) return;
  constexpr auto kGrace = std::chrono::seconds(2);
  int status = 0;
  pid_t ended = 0;
  for (const auto begin = Clock::now();
       why.empty() && ended == 0 && Clock::now() < begin + kGrace;) {
    ended = waitpid(id_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (ended == 0) {
    kill(id_, SIGKILL);
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  end_ = why.empty() ? ending_of(status) : why;
  id_ = -1;
}

}  // namespace tilewright
