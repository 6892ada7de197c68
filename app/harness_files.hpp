// --harness FILE[:axis=value,...]: foreign kernels, which the worker that runs them describes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "devices.hpp"
#include "search/harness_space.hpp"
#include "search/runner.hpp"

namespace tilewright {

/// The library of one option, and the values that it gives.
struct HarnessRequest {
  std::string text;  // as it was asked for
  std::string file;
  std::vector<AxisValue> values;
};

/// Throws a usage error.
HarnessRequest parse_harness_request(const std::string& text);

/// The device that harnesses run on: "host", or where there is no GPU "auto", is host memory.
ResolvedDevice resolve_harness_device(const std::string& name);
bool is_host(const ResolvedDevice& device);

/// A Runner of host memory in a process of its own.
std::unique_ptr<Runner> open_host_runner(uint64_t seed);

/// What the harness of a request says of itself. Throws a usage error where it does not describe
/// itself, does not take the workload, or runs on other memory than the device's.
HarnessDescription describe_harness(Runner& runner, const HarnessRequest& request,
                                    const Workload& workload);

}  // namespace tilewright
