// A Runner whose device lives in another process: what a kernel does to that process costs the
// kernel, and nothing else that was measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/runner.hpp"

namespace tilewright {

/// Seconds after which a worker that gives no answer is ended.
struct WorkerLimits {
  double launch_s = 20;  // a launch, beside a second for each 10^12 operations
  double other_s = 600;  // operands, compilers, profilers
};

/// `command` starts a program that calls serve() for `device`. A launch that ends the worker, or
/// keeps it from answering, is lost: verify() calls it wrong and time_round() says so, and a new
/// worker goes on with the rest. Throws an environment error where workers cannot be started or
/// keep ending.
std::unique_ptr<Runner> make_worker_runner(std::vector<std::string> command,
                                           const DeviceSpec& device, WorkerLimits limits = {});

}  // namespace tilewright
