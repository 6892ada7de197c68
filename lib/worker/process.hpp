// A process that answers lines with lines, and what became of it when it does not.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/line_socket.hpp"

namespace tilewright {

/// How a process is ended: the signal to send, and how long the system may take to end it.
struct Ending {
  std::function<int(pid_t, int)> kill = ::kill;
  std::chrono::milliseconds grace = std::chrono::seconds(2);
};

/// Its standard input and output are one socket to this process; its standard error is this one's.
class WorkerProcess {
 public:
  /// Starts a program: its path and arguments. Throws an environment error.
  explicit WorkerProcess(const std::vector<std::string>& command, Ending ending = {});
  /// Ends the process with all that it holds; waits no longer than the grace for it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// The line that answers `line`; neither ends in a newline. Nothing where the process ended or
  /// was silent for `limit_s` seconds, the time to take the line included: then it is ended, and
  /// end() says how. Throws Interrupted, and an environment error where it cannot be ended.
  std::optional<std::string> ask(const std::string& line, double limit_s);

  /// How the process ended: "was ended by signal 11 (Segmentation fault)".
  const std::string& end() const { return end_; }
  bool is_running() const { return id_ > 0; }
  pid_t id() const { return id_; }

 private:
  void stop(const std::string& why);
  bool has_ended(std::chrono::milliseconds wait, int& status) const;
  void require_ended() const;

  Ending ending_;
  pid_t stuck_ = -1;  // was killed, and is still there
  pid_t id_ = -1;
  std::optional<LineSocket> socket_;
  std::string end_;
};

}  // namespace tilewright
