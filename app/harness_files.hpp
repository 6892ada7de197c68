// --harness FILE[:axis=value,...]: foreign kernels, which the worker that runs them describes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
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

/// Throws a usage error where there is no such file.
void require_file(const HarnessRequest& request);

/// The device that harnesses run on: "host", or where there is no GPU "auto", is host memory.
ResolvedDevice resolve_harness_device(const std::string& name);
bool is_host(const ResolvedDevice& device);

/// The Runner of such a device, in a process of its own.
std::unique_ptr<Runner> open_harness_runner(const ResolvedDevice& device,
                                            const RunnerOptions& options = {});

/// One whose times are reported: a GPU is looked at before it opens and before it closes.
class HarnessRunner {
 public:
  HarnessRunner(const ResolvedDevice& device, std::ostream& err, bool shared,
                const RunnerOptions& options);
  Runner& operator*() const { return watched_ ? **watched_ : *host_; }
  /// What a verb answers that would answer with `code`.
  ExitCode look_back(ExitCode code) { return watched_ ? watched_->look_back(code) : code; }

 private:
  std::optional<WatchedRunner> watched_;
  std::unique_ptr<Runner> host_;
};

/// What the harness of a request says of itself. Throws a usage error where it does not describe
/// itself or runs on other memory than the device's.
HarnessDescription describe_harness(Runner& runner, const HarnessRequest& request);

}  // namespace tilewright
