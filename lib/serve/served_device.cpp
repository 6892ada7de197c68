#include "serve/served_device.hpp"

#include <utility>

#include "answer/library_choice.hpp"
#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"
#include "gpu/launch/resident_plan.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// In graphs of 20 launches, measured beside torch.matmul, an early start made launches below 10 us
// a tenth faster; longer ones gained nothing or lost up to 2 % (H200, 2026-11-25).
constexpr double kShortUs = 20;

std::string why_unaligned(const RequestKey& key) {
  return has_unaligned_scales(key) ? "it needs factors at multiples of 16 bytes" : "";
}

// cuBLASLt loads its kernels at the first launch, which is not possible during a capture.
void launch_library(const ServedAnswer& answer, const GemmLaunch& launch) {
  if (answer.has_run.load(std::memory_order_relaxed)) {
    return tilewright::launch(*answer.library, launch);
  }
  const CaptureModeGuard capture_guard;
  tilewright::launch(*answer.library, launch);
  answer.has_run = true;
}

}  // namespace

WorkspaceSize workspace_of(const LaunchMemory& memory) {
  return {.zeroed = round_up(memory.zeroed, kWorkspaceAlignment), .scratch = memory.scratch};
}

void launch(const ServedAnswer& answer, const GemmLaunch& launch) {
  if (answer.library) return launch_library(answer, launch);
  GemmLaunch own = launch;
  own.scratch = static_cast<char*>(launch.workspace) + answer.workspace.zeroed;
  own.overlaps = answer.overlaps;
  if (answer.workspace.zeroed > 0) zero(launch.workspace, answer.workspace.zeroed, launch.stream);
  answer.launch->launch(own);
}

std::span<const LibraryPin> pins_of(const ShippedChoice& choice) {
  if (choice.source != AnswerSource::Tuned || !library_may_answer(choice.row->library_pins))
    return {};
  return choice.row->library_pins;
}

Plan plan_of(const AnswerTable& table, const RequestKey& key, const ShippedChoice& choice) {
  PlanOptions options = choice.options;
  options.rank = rank_of(key);
  return make_plan(workload_of(key), choice.config, table.device, options);
}

const FoundLibrary& ProcessLibrary::found() {
  std::call_once(is_looked_for_, [this] { found_ = find_cublaslt(); });
  return found_;
}

const GemmKernel& ServedDevice::kernel_of(const Plan& plan) {
  const std::vector<uint64_t> programs = program_ids(plan);
  const std::lock_guard<std::mutex> lock(loading_);
  std::unique_ptr<GemmKernel>& kernel = kernels_[programs];
  if (kernel) return *kernel;
  std::vector<std::string> cubins;
  for (const uint64_t program : programs) {
    cubins.push_back(images_(program));
    if (cubins.back().empty()) {
      throw internal_error(format("this library has no {}", to_string(plan.config)));
    }
  }
  kernel = load_gemm_kernel(cubins, plan, {});
  return *kernel;
}

// Never destroyed: other threads may launch with it until the process ends.
cublasLtHandle_t ServedDevice::library_handle() {
  const FoundLibrary& found = found_library();
  if (!found.version) return nullptr;
  const std::lock_guard<std::mutex> lock(loading_);
  const bool is_there =
      handle_ != nullptr || found.functions.create(&handle_) == CUBLAS_STATUS_SUCCESS;
  return is_there ? handle_ : nullptr;
}

std::string ServedDevice::make_own(const RequestKey& key, const ShippedChoice& choice,
                                   ServedAnswer& answer) {
  answer.choice = choice;
  const Plan plan = plan_of(table_, key, choice);
  const GemmKernel& kernel = kernel_of(plan);
  if (std::string why = why_not_resident(plan, kernel); !why.empty()) return why;
  answer.launch = kernel.make_launch(resident_plan(plan, kernel));
  answer.workspace = workspace_of(
      {.zeroed = answer.launch->workspace_bytes(), .scratch = answer.launch->scratch_bytes()});
  answer.overlaps =
      !is_group(plan.workload) && !is_across_gpus(plan.workload) && choice.predicted_us <= kShortUs;
  answer.store = peer_store(plan);
  answer.sent = sent_rows(plan);
  return "";
}

bool ServedDevice::make_pinned(const RequestKey& key, const ShippedChoice& choice,
                               ServedAnswer& answer) {
  const std::span<const LibraryPin> pins = pins_of(choice);
  if (pins.empty()) return false;
  LibraryResolution resolution =
      resolve_library_call(found_library(), library_handle(), pins, problem_of(workload_of(key), 0),
                           places_of(key), why_unaligned(key));
  answer.choice = choice;
  answer.why_not_pinned = std::move(resolution.why_not_pinned);
  answer.library = resolution.call;
  if (!answer.library) return false;
  answer.workspace.scratch = answer.library->workspace_bytes;
  return true;
}

bool ServedDevice::make_safer(const RequestKey& key, const ShippedChoice& choice,
                              ServedAnswer& answer) {
  if (is_of_product(choice.source)) return false;
  const std::shared_ptr<const ServedAnswer> first = make_first_choice(key);
  if (!first) return false;
  const std::optional<AlgorithmMapping>& mapping = first->library->mapping;
  const Workload workload = workload_of(key);
  std::optional<double> library_us;
  if (mapping) library_us = predicted_library_us(workload, *mapping, table_.device);
  const double own_us = replay_us(plan_of(table_, key, choice), table_.device);
  if (is_surely_faster(own_us, library_us)) return false;
  answer.choice = choice;
  answer.library = first->library;
  answer.workspace = first->workspace;
  const std::string own = to_string(choice.config);
  answer.why_library = library_us
                           ? format("{} is predicted at {:.3f} of its time, too near to be sure",
                                    own, own_us / *library_us)
                           : format("the model cannot compare its algorithm with {}", own);
  return true;
}

std::shared_ptr<const ServedAnswer> ServedDevice::make_first_choice(const RequestKey& key) {
  const Workload workload = workload_of(key);
  const bool may_ask =
      table_.asks_library && is_product(workload) && !is_shared(key) && why_unaligned(key).empty();
  if (!may_ask || !found_library().version) return nullptr;
  auto answer = std::make_shared<ServedAnswer>();
  answer->library =
      first_choice_call(found_library(), library_handle(), problem_of(workload, 0), places_of(key));
  if (!answer->library) return nullptr;
  answer->workspace.scratch = answer->library->workspace_bytes;
  return answer;
}

}  // namespace tilewright
