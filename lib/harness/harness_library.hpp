// Loads a foreign library into this process and calls its functions.
#pragma once

#include <tilewright_harness.h>

#include <string>

#include "harness/harness_file.hpp"

namespace tilewright {

/// The functions of a library, which stays loaded until the process ends: other libraries may still
/// call functions that it registered.
class HarnessLibrary : public HarnessFile {
 public:
  /// Throws a usage error where the library does not load or lacks a function.
  explicit HarnessLibrary(const std::string& file);

  HarnessText describe() const override;
  TilewrightHarnessPlan prepare(const Workload& workload,
                                const ForeignConfig& config) const override;
  std::string run(void* state, const TilewrightHarnessOperands& operands,
                  void* stream) const override;
  void release(void* state) const override { release_(state); }
  ForeignMapping mapping_of(const TilewrightHarnessPlan& plan) const override;

 private:
  std::string build_;
  decltype(&tilewright_harness_describe) describe_ = nullptr;
  decltype(&tilewright_harness_prepare) prepare_ = nullptr;
  decltype(&tilewright_harness_run) run_ = nullptr;
  decltype(&tilewright_harness_release) release_ = nullptr;
  decltype(&tilewright_harness_tile) tile_ = nullptr;  // null: the library does not report tiles
};

}  // namespace tilewright
