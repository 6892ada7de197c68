// A file of foreign kernels: a shared library or a manifest of cubins.
#pragma once

#include <tilewright_harness.h>

#include <functional>
#include <memory>
#include <string>

#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Alignment of a workspace, bytes, if the plan leaves it 0.
inline constexpr int64_t kUsualWorkspaceAlignment = 256;

/// Prepares and launches the kernels of one file.
class HarnessFile {
 public:
  virtual ~HarnessFile() = default;
  virtual HarnessText describe() const = 0;
  /// Throws a usage error with the reason where the config does not run.
  virtual TilewrightHarnessPlan prepare(const Workload& workload,
                                        const ForeignConfig& config) const = 0;
  /// Launches the product. Returns why it did not run; empty where it did.
  virtual std::string run(void* state, const TilewrightHarnessOperands& operands,
                          void* stream) const = 0;
  virtual void release(void* state) const = 0;
  /// The tile of every slot of the plan.
  virtual ForeignMapping mapping_of(const TilewrightHarnessPlan& plan) const = 0;
};

/// Opens a file. Throws a usage error.
using OpenHarnessFile = std::function<std::unique_ptr<HarnessFile>(const std::string& file)>;

/// True for a manifest of cubins, by the file's name; other files are shared libraries.
bool is_manifest(const std::string& file);

}  // namespace tilewright
