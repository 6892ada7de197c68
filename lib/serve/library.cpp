#include "serve/library.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "answer/library_choice.hpp"
#include "answer/shipped_choice.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"
#include "serve/answer_memory.hpp"
#include "serve/communicator.hpp"
#include "serve/device_note.hpp"
#include "serve/device_races.hpp"
#include "serve/library_call.hpp"
#include "serve/raced_answer.hpp"
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

ShippedLimits limits_of(const RequestKey& key, AnswerPolicy policy) {
  return {.device_rows = has_device_rows(key),
          .invariant = policy == AnswerPolicy::BatchInvariant,
          .without = {}};
}

}  // namespace

Plan served_plan(const AnswerTable& table, const RequestKey& key) {
  return plan_of(table, key, chosen(table, key, limits_of(key, AnswerPolicy::Plain)));
}

struct Library::Device {
  Device(const State& state, ProcessLibrary& library, int index);

  std::string compute;
  ServedDevice served;
  AnswerMemory<RequestKey, ServedAnswer, RequestHash> plain_answers{kAnswerLimits};
  AnswerMemory<RequestKey, ServedAnswer, RequestHash> invariant_answers{kAnswerLimits};
  auto& answers(AnswerPolicy policy) {
    return policy == AnswerPolicy::BatchInvariant ? invariant_answers : plain_answers;
  }
  DeviceRaces races;
};

struct Library::State {
  AnswerTable table;
  std::string compute;  // of the kernels
  KernelImages images;
  std::string identity;
  ProcessLibrary library;
  std::array<std::once_flag, kMaxDevices> known = {};
  std::array<std::unique_ptr<Device>, kMaxDevices> devices = {};
};

Library::Device::Device(const State& state, ProcessLibrary& library, int index)
    : compute(compute_capability(index)),
      served(state.table, state.images, library),
      races(state.table, served, state.identity) {}

Library::Library(AnswerTable table, KernelImages images, std::string identity)
    : state_(std::make_unique<State>()) {
  state_->compute = format("{}.{}", table.device.compute_major, table.device.compute_minor);
  state_->table = std::move(table);
  state_->images = std::move(images);
  state_->identity = std::move(identity);
}

Library::~Library() = default;

