#include "gpu/measure/prepared_launches.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace tilewright {
namespace {

constexpr int kL2Rotations = 3;  // operand sets cover this many times the L2

}  // namespace

double span_us(std::span<const KernelActivity> kernels) {
  uint64_t end = 0;
  for (const KernelActivity& kernel : kernels) end = std::max(end, kernel.end_ns);
  return static_cast<double>(end - kernels.front().start_ns) * 1e-3;
}

PreparedLaunches::PreparedLaunches(const Workload& workload, LaunchTools tools, uint64_t seed,
                                   const DeviceKernels& kernels)
    : tools_(std::move(tools)),
      workload_(workload),
      operands_(workload, kL2Rotations * tools_.device.l2_bytes, seed, kernels),
      verifier_(workload, operands_.set(0), seed, kernels),
      reference_(workload, architecture(tools_.device), tools_.cache),
      hold_(kernels) {}

Plan PreparedLaunches::plan_of(const TileConfig& config) const {
  return make_plan(workload_, config, tools_.device);
}

const LoadedPlan& PreparedLaunches::loaded_plan(const TileConfig& config) {
  const std::string text = to_string(config);
  const auto at = loaded_plans_.find(text);
  if (at != loaded_plans_.end()) return at->second;
  return loaded_plans_.emplace(text, tools_.kernels.load(plan_of(config))).first->second;
}

int PreparedLaunches::roundings_of(const Contender& contender) {
  if (contender.config) return output_roundings(loaded_plan(*contender.config).plan);
  return contender.foreign ? 1 : reference_.roundings();
}

void PreparedLaunches::launch(const Contender& contender, const OperandSet& operands,
                              cudaStream_t stream) {
  if (contender.foreign) {
    tools_.foreign.launch(contender, operands, stream);
  } else if (contender.config) {
    tools_.kernels.launch(loaded_plan(*contender.config), {.operands = operands, .stream = stream});
  } else {
    reference_.launch(contender.reference_algorithm, operands, stream);
  }
}

const OperandSet& PreparedLaunches::next_operands(const OperandSet* excluded) {
  if (tools_.regime != Regime::Hot) return operands_.next(excluded);
  return operands_.set(excluded == &operands_.set(0) && operands_.set_count() > 1 ? 1 : 0);
}

void PreparedLaunches::launch_next(const Contender& contender, const OperandSet* excluded) {
  const OperandSet& operands = next_operands(excluded);
  if (tools_.regime == Regime::Cold) tools_.sweep().open();
  if (tools_.regime == Regime::Hot) launch(contender, operands);
  launch(contender, operands);
}

// The number of kernels that launch_next() starts before the timed ones.
size_t PreparedLaunches::kernels_before(const Contender& contender) const {
  if (tools_.regime == Regime::Rotate) return 0;
  return tools_.regime == Regime::Cold ? 1 : launches_.at(contender.name).kernels;
}

void PreparedLaunches::settle(std::span<const Contender> contenders, ActivityTimer& timer) {
  if (launches_.empty()) {
    if (tools_.regime == Regime::Cold) tools_.sweep().open();
    hold_.begin();
    hold_.release();
  }
  for (const Contender& contender : contenders) count_kernels(contender, timer);
  timer.take();
}

size_t PreparedLaunches::start_round(std::span<const Contender> contenders,
                                     const OperandSet* excluded) {
  const size_t held = hold(contenders);
  const size_t warm_up_kernels = held + warm_up(contenders.front(), excluded);
  for (const Contender& contender : contenders.first(contenders.size() - 1)) {
    launch_next(contender, excluded);
  }
  return warm_up_kernels;
}

std::vector<double> PreparedLaunches::times_of(std::span<const Contender> contenders,
                                               std::span<const KernelActivity> kernels,
                                               size_t warm_up_kernels) const {
  std::vector<double> times;
  size_t at = warm_up_kernels;
  for (const Contender& contender : contenders) {
    const size_t count = launches_.at(contender.name).kernels;
    at += kernels_before(contender);
    if (at + count > kernels.size()) {
      throw environment_error("CUPTI returned fewer kernel records than launches");
    }
    times.push_back(span_us(kernels.subspan(at, count)));
    at += count;
  }
  return times;
}

// Holds the device where it may take less time for a kernel than the host takes to enqueue the next
// one: else a launch's second kernel would be timed with the host's pause before it. Returns the
// number of kernels that this starts.
size_t PreparedLaunches::hold(std::span<const Contender> contenders) {
  // Well above the host's time for a kernel that CUPTI records: on one host 3 us were too few, 6
  // enough.
  constexpr double kHostUs = 25;
  const bool is_short = std::ranges::any_of(contenders, [this](const Contender& contender) {
    const LaunchFacts& facts = launches_.at(contender.name);
    return facts.us < kHostUs * static_cast<double>(facts.kernels);
  });
  if (is_short) hold_.begin();
  return is_short ? 1 : 0;
}

// Starts untimed launches first: since the last round the device has been idle, and its clocks have
// dropped. Returns the number of their kernels.
size_t PreparedLaunches::warm_up(const Contender& contender, const OperandSet* excluded) {
  constexpr double kWarmUpUs = 500;
  constexpr double kMaxLaunches = 32;
  const LaunchFacts& facts = launches_.at(contender.name);
  const auto count =
      static_cast<size_t>(std::clamp(std::ceil(kWarmUpUs / facts.us), 1.0, kMaxLaunches));
  for (size_t i = 0; i < count; ++i) launch(contender, next_operands(excluded));
  return count * facts.kernels;
}

// A reference algorithm may start several kernels, and so may a foreign one, which may compile or
// tune at its first launch; a launch's time spans them all.
void PreparedLaunches::count_kernels(const Contender& contender, ActivityTimer& timer) {
  if (launches_.contains(contender.name)) return;
  timer.take();
  launch(contender, operands_.next());
  const std::vector<KernelActivity> kernels = timer.take();
  if (kernels.empty()) throw environment_error("CUPTI records no kernels; timing needs them");
  if (contender.foreign) {
    launch(contender, operands_.next());
    if (timer.take().size() != kernels.size()) {
      throw Error(ExitCode::WrongResult, "run starts another number of kernels at every launch");
    }
  }
  launches_[contender.name] = {.kernels = kernels.size(), .us = span_us(kernels)};
  if (!is_reference(contender) || !is_group(workload_)) return;
  // A group's reference makes a graph or a list of addresses for each set of operands.
  for (size_t i = 0; i < operands_.set_count(); ++i) launch(contender, operands_.set(i));
}

}  // namespace tilewright
