// A process that answers lines with lines, and what became of it when it does not.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "worker/line_socket.hpp"

namespace tilewright {

/// Its standard input and output are one socket to this process; its standard error is this one's.
class WorkerProcess {
 public:
  /// Starts a program: its path and arguments. Throws an environment error.
  explicit WorkerProcess(const std::vector<std::string>& command);
  /// Ends the process with all that it holds.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// The line that answers `line`; neither ends in a newline. Nothing where the process ended or
  /// was silent for `limit_s` seconds: then it is ended, and end() says how. Throws Interrupted.
  std::optional<std::string> ask(const std::string& line, double limit_s);

  /// How the process ended: "was ended by signal 11 (Segmentation fault)".
  const std::string& end() const { return end_; }
  bool is_running() const { return id_ > 0; }
  pid_t id() const { return id_; }

 private:
  void stop(const std::string& why);

  pid_t id_ = -1;
  std::optional<LineSocket> socket_;
  std::string end_;
};

}  // namespace tilewright
