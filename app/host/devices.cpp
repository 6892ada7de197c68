#include "host/devices.hpp"

#include <thread>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "store/device_preset.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

constexpr const char* kPresetWithoutGpu = "h200";

std::string why_no_gpu(const BackendOrReason& loaded) {
  if (!loaded.backend) return loaded.why_not;
  return loaded.backend->device_count() == 0 ? loaded.backend->why_no_device() : "";
}

ResolvedDevice gpu(const std::shared_ptr<Backend>& backend, int index) {
  const DeviceSpec limits = backend->device(index);
  return {.spec = with_rates(limits, nearest_preset(limits)),
          .gpu_index = index,
          .backend = backend,
          .why_no_gpu = ""};
}

ResolvedDevice preset(std::string_view name, const std::string& why) {
  return {.spec = load_device_preset(name), .gpu_index = -1, .backend = nullptr, .why_no_gpu = why};
}

ResolvedDevice numbered_gpu(const std::string& name, const BackendOrReason& loaded) {
  const std::optional<int64_t> index = parse_count(std::string_view(name).substr(5));
  if (!index) {
    throw usage_error(format("device '{}': write cuda:N with N from 0, such as cuda:0", name));
  }
  const std::string why = why_no_gpu(loaded);
  if (!why.empty()) {
    throw environment_error(format(
        "device '{}': no usable GPU: {}; a preset, such as --device h200, needs none and predicts",
        name, why));
  }
  const int count = loaded.backend->device_count();
  if (*index >= count) {
    throw environment_error(format("device '{}': this host has {} GPU{}, numbered from cuda:0",
                                   name, count, count == 1 ? "" : "s"));
  }
  return gpu(loaded.backend, static_cast<int>(*index));
}

// All GPUs must be of one model, because one artefact gets their winners.
std::vector<ResolvedDevice> all_gpus(const BackendOrReason& loaded) {
  if (const std::string why = why_no_gpu(loaded); !why.empty()) {
    throw environment_error(format("device 'all': no usable GPU: {}", why));
  }
  std::vector<ResolvedDevice> devices;
  const int count = loaded.backend->device_count();
  devices.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    devices.push_back(gpu(loaded.backend, i));
    const DeviceFingerprint first = fingerprint(devices.front().spec, false);
    const DeviceFingerprint now = fingerprint(devices.back().spec, false);
    if (same_architecture(first, now)) continue;
    throw environment_error(
        format("device 'all': cuda:0 is {}, cuda:{} is {}; the winners of one GPU model do not "
               "apply to another: name one of the GPUs",
               to_string(first), i, to_string(now)));
  }
  return devices;
}

DeviceState state_of(const ResolvedDevice& device) {
  return device.gpu_index < 0 ? DeviceState{} : device.backend->device_state(device.gpu_index);
}

// Why times on a GPU are not reliable: other processes that compute there, or heat; empty if
// neither.
std::string disturbance(const DeviceState& state) {
  if (state.processes.empty()) {
    return state.is_thermally_throttled ? "the GPU reduces its clock because of heat" : "";
  }
  return format("{} other process{} on the GPU: {}", state.processes.size(),
                state.processes.size() == 1 ? " computes" : "es compute",
                join(state.processes, ", "));
}

}  // namespace

DeviceWatch::DeviceWatch(const ResolvedDevice& device, std::ostream& err, bool shared,
                         Patience patience)
    : device_(device), err_(err), shared_(shared), before_(state_of(device)) {
  std::string others = disturbance(before_);
  if (others.empty()) return;
  err_ << format("{}; this disturbs every measured time{}\n", others,
                 shared ? ""
                        : format("; waiting up to {} s for its end", patience.most.count() / 1000))
       << std::flush;
  if (shared) return;
  const auto begin = std::chrono::steady_clock::now();
  while (!others.empty()) {
    if (std::chrono::steady_clock::now() - begin >= patience.most) {
      throw Error(ExitCode::Inconclusive,
                  format("{}: times would be meaningless; measure later, or add --shared", others));
    }
    throw_if_interrupted();
    std::this_thread::sleep_for(patience.step);
    before_ = state_of(device_);
    others = disturbance(before_);
  }
}

ExitCode DeviceWatch::report_disturbances(ExitCode code) {
  if (has_reported_) return code;
  has_reported_ = true;
  const DeviceState after = state_of(device_);
  const size_t expected = before_.processes.size() + 1;  // plus our worker
  const bool came = after.processes.size() > expected;
  if (came) {
    err_ << format(
        "another process started to use the GPU during the run: {}; measure again without it\n",
        join(after.processes, ", "));
  }
  const double heat_s = after.thermal_throttled_s - before_.thermal_throttled_s;
  constexpr double kNoticeable = 0.1;
  if (heat_s > kNoticeable) {
    err_ << format("the GPU reduced its clock because of heat for {:.1f} s during the run\n",
                   heat_s);
  }
  return came && !shared_ && code == ExitCode::Good ? ExitCode::Inconclusive : code;
}

DeviceWatch::~DeviceWatch() {
  try {
    report_disturbances(ExitCode::Good);
  } catch (const Error&) {
    // The GPU is gone; the code that used it reports that.
  }
}

std::unique_ptr<Runner> open_runner(const ResolvedDevice& device, const RunnerOptions& options) {
  std::vector<std::string> command = device.backend->runner_command(device.gpu_index, options);
  if (command.empty()) return device.backend->open_runner(device.gpu_index, device.spec, options);
  return make_worker_runner(std::move(command), device.spec);
}

ResolvedDevice resolve_device(const std::string& name, const BackendLoader& load) {
  if (name == "auto") {
    const BackendOrReason loaded = load();
    const std::string why = why_no_gpu(loaded);
    return why.empty() ? gpu(loaded.backend, 0) : preset(kPresetWithoutGpu, why);
  }
  if (name == "cuda") return numbered_gpu("cuda:0", load());
  if (name.rfind("cuda:", 0) == 0) return numbered_gpu(name, load());
  return preset(name, "");
}

std::vector<ResolvedDevice> resolve_devices(const std::string& name, const Rank& rank,
                                            const BackendLoader& load) {
  if (name == "all") return all_gpus(load());
  if (name != "auto" || rank.size == 1) return {resolve_device(name, load)};
  const BackendOrReason loaded = load();
  if (const std::string why = why_no_gpu(loaded); !why.empty()) {
    throw environment_error(
        format("rank {} of {} has no GPU: {}; --device h200 predicts without one", rank.rank,
               rank.size, why));
  }
  // The launcher may show each rank only one GPU.
  const int count = loaded.backend->device_count();
  if (count == 1 || rank.local < 0) return {gpu(loaded.backend, 0)};
  if (rank.local < count) return {gpu(loaded.backend, rank.local)};
  throw environment_error(
      format("rank {} of {} is number {} of its host, counted from 0, and the host has {} GPUs: "
             "start one rank for each GPU, or one for each host with --device all",
             rank.rank, rank.size, rank.local, count));
}

}  // namespace tilewright
