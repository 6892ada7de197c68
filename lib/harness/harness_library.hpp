// Loads a foreign library into this process and calls its functions.
#pragma once

#include <tilewright_harness.h>

#include <string>

#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Alignment of a workspace, bytes, if the plan leaves it 0.
inline constexpr int64_t kUsualWorkspaceAlignment = 256;

/// The functions of a library, which stays loaded until the process ends: other libraries may still
/// call functions that it registered.
class HarnessLibrary {
 public:
  /// Throws a usage error where the library does not load or lacks a function.
  explicit HarnessLibrary(const std::string& file);

  HarnessText describe() const;
  /// Throws a usage error with the library's reason.
  TilewrightHarnessPlan prepare(const Workload& workload, const ForeignConfig& config) const;
  /// Launches the product. Returns why it did not run; empty where it did.
  std::string run(void* state, const TilewrightHarnessOperands& operands, void* stream) const;
  void release(void* state) const { release_(state); }
  /// The tile of every slot of the plan.
  ForeignMapping mapping_of(const TilewrightHarnessPlan& plan) const;

 private:
  std::string build_;
  decltype(&tilewright_harness_describe) describe_ = nullptr;
  decltype(&tilewright_harness_prepare) prepare_ = nullptr;
  decltype(&tilewright_harness_run) run_ = nullptr;
  decltype(&tilewright_harness_release) release_ = nullptr;
  decltype(&tilewright_harness_tile) tile_ = nullptr;  // null: the library does not report tiles
};

}  // namespace tilewright
