#include "gpu/measure/diagnosis.hpp"

#include <unistd.h>

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/library_check.hpp"
#include "gpu/compile/nvrtc.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/reference_library.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/measure/activity_timer.hpp"
#include "gpu/measure/range_profiler.hpp"

namespace tilewright {
namespace {

constexpr double kMebibyte = 1 << 20;

Finding ok(const char* subject, const std::string& detail) {
  return {subject, Health::Ok, detail, ""};
}

Finding problem(const char* subject, const std::string& detail, const std::string& advice) {
  return {subject, Health::Problem, detail, advice};
}

std::string version_text(int version) {
  return format("{}.{}", version / 1000, version % 1000 / 10);
}

Finding driver() {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const std::string built = format("runtime {}", version_text(runtime));
  if (driver == 0) {
    return problem("driver", format("none; {}", built), "install NVIDIA's driver, or use a preset");
  }
  const std::string both = format("CUDA {}; {}", version_text(driver), built);
  if (driver / 1000 < runtime / 1000) {
    return problem("driver", both, "install a driver that is at least as new as the runtime");
  }
  return ok("driver", both);
}

Finding timing() {
  uint32_t version = 0;
  if (cuptiGetVersion(&version) != CUPTI_SUCCESS) {
    return problem("CUPTI", "does not answer", "install the CUPTI of the same CUDA Toolkit");
  }
  return ok("CUPTI", format("API {}", version));
}

Finding cubin_cache(const CubinCache& cache) {
  if (cache.folder().path.empty()) {
    return problem("cubin cache", "none: every run compiles its kernels", cache.folder().why_not);
  }
  const std::string folder = cache.folder().path.string();
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    return problem("cubin cache", format("{} cannot be written", folder),
                   "set TILEWRIGHT_CACHE_DIR to a writable folder");
  }
  const CacheUsage usage = cache.usage();
  return ok("cubin cache",
            format("{}, {} file{}, {:.1f} of at most {:.0f} MiB", folder, usage.files,
                   usage.files == 1 ? "" : "s", static_cast<double>(usage.bytes) / kMebibyte,
                   static_cast<double>(kCacheBytes) / kMebibyte));
}

int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  TW_CHECK(cudaDeviceGetAttribute(&value, which, index));
  return value;
}

Finding compute_mode(int index) {
  const int mode = attribute(cudaDevAttrComputeMode, index);
  if (mode == cudaComputeModeProhibited) {
    return problem("compute mode", "prohibited", "as root: nvidia-smi -c DEFAULT");
  }
  return ok("compute mode", mode == cudaComputeModeDefault ? "default" : "exclusive process");
}

Finding partition(const std::string& name) {
  if (name.find("MIG") == std::string::npos) return ok("MIG", "the whole GPU");
  return problem("MIG", name,
                 "the rates of a slice differ from the preset's: run device calibrate");
}

Finding memory() {
  constexpr double kOwnContextMebibytes = 1024;  // ours is below that on every architecture
  size_t free = 0;
  size_t total = 0;
  TW_CHECK(cudaMemGetInfo(&free, &total));
  const double used = static_cast<double>(total - free) / kMebibyte;
  const std::string text =
      format("{:.0f} MiB free of {:.0f} MiB", static_cast<double>(free) / kMebibyte,
             static_cast<double>(total) / kMebibyte);
  if (used <= kOwnContextMebibytes) return ok("memory", text);
  return problem(
      "memory", format("{}: another process holds some of it", text),
      "nvidia-smi shows its process; the work of other processes disturbs every measured time");
}

Finding clocks(const DeviceState& state) {
  if (!state.why_not.empty()) {
    return {"clocks", Health::Unknown, state.why_not, "nvidia-smi -q -d CLOCK,POWER shows them"};
  }
  const std::string text = format(
      "SM {} of at most {} MHz, {:.0f} of at most {:.0f} W; since the driver was loaded, power "
      "limited the clock for {:.0f} s and heat for {:.0f} s",
      state.sm_mhz, state.max_sm_mhz, state.watts, state.power_limit_watts, state.power_throttled_s,
      state.thermal_throttled_s);
  return ok("clocks", text);
}

Finding others(const DeviceState& state) {
  if (state.processes.empty()) return ok("processes", "no other process computes on it");
  return problem(
      "processes",
      format("{} compute on it: {}", state.processes.size(), join(state.processes, ", ")),
      "their work disturbs every measured time");
}

void launch(const LoadedKernel& delay) {
  unsigned long long nanoseconds = 1000;
  void* arguments[] = {&nanoseconds};
  delay.launch({.ctas = 1, .threads = 1}, arguments, nullptr);
}

Finding activity_records(const LoadedKernel& kernel) {
  ActivityTimer timer;
  launch(kernel);
  if (timer.take().empty()) {
    return problem("kernel timing", "CUPTI records no kernels",
                   "end other profilers of this process");
  }
  return ok("kernel timing", "CUPTI activity records arrive");
}

Finding counters(const LoadedKernel& kernel, int index) {
  const MetricSeries reading =
      read_metrics_each({"dram__bytes_read.sum"}, index, 1, [&](size_t) { launch(kernel); });
  if (reading.why_not.empty()) return ok("counters", "permitted");
  return problem("counters", reading.why_not,
                 "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0");
}

}  // namespace

std::string no_device_reason(int driver_version, const std::string& runtime_says) {
  return driver_version == 0 ? "no NVIDIA driver" : runtime_says;
}

std::vector<Finding> diagnose_libraries(const CubinCache& cache) {
  return {driver(), ok("NVRTC", compiler_version()), timing(),
          ok("cuBLASLt", format("{}, 64 MiB workspace", ReferenceLibrary::version())),
          cubin_cache(cache)};
}

std::vector<Finding> diagnose_device(int index, const DeviceState& state, const CubinCache& cache) {
  cudaDeviceProp properties{};
  TW_CHECK(cudaGetDeviceProperties(&properties, index));
  const std::string target =
      format("sm_{}{}{}", properties.major, properties.minor, properties.major >= 9 ? "a" : "");
  std::vector<Finding> findings = {
      ok("GPU", format("cuda:{} {} ({})", index, properties.name, target)), compute_mode(index),
      partition(properties.name), clocks(state), others(state)};
  TW_CHECK(cudaSetDevice(index));
  findings.push_back(memory());
  const LoadedKernel kernel(
      build_cubin({.file = "tools/delay.cu", .config_header = ""}, target, cache), "delay");
  const auto tried = [&](const char* subject, const auto& check) {
    try {
      findings.push_back(check());
    } catch (const Error& error) {
      findings.push_back(problem(subject, error.what(), "see NVIDIA's CUPTI documentation"));
    }
  };
  tried("kernel timing", [&] { return activity_records(kernel); });
  tried("counters", [&] { return counters(kernel, index); });
  return findings;
}

}  // namespace tilewright
