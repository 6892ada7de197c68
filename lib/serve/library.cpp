#include "serve/library.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "answer/library_choice.hpp"
#include "answer/shipped_choice.hpp"
#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"
#include "gpu/launch/resident_plan.hpp"
#include "serve/answer_memory.hpp"
#include "serve/cublaslt.hpp"
#include "serve/device_note.hpp"
#include "serve/library_call.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr size_t kMaxDevices = 64;
// The library keeps at most so many answers for a device. An answer for a group may hold a table in
// the device's memory.
constexpr AnswerLimits kAnswerLimits{.count = 1 << 16, .device_bytes = int64_t{64} << 20};

ShippedChoice chosen(const AnswerTable& table, const RequestKey& key, const ShippedLimits& limits) {
  const Workload workload = workload_of(key);
  const OperandPlaces places = places_of(key);
  const std::optional<ShippedChoice> choice = choose_shipped(table, workload, places, limits);
  if (choice) return *choice;
  throw Error(ExitCode::No, why_none_shipped(table, workload, places, limits));
}

ShippedLimits limits_of(const RequestKey& key) {
  return {.device_rows = has_device_rows(key), .without = {}};
}

Plan plan_of(const AnswerTable& table, const RequestKey& key, const ShippedChoice& choice) {
  return make_plan(workload_of(key), choice.config, table.device, choice.options);
}

// The pins of a tuned product if any of them uses cuBLASLt; else none.
std::span<const LibraryPin> pins_of(const ShippedChoice& choice) {
  if (choice.source != AnswerSource::Tuned || !library_may_answer(choice.row->library_pins))
    return {};
  return choice.row->library_pins;
}

}  // namespace

Plan served_plan(const AnswerTable& table, const RequestKey& key) {
  return plan_of(table, key, chosen(table, key, limits_of(key)));
}

/// A launch that is ready for any addresses: by cuBLASLt or by a kernel of ours.
struct Library::Answer {
  ShippedChoice choice;
  std::string rejected_configs = {};  // configs that the device cannot run, and why
  std::optional<LibraryCall> library;
  std::string why_not_pinned;  // why no pinned algorithm answers; empty without pins
  mutable std::atomic<bool> has_run = false;
  std::unique_ptr<PlannedLaunch> launch;
  WorkspaceSize workspace;
  bool overlaps = false;  // GemmLaunch::overlaps

  int64_t device_bytes() const { return launch == nullptr ? 0 : launch->device_bytes(); }
};

struct Library::Device {
  std::string compute;
  AnswerMemory<RequestKey, Answer, RequestHash> answers{kAnswerLimits};
  std::mutex loading;
  std::map<std::vector<uint64_t>, std::unique_ptr<GemmKernel>> kernels;  // by programs
  cublasLtHandle_t library = nullptr;                                    // once a row uses it
};

struct Library::State {
  AnswerTable table;
  std::string compute;  // of the kernels
  KernelImages images;
  std::array<std::once_flag, kMaxDevices> known;
  std::array<std::unique_ptr<Device>, kMaxDevices> devices;

  std::once_flag is_looked_for;
  FoundLibrary library;

  const GemmKernel& kernel_of(Device& device, const Plan& plan);
  /// The cuBLASLt that the process has when a row first uses it.
  const FoundLibrary& found_library();
  /// The handle for the current device; null if the process has no cuBLASLt, or cuBLASLt fails to
  /// create one.
  cublasLtHandle_t library_handle(Device& device);
};

Library::Library(AnswerTable table, KernelImages images) : state_(std::make_unique<State>()) {
  state_->compute = format("{}.{}", table.device.compute_major, table.device.compute_minor);
  state_->table = std::move(table);
  state_->images = std::move(images);
}

Library::~Library() = default;

const GemmKernel& Library::State::kernel_of(Device& device, const Plan& plan) {
  const std::vector<uint64_t> programs = program_ids(plan);
  const std::lock_guard<std::mutex> lock(device.loading);
  std::unique_ptr<GemmKernel>& kernel = device.kernels[programs];
  if (kernel) return *kernel;
  std::vector<std::string> cubins;
  for (const uint64_t program : programs) {
    cubins.push_back(images(program));
    if (cubins.back().empty()) {
      throw internal_error(format("this library has no {}", to_string(plan.config)));
    }
  }
  kernel = load_gemm_kernel(cubins, plan, {});
  return *kernel;
}

