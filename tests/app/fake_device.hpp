// A host with GPUs that run on a FakeRunner, and a preset.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/devices.hpp"
#include "support/devices.hpp"
#include "support/fake_runner.hpp"

namespace tilewright::testing {

/// A host of H200s (one by default); the function `open` makes their runners.
class FakeHost : public Backend {
 public:
  explicit FakeHost(std::function<std::unique_ptr<Runner>()> open,
                    std::vector<std::string> uuids = {"GPU-fake"})
      : open_(std::move(open)), uuids_(std::move(uuids)) {}
  int device_count() const override { return static_cast<int>(uuids_.size()); }
  std::string why_no_device() const override { return ""; }
  DeviceSpec device(int) const override { return h200(); }
  std::string device_uuid(int index) const override {
    return uuids_.at(static_cast<size_t>(index));
  }
  std::string versions() const override {
    return "driver " + driver + "\nruntime 13.0\nNVRTC 13.0.88\ncublasLt " + library;
  }
  std::unique_ptr<KernelCompiler> open_compiler() override {
    return make_compiler ? make_compiler() : nullptr;
  }
  std::unique_ptr<Runner> open_runner(int, const DeviceSpec&,
                                      const RunnerOptions& options) override {
    asked_ = options;
    return open_();
  }
  std::vector<double> probe_wavefronts(int, std::span<const WarpAccess>) override { return {}; }
  std::unique_ptr<DeviceProber> open_prober(int, const DeviceSpec&) override { return nullptr; }
  std::vector<Finding> diagnose(int) override { return {}; }
  /// The options of the last runner that was opened.
  const RunnerOptions& asked() const { return asked_; }

  std::function<std::unique_ptr<KernelCompiler>()> make_compiler;  // empty: the host has none
  std::string driver = "1.2.3, CUDA 13.0";
  std::string library = "13.1.0";

 private:
  std::function<std::unique_ptr<Runner>()> open_;
  std::vector<std::string> uuids_;
  RunnerOptions asked_;
};

/// A GPU; `arrange` sets up its runner.
inline ResolvedDevice fake_gpu(std::function<void(FakeRunner&)> arrange = [](FakeRunner&) {}) {
  const auto open = [arrange = std::move(arrange)] {
    auto runner = std::make_unique<FakeRunner>();
    arrange(*runner);
    return runner;
  };
  return {.spec = h200(),
          .gpu_index = 0,
          .backend = std::make_shared<FakeHost>(open),
          .why_no_gpu = ""};
}

/// A GPU with the regime in its method's name; asked_regime() is the regime with which its last
/// runner was opened.
inline ResolvedDevice fake_gpu_of(const std::string& regime) {
  return fake_gpu([regime](FakeRunner& runner) { runner.regime = regime + ": made up"; });
}
inline std::string_view asked_regime(const ResolvedDevice& device) {
  const auto& host = dynamic_cast<const FakeHost&>(*device.backend);
  return kRegimes[static_cast<size_t>(host.asked().regime)];
}

/// A preset, which runs no kernel.
inline ResolvedDevice fake_preset() {
  return {.spec = h200(), .gpu_index = -1, .backend = nullptr, .why_no_gpu = ""};
}

}  // namespace tilewright::testing
