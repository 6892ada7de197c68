#include "serve/library.hpp"

#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_state.hpp"
#include "gpu/launch/resident_plan.hpp"
#include "search/among.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr size_t kMostDevices = 64;
// Of a device; beyond them all are forgotten, but for those that captured launches may read.
constexpr size_t kMostRemembered = 1 << 16;

Among chosen(const AnswerTable& table, const RequestKey& key) {
  const Workload workload = workload_of(key);
  const OperandPlaces places = places_of(key);
  const std::optional<Among> among = choose_among(table, workload, places);
  if (among) return *among;
  throw Error(ExitCode::No, why_none_among(table, workload, places));
}

// D of products without depth.
void launch_zeros(const RequestKey& key, const GemmLaunch& launch) {
  const Workload workload = workload_of(key);
  const Problem product = packed_product(workload);
  const int64_t bytes = bytes_of(output_type(product.kind));
  zero_rows(launch.operands.d, product.shape.m, product.shape.n * bytes,
            pitches_of(product, places_of(key)).d * bytes, launch.stream);
}

}  // namespace

/// A launch that is ready for any addresses.
struct Library::Answer {
  std::unique_ptr<PlannedLaunch> launch;
  CallRoom room;
  bool reads_table = false;  // of the host's memory: a captured launch does, too
};

struct Library::Device {
  std::string compute;
  std::shared_mutex mutex;
  std::unordered_map<RequestKey, std::shared_ptr<const Answer>, RequestHash> answers;
  std::vector<std::shared_ptr<const Answer>> kept;
  std::mutex loading;
  std::map<std::vector<uint64_t>, std::unique_ptr<GemmKernel>> kernels;  // by programs
};

struct Library::State {
  AnswerTable table;
  std::string compute;  // that the kernels are for
  KernelImages images;
  std::array<std::once_flag, kMostDevices> known;
  std::array<std::unique_ptr<Device>, kMostDevices> devices;

  const GemmKernel& kernel_of(Device& device, const Plan& plan);
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
      throw internal_error(format("{} is not in this library", to_string(plan.config)));
    }
  }
  kernel = load_gemm_kernel(cubins, plan, {});
  return *kernel;
}

Library::Device& Library::current_device() {
  const auto index = static_cast<size_t>(tilewright::current_device());
  if (index >= kMostDevices) {
    throw usage_error(format("device {}: the library serves the first {}", index, kMostDevices));
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
  const DeviceTurn turn(index);
  const LoadingTurn loading;
  Device& device = current_device();
  for (const ShippedKernel& kernel : state_->table.kernels) {
    PlanOptions options;
    options.places = kernel.places;
    state_->kernel_of(device,
                      make_plan(kernel.workload, kernel.config, state_->table.device, options));
  }
}

std::shared_ptr<const Library::Answer> Library::make_answer(Device& device, const RequestKey& key) {
  const Among among = chosen(state_->table, key);
  const Plan plan = make_plan(workload_of(key), among.config, state_->table.device, among.options);
  const GemmKernel& kernel = state_->kernel_of(device, plan);
  auto answer = std::make_shared<Answer>();
  const Plan resident = resident_plan(plan, kernel);
  answer->launch = kernel.planned(resident);
  const int64_t zeroed = answer->launch->workspace_bytes();
  answer->room = {.zeroed = round_up(zeroed, kWorkspaceAlignment),
                  .scratch = answer->launch->scratch_bytes()};
  answer->reads_table =
      is_group(plan.workload) && plan.config.group_schedule == GroupSchedule::HostPrecompute;
  return answer;
}

std::shared_ptr<const Library::Answer> Library::answer(Device& device, const RequestKey& key) {
  {
    const std::shared_lock<std::shared_mutex> lock(device.mutex);
    const auto at = device.answers.find(key);
    if (at != device.answers.end()) return at->second;
  }
  std::shared_ptr<const Answer> made;
  {
    const LoadingTurn loading;
    made = make_answer(device, key);
  }
  const std::lock_guard<std::shared_mutex> lock(device.mutex);
  if (device.answers.size() >= kMostRemembered) device.answers.clear();
  if (made->reads_table) device.kept.push_back(made);
  return device.answers.emplace(key, std::move(made)).first->second;
}

CallRoom Library::room(const RequestKey& key) {
  if (is_empty(key) || is_sum_of_nothing(key)) return {};
  return answer(current_device(), key)->room;
}

void Library::launch(const RequestKey& key, const GemmLaunch& launch, int64_t workspace_bytes) {
  if (is_sum_of_nothing(key)) return launch_zeros(key, launch);
  const std::shared_ptr<const Answer> ready = answer(current_device(), key);
  if (workspace_bytes < ready->room.bytes()) {
    throw usage_error(
        format("workspace_bytes is {}: the call needs {}", workspace_bytes, ready->room.bytes()));
  }
  GemmLaunch own = launch;
  own.scratch = static_cast<char*>(launch.workspace) + ready->room.zeroed;
  if (ready->room.zeroed > 0) zero(launch.workspace, ready->room.zeroed, launch.stream);
  ready->launch->launch(own);
}

std::string Library::why(const RequestKey& key) {
  if (is_empty(key)) return "nothing to write";
  if (is_sum_of_nothing(key)) return "zeros: K is 0";
  const Among among = chosen(state_->table, key);
  std::string source(kAnswerSources[static_cast<size_t>(among.source)]);
  const bool of_another = among.row != nullptr && among.source != AnswerSource::Tuned &&
                          among.source != AnswerSource::Pinned;
  if (of_another) source += format(", the winner of {}", to_string(among.row->problem));
  return format("{} for {}: {}", source, state_->table.device.name, to_string(among.config));
}

}  // namespace tilewright