const FoundLibrary& Library::State::found_library() {
  std::call_once(is_looked_for, [this] { library = find_cublaslt(); });
  return library;
}

// Never destroyed: other threads may launch with it until the process ends.
cublasLtHandle_t Library::State::library_handle(Device& device) {
  const FoundLibrary& found = found_library();
  if (!found.version) return nullptr;
  const std::lock_guard<std::mutex> lock(device.loading);
  const bool is_there =
      device.library != nullptr || found.functions.create(&device.library) == CUBLAS_STATUS_SUCCESS;
  return is_there ? device.library : nullptr;
}

Library::Device& Library::current_device() {
  const auto index = static_cast<size_t>(tilewright::current_device());
  if (index >= kMaxDevices) {
    throw usage_error(
        format("device {}: the library supports the first {} only", index, kMaxDevices));
  }
  State& state = *state_;
  std::call_once(state.known[index], [&] {
    auto device = std::make_unique<Device>();
    device->compute = compute_capability(static_cast<int>(index));
    state.devices[index] = std::move(device);
  });
  Device& device = *state.devices[index];
  if (device.compute != state.compute) {
    throw Error(ExitCode::No,
                format("unsupported device: the kernels are for compute capability {}, "
                       "and device {} has {}",
                       state.compute, index, device.compute));
  }
  return device;
}

void Library::prepare(int index) {
  const DeviceGuard guard(index);
  const CaptureModeGuard capture_guard;
  Device& device = current_device();
  for (const ShippedKernel& kernel : state_->table.kernels) {
    PlanOptions options;
    options.places = kernel.places;
    state_->kernel_of(device,
                      make_plan(kernel.workload, kernel.config, state_->table.device, options));
  }
  const std::vector<AnswerRow>& rows = state_->table.rows;
  const bool wants = std::any_of(rows.begin(), rows.end(), [](const AnswerRow& row) {
    return library_may_answer(row.library_pins);
  });
  if (wants) state_->library_handle(device);
}

std::shared_ptr<const Library::Answer> Library::make_answer(Device& device, const RequestKey& key) {
  auto answer = std::make_shared<Answer>();
  ShippedLimits limits = limits_of(key);
  while (!take_answer(device, key, limits, *answer)) {
  }
  return answer;
}

bool Library::take_answer(Device& device, const RequestKey& key, ShippedLimits& limits,
                          Answer& answer) {
  const ShippedChoice choice = chosen(state_->table, key, limits);
  answer.choice = choice;
  if (const std::span<const LibraryPin> pins = pins_of(choice); !pins.empty()) {
    LibraryResolution resolution = resolve_library_call(
        state_->found_library(), state_->library_handle(device), pins,
        problem_of(workload_of(key), 0), places_of(key),
        has_unaligned_scales(key) ? "it needs factors at multiples of 16 bytes" : "");
    answer.why_not_pinned = std::move(resolution.why_not_pinned);
    answer.library = resolution.call;
    if (answer.library) {
      answer.workspace.scratch = answer.library->workspace_bytes;
      return true;
    }
  }
  const Plan plan = plan_of(state_->table, key, choice);
  const GemmKernel& kernel = state_->kernel_of(device, plan);
  if (const std::string why = why_not_resident(plan, kernel); !why.empty()) {
    limits.without.push_back(choice.config);
    answer.rejected_configs += format("; not {}: {}", to_string(choice.config), why);
    return false;
  }
  answer.launch = kernel.make_launch(resident_plan(plan, kernel));
  const int64_t zeroed = answer.launch->workspace_bytes();
  answer.workspace = {.zeroed = round_up(zeroed, kWorkspaceAlignment),
                      .scratch = answer.launch->scratch_bytes()};
  // In graphs of 20 launches, measured beside torch.matmul, an early start made launches below 10
  // us a tenth faster; longer ones gained nothing or lost up to 2 % (H200, 2026-11-25).
  constexpr double kShortUs = 20;
  answer.overlaps = !is_group(plan.workload) && choice.predicted_us <= kShortUs;
  return true;
}

