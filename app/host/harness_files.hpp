// --harness FILE[:axis=value,...]: foreign kernels. The worker process that runs them describes
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "host/devices.hpp"
#include "search/harness_space.hpp"
#include "search/runner.hpp"
#include "store/problems.hpp"

namespace tilewright {

/// The library that one option names, and its axis values.
struct HarnessRequest {
  std::string text;  // as the user wrote it
  std::string file;
  std::vector<AxisValue> values;
};

/// Throws a usage error.
HarnessRequest parse_harness_request(const std::string& text);

/// The harness for these problems: `given` by --harness, or else what their files name; empty if
/// none does. Throws a usage error for problem files with different ones.
std::string harness_for(const std::string& given, const std::vector<ProblemArgument>& problems);

/// The path of the other build of a suite's harness: `against` itself if it is a file; otherwise
/// the harness's path below the folder `against` (only the file name if the path is absolute).
std::string other_build_of(const std::string& harness_file, const std::string& against);

/// Throws a usage error where there is no such file.
void require_file(const HarnessRequest& request);

/// The device for harnesses. "host" means host memory, and so does "auto" where there is no GPU.
ResolvedDevice resolve_harness_device(const std::string& name);
bool is_host(const ResolvedDevice& device);

/// The device's Runner, in a process of its own.
std::unique_ptr<Runner> open_harness_runner(const ResolvedDevice& device,
                                            const RunnerOptions& options = {});

/// A Runner for times that are reported: DeviceWatch checks a GPU before it opens and before it
/// closes.
class HarnessRunner {
 public:
  HarnessRunner(const ResolvedDevice& device, std::ostream& err, bool shared,
                const RunnerOptions& options);
  Runner& operator*() const { return watched_ ? **watched_ : *host_; }
  /// The exit code of a verb that would return `code` without disturbances.
  ExitCode report_disturbances(ExitCode code) {
    return watched_ ? watched_->report_disturbances(code) : code;
  }

 private:
  std::optional<WatchedRunner> watched_;
  std::unique_ptr<Runner> host_;
};

/// The description by a library in the worker, or by a manifest of cubins in its text. Throws a
/// usage error where there is no description.
HarnessDescription describe_file(Runner& runner, const std::string& file);

/// The harness's own description. Throws a usage error where the harness has none, or runs on other
/// memory than the device's.
HarnessDescription describe_harness(Runner& runner, const HarnessRequest& request);

/// The first legal config of the requested library with the requested values. Throws a usage error
/// if the file does not exist, or the library does not take the workload or has no such config.
ForeignConfig chosen_config(Runner& runner, const HarnessRequest& request,
                            const Workload& workload);
/// The same for a harness that is described.
ForeignConfig chosen_config(const HarnessDescription& harness, const HarnessRequest& request,
                            const Workload& workload);

}  // namespace tilewright
