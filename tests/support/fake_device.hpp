// A device of this host that runs on a FakeRunner.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "devices.hpp"
#include "support/devices.hpp"
#include "support/fake_backend.hpp"
#include "support/fake_runner.hpp"

namespace tilewright::testing {

/// A GPU whose runner `arrange` sets up.
inline ResolvedDevice fake_gpu(std::function<void(FakeRunner&)> arrange = [](FakeRunner&) {}) {
  auto backend = std::make_shared<FakeBackend>(std::vector<DeviceSpec>{h200()});
  backend->make_runner = [arrange = std::move(arrange)](const DeviceSpec&) {
    auto runner = std::make_unique<FakeRunner>();
    arrange(*runner);
    return runner;
  };
  return {.spec = h200(), .gpu_index = 0, .backend = backend, .why_no_gpu = ""};
}

/// A preset: nothing runs.
inline ResolvedDevice fake_preset() {
  return {.spec = h200(), .gpu_index = -1, .backend = nullptr, .why_no_gpu = ""};
}

}  // namespace tilewright::testing