std::shared_ptr<const Library::Answer> Library::answer(Device& device, const RequestKey& key) {
  if (std::shared_ptr<const Answer> known = device.answers.find(key)) return known;
  const CaptureModeGuard capture_guard;
  const std::shared_ptr<const Answer> made = make_answer(device, key);
  return device.answers.add(key, made, made->device_bytes());
}

WorkspaceSize Library::workspace_size(const RequestKey& key) {
  return answer(current_device(), key)->workspace;
}

// cuBLASLt loads its kernels at the first launch, which is not possible during a capture.
void Library::launch_library(const Answer& answer, const GemmLaunch& launch) {
  if (answer.has_run.load(std::memory_order_relaxed)) {
    return tilewright::launch(*answer.library, launch);
  }
  const CaptureModeGuard capture_guard;
  tilewright::launch(*answer.library, launch);
  answer.has_run = true;
}

void Library::launch(const RequestKey& key, const GemmLaunch& launch, int64_t workspace_bytes) {
  Device& device = current_device();
  const std::shared_ptr<const Answer> ready = answer(device, key);
  if (workspace_bytes < ready->workspace.bytes()) {
    throw usage_error(format("workspace_bytes is {}, and the call needs {}", workspace_bytes,
                             ready->workspace.bytes()));
  }
  if (ready->library) return launch_library(*ready, launch);
  // A graph reads the launch's own memory at every replay.
  if (ready->device_bytes() > 0 && is_captured(launch.stream)) device.answers.keep(ready);
  GemmLaunch own = launch;
  own.scratch = static_cast<char*>(launch.workspace) + ready->workspace.zeroed;
  own.overlaps = ready->overlaps;
  if (ready->workspace.zeroed > 0) zero(launch.workspace, ready->workspace.zeroed, launch.stream);
  ready->launch->launch(own);
}

// Null if the kernels do not run on the current device.
std::shared_ptr<const Library::Answer> Library::answer_here(const RequestKey& key) {
  try {
    return answer(current_device(), key);
  } catch (const Error& error) {
    if (is_internal(error)) throw;
    return nullptr;
  }
}

std::string Library::why(const RequestKey& key) {
  const std::optional<DeviceFingerprint> here = current_device_fingerprint();
  const DeviceSpec& tuned = state_->table.device;
  const std::string note = here ? device_note(*here, tuned) : std::string();
  const bool runs = here && runs_on(*here, tuned);
  const std::shared_ptr<const Answer> ready = runs ? answer_here(key) : nullptr;
  if (!ready) {
    return answer_text(chosen(state_->table, key, limits_of(key)), key, nullptr) + note;
  }
  return answer_text(ready->choice, key, ready.get()) + note + ready->rejected_configs;
}

std::string Library::answer_text(const ShippedChoice& choice, const RequestKey& key,
                                 const Answer* ready) {
  std::string source(kAnswerSources[static_cast<size_t>(choice.source)]);
  const bool of_another = choice.row != nullptr && choice.source != AnswerSource::Tuned &&
                          choice.source != AnswerSource::Pinned;
  if (of_another) source += format(", the winner of {}", to_string(choice.row->problem));
  if (has_device_rows(key)) source += ", chosen as for equal groups";
  const std::string& device = state_->table.device.name;
  std::string ours = format("{} for {}: {}", source, device, to_string(choice.config));
  const std::span<const LibraryPin> pins = pins_of(choice);
  if (pins.empty()) return ours;
  const std::optional<int64_t> version = state_->found_library().version;
  std::string library = library_answer_text(pins, version);
  std::string why_not = why_not_pinned(pins, version, state_->found_library().why_not, "");
  if (ready != nullptr) {
    if (!ready->library) library.clear();
    why_not = ready->why_not_pinned;
  }
  const std::string answer = library.empty() ? ours : format("library for {}: {}", device, library);
  return why_not.empty() ? answer : format("{}; {}", answer, why_not);
}

}  // namespace tilewright
