// A Runner that works in another process: a kernel that crashes that process loses its own results,
// and no others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/runner.hpp"

namespace tilewright {

/// Seconds without an answer after which a worker is killed.
struct WorkerLimits {
  double launch_s = 20;  // a launch, plus a second per 10^12 operations
  double other_s = 600;  // operands, compilers, profilers
};

/// `command` starts a program that calls serve_runner() for `device`. If a launch ends the worker
/// or keeps it from answering, the launch is lost: verify() fails it, time_round() marks it as
/// lost, and a new worker continues with the rest. Throws an environment error if workers cannot be
/// started or keep ending.
std::unique_ptr<Runner> make_worker_runner(std::vector<std::string> command,
                                           const DeviceSpec& device, WorkerLimits limits = {});

}  // namespace tilewright
