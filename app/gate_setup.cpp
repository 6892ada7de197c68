#include "gate_setup.hpp"

#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "harness_files.hpp"

namespace tilewright {

double threshold_of(const GateOptions& options) {
  const double threshold = options.threshold_pct.value_or(1) / 100;
  if (threshold > 0 && threshold < 1) return threshold;
  throw usage_error(
      format("--threshold {} is not a percentage between 0 and 100", 100 * threshold));
}

ResolvedDevice resolve_gate_device(const GateOptions& options, const BackendLoader& load) {
  return options.device == "host" ? resolve_harness_device(options.device)
                                  : resolve_device(options.device, load);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

Error needs_gpu(const std::string& what, const ResolvedDevice& device) {
  return environment_error(format("{} needs a GPU: {}", what,
                                  device.why_no_gpu.empty()
                                      ? format("'{}' is a preset", device.spec.name)
                                      : device.why_no_gpu));
}

}  // namespace tilewright
