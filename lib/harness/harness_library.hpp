// A foreign library, loaded into this process.
#pragma once

#include <tilewright_harness.h>

#include <string>

#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Bytes, of a workspace whose plan names no alignment.
inline constexpr int64_t kUsualWorkspaceAlignment = 256;

/// The functions of a library. It stays loaded until the process ends: what it left behind in other
/// libraries may still be called.
class HarnessLibrary {
 public:
  /// Throws a usage error where it does not load or lacks a function.
  explicit HarnessLibrary(const std::string& file);

  HarnessText describe() const;
  /// Throws a usage error with the library's reason.
  TilewrightHarnessPlan prepare(const Workload& workload, const ForeignConfig& config) const;
  /// Why it did not run; empty where it did.
  std::string run(void* state, const TilewrightHarnessOperands& operands, void* stream) const;
  void release(void* state) const { release_(state); }
  /// The tile of every slot of a plan.
  ForeignMapping mapping_of(const TilewrightHarnessPlan& plan) const;

 private:
  std::string build_;
  decltype(&tilewright_harness_describe) describe_ = nullptr;
  decltype(&tilewright_harness_prepare) prepare_ = nullptr;
  decltype(&tilewright_harness_run) run_ = nullptr;
  decltype(&tilewright_harness_release) release_ = nullptr;
  decltype(&tilewright_harness_tile) tile_ = nullptr;  // null: it says nothing of tiles
};

}  // namespace tilewright
