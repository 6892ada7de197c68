#include <dlfcn.h>

#include <atomic>
#include <filesystem>

#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "gpu/backend.hpp"

namespace tilewright {
namespace {

constexpr const char* kModule = "tilewright_gpu.so";

BackendOrReason open_module() {
  std::error_code ignored;
  const std::filesystem::path module = program_folder() / kModule;
  if (!std::filesystem::exists(module, ignored)) {
    return {.backend = nullptr, .why_not = "this build has no GPU support (no CUDA Toolkit)"};
  }
  void* const handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {.backend = nullptr,
            .why_not = format("the CUDA libraries cannot be loaded: {}", dlerror())};
  }
  using Open = Backend*(const std::atomic<bool>&);
  auto* const open = reinterpret_cast<Open*>(dlsym(handle, "tilewright_open_backend"));
  if (open == nullptr) return {.backend = nullptr, .why_not = format("{}: {}", kModule, dlerror())};
  return {.backend = std::shared_ptr<Backend>(open(interruption_flag())), .why_not = {}};
}

}  // namespace

BackendOrReason load_backend() {
  static const BackendOrReason loaded = open_module();
  return loaded;
}

}  // namespace tilewright
