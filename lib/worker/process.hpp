// WorkerProcess: a child process that answers lines with lines, and how it ended.
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

/// How a process is ended: the function that sends a signal, and how long the system may take.
struct KillPolicy {
  std::function<int(pid_t, int)> kill = ::kill;
  std::chrono::milliseconds grace = std::chrono::seconds(2);
};

/// A child process. Its standard input and output are one socket to this process; its standard
/// error is this process's.
class WorkerProcess {
 public:
  /// Starts `command`: a program's path and its arguments. Throws an environment error.
  explicit WorkerProcess(const std::vector<std::string>& command, KillPolicy policy = {});
  /// Kills the process; waits for its end no longer than the grace.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends `line` and returns the line that answers it, both without a newline. Empty if the
  /// process ended, or gave no answer within `limit_s` seconds, sending included: it is killed
  /// then, and exit_reason() gives the reason. Throws Interrupted, and an environment error if it
  /// cannot be killed.
  std::optional<std::string> exchange(const std::string& line, double limit_s);

  /// How the process ended: "was ended by signal 11 (Segmentation fault)".
  const std::string& exit_reason() const { return exit_reason_; }
  bool is_running() const { return id_ > 0; }
  pid_t id() const { return id_; }

 private:
  void stop(const std::string& why);
  bool has_ended(std::chrono::milliseconds wait, int& status) const;
  void require_ended() const;

  KillPolicy kill_policy_;
  pid_t unkillable_id_ = -1;  // was killed but still exists
  pid_t id_ = -1;
  std::optional<LineSocket> socket_;
  std::string exit_reason_;
};

}  // namespace tilewright
