// A backend without CUDA, for tests: its devices are given.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/backend.hpp"

namespace tilewright::testing {

/// Offers the given devices; compiles and runs with the two factories if they are set.
class FakeBackend : public Backend {
 public:
  explicit FakeBackend(std::vector<DeviceSpec> devices) : devices_(std::move(devices)) {}
  int device_count() const override { return static_cast<int>(devices_.size()); }
  std::string why_no_device() const override { return "the driver is missing"; }
  DeviceSpec device(int index) const override { return devices_.at(static_cast<size_t>(index)); }
  std::string device_uuid(int index) const override { return "GPU-" + std::to_string(index); }
  std::string versions() const override {
    return driver + "\nruntime 13.0\n" + compiler + "\ncublasLt 13.1";
  }
  std::unique_ptr<KernelCompiler> open_compiler() override { return make_compiler(); }
  std::unique_ptr<Runner> open_runner(int, const DeviceSpec& spec, const RunnerOptions&) override {
    return make_runner(spec);
  }
  std::vector<double> probe_wavefronts(int, std::span<const WarpAccess> accesses) override {
    std::vector<double> wavefronts;
    for (const WarpAccess& access : accesses) wavefronts.push_back(probe(access));
    return wavefronts;
  }
  std::unique_ptr<DeviceProber> open_prober(int, const DeviceSpec&) override {
    return make_prober();
  }
  bool has_peer_access(int index, int peer) const override { return are_peers(index, peer); }
  std::unique_ptr<LinkProber> open_link_prober(std::span<const int> gpus,
                                               const DeviceSpec&) override {
    return make_link_prober(gpus);
  }
  std::vector<Finding> diagnose(int index) override {
    return index < 0 ? std::vector<Finding>{} : findings;
  }

  DeviceState device_state(int) override {
    if (states.empty()) return {};
    const DeviceState state = states.front();
    states.erase(states.begin());
    return state;
  }

  std::vector<DeviceState> states;  // answers in this order
  std::string driver = "driver CUDA 13.0";
  std::string compiler = "NVRTC 13.0.88";
  std::function<std::unique_ptr<KernelCompiler>()> make_compiler = [] {
    return std::unique_ptr<KernelCompiler>();
  };
  std::function<std::unique_ptr<Runner>(const DeviceSpec&)> make_runner = [](const DeviceSpec&) {
    return std::unique_ptr<Runner>();
  };
  std::function<std::unique_ptr<DeviceProber>()> make_prober = [] {
    return std::unique_ptr<DeviceProber>();
  };
  std::function<bool(int, int)> are_peers = [](int, int) { return true; };
  std::function<std::unique_ptr<LinkProber>(std::span<const int>)> make_link_prober =
      [](std::span<const int>) { return std::unique_ptr<LinkProber>(); };
  std::vector<Finding> findings;  // returned for a GPU
  std::function<double(const WarpAccess&)> probe = [](const WarpAccess& access) {
    return static_cast<double>(wavefront_count(access).wavefronts);
  };

 private:
  std::vector<DeviceSpec> devices_;
};

inline BackendOrReason no_backend() {
  return {nullptr, "this build has no GPU module"};
}

}  // namespace tilewright::testing