Library::Device& Library::current_device() {
  const auto index = static_cast<size_t>(tilewright::current_device());
  if (index >= kMaxDevices) {
    throw usage_error(
        format("device {}: the library supports the first {} only", index, kMaxDevices));
  }
  State& state = *state_;
  std::call_once(state.known[index], [&] {
    state.devices[index] = std::make_unique<Device>(state, state.library, static_cast<int>(index));
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
    device.served.kernel_of(
        make_plan(kernel.workload, kernel.config, state_->table.device, options));
  }
  const std::vector<AnswerRow>& rows = state_->table.rows;
  const bool wants = std::any_of(rows.begin(), rows.end(), [](const AnswerRow& row) {
    return library_may_answer(row.library_pins);
  });
  if (wants) device.served.library_handle();
}

std::shared_ptr<const ServedAnswer> Library::make_answer(Device& device, const RequestKey& key,
                                                         AnswerPolicy policy) {
  auto answer = std::make_shared<ServedAnswer>();
  ShippedLimits limits = limits_of(key, policy);
  while (!take_answer(device, key, limits, *answer)) {
  }
  answer->without = std::move(limits.without);
  return answer;
}

bool Library::take_answer(Device& device, const RequestKey& key, ShippedLimits& limits,
                          ServedAnswer& answer) {
  const ShippedChoice choice = chosen(state_->table, key, limits);
  // The order of cuBLASLt's sums is not known.
  if (!limits.invariant && device.served.make_pinned(key, choice, answer)) return true;
  if (!limits.invariant && device.served.make_safer(key, choice, answer)) return true;
  const std::string why = device.served.make_own(key, choice, answer);
  if (why.empty()) return true;
  limits.without.push_back(choice.config);
  answer.rejected_configs += format("; not {}: {}", to_string(choice.config), why);
  return false;
}

std::shared_ptr<const ServedAnswer> Library::answer(Device& device, const RequestKey& key,
                                                    AnswerPolicy policy) {
  if (std::shared_ptr<const ServedAnswer> known = device.answers(policy).find(key)) return known;
  const CaptureModeGuard capture_guard;
  const std::shared_ptr<const ServedAnswer> made = make_answer(device, key, policy);
  return device.answers(policy).add(key, made, made->device_bytes());
}

// Null if the product is not raced.
std::shared_ptr<RacedAnswer> Library::race_of(Device& device, const RequestKey& key,
                                              AnswerPolicy policy,
                                              const std::shared_ptr<const ServedAnswer>& plain) {
  return races(policy) ? device.races.race(policy, key, plain) : nullptr;
}

void Library::set_sm_budget(int sms) {
  const int all = state_->table.device.sm_count;
  if (sms < 0 || sms > all) {
    throw usage_error(format("sms is {}, and it must be one of 0 to {}", sms, all));
  }
  sm_budget_ = sms;
}

int64_t Library::workspace_bytes(const RequestKey& key, AnswerPolicy policy) {
  Device& device = current_device();
  const std::shared_ptr<const ServedAnswer> plain = answer(device, key, policy);
  const std::shared_ptr<RacedAnswer> race = race_of(device, key, policy, plain);
  return race ? race->workspace_bytes() : plain->workspace.bytes();
}

int64_t Library::comm_bytes(const RequestKey& key) const {
  const ShippedChoice choice = chosen(state_->table, key, limits_of(key, policy_));
  return room_bytes(peer_store(plan_of(state_->table, key, choice)));
}

void Library::launch(const RequestKey& key, const GemmLaunch& launch, int64_t workspace_bytes,
                     AnswerPolicy policy, Communicator* comm) {
  Device& device = current_device();
  const std::shared_ptr<const ServedAnswer> ready = answer(device, key, policy);
  if (workspace_bytes < ready->workspace.bytes()) {
    throw usage_error(format("workspace_bytes is {}, and the call needs {}", workspace_bytes,
                             ready->workspace.bytes()));
  }
  if (comm != nullptr) return comm->launch(*ready, launch);
  if (const std::shared_ptr<RacedAnswer> race = race_of(device, key, policy, ready)) {
    return race->launch(launch, workspace_bytes);
  }
  // A graph reads the launch's own memory at every replay.
  if (ready->device_bytes() > 0 && is_captured(launch.stream)) device.answers(policy).keep(ready);
  tilewright::launch(*ready, launch);
}

// Null if the kernels do not run on the current device.
std::shared_ptr<const ServedAnswer> Library::answer_here(const RequestKey& key,
                                                         AnswerPolicy policy) {
  try {
    return answer(current_device(), key, policy);
  } catch (const Error& error) {
    if (is_internal(error)) throw;
    return nullptr;
  }
}

std::string Library::why(const RequestKey& key, AnswerPolicy policy) {
  const std::optional<DeviceFingerprint> here = current_device_fingerprint();
  const DeviceSpec& tuned = state_->table.device;
  const std::string note = here ? device_note(*here, tuned) : std::string();
  const bool runs = here && runs_on(*here, tuned);
  const std::shared_ptr<const ServedAnswer> ready = runs ? answer_here(key, policy) : nullptr;
  const ShippedChoice choice =
      ready ? ready->choice : chosen(state_->table, key, limits_of(key, policy));
  std::string text = answer_text(choice, key, policy, ready.get()) + note;
  if (const int sms = workload_of(key).kind.sms; sms > 0) text += format("; on {} SMs", sms);
  if (ready) text += ready->rejected_configs;
  return raced_text(key, policy, choice, ready != nullptr, text);
}

// Adds the state of the race to the line on the plain answer.
std::string Library::raced_text(const RequestKey& key, AnswerPolicy policy,
                                const ShippedChoice& choice, bool is_ready,
                                const std::string& plain) {
  if (!races(policy)) return plain;
  const std::string why_not = why_not_raced(key, choice);
  if (!why_not.empty()) return format("{}; not raced: {}", plain, why_not);
  if (!is_ready) return plain + "; not raced: no GPU here runs it";
  const std::shared_ptr<const DeviceRaces::Entry> known = current_device().races.find(policy, key);
  if (!known) return plain + "; not raced yet: it has not been called";
  return known->race ? known->race->text(plain)
                     : format("{}; not raced: {}", plain, known->why_not);
}

std::string Library::answer_text(const ShippedChoice& choice, const RequestKey& key,
                                 AnswerPolicy policy, const ServedAnswer* ready) {
  std::string source(kAnswerSources[static_cast<size_t>(choice.source)]);
  const bool of_another = choice.row != nullptr && choice.source != AnswerSource::Tuned &&
                          choice.source != AnswerSource::Pinned;
  if (of_another) source += format(", the winner of {}", to_string(choice.row->problem));
  if (has_device_rows(key)) source += ", chosen as for equal groups";
  const std::string& device = state_->table.device.name;
  std::string ours = format("{} for {}: {}", source, device, to_string(choice.config));
  if (policy == AnswerPolicy::BatchInvariant) return ours + "; the same order of sums for every M";
  const std::span<const LibraryPin> pins = pins_of(choice);
  const FoundLibrary& found = state_->library.found();
  const std::optional<int64_t> version = found.version;
  if (ready != nullptr && !ready->why_library.empty()) {
    return format("library for {}: {}; {}", device, first_choice_text(*version),
                  ready->why_library);
  }
  if (pins.empty()) return ours;
  std::string library = library_answer_text(pins, version);
  std::string why_not = why_not_pinned(pins, version, found.why_not, "");
  if (ready != nullptr) {
    if (!ready->library) library.clear();
    why_not = ready->why_not_pinned;
  }
  const std::string answer = library.empty() ? ours : format("library for {}: {}", device, library);
  return why_not.empty() ? answer : format("{}; {}", answer, why_not);
}

}  // namespace tilewright
