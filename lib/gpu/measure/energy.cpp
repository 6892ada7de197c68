#include "gpu/measure/energy.hpp"

#include <chrono>
#include <optional>

#include "base/interruption.hpp"
#include "gpu/measure/launch_loop.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A step of the energy counter.
struct Step {
  double joules = 0;
  Clock::time_point at;
  double launches = 0;
};

std::optional<Step> next_step(const GpuMonitor& monitor, LaunchLoop& loop) {
  constexpr double kPatience = 2;
  const std::optional<double> before = monitor.joules();
  const Clock::time_point begin = Clock::now();
  while (before && seconds_since(begin) < kPatience) {
    throw_if_interrupted();
    loop.advance();
    const std::optional<double> now = monitor.joules();
    if (now && *now != *before) return Step{*now, Clock::now(), loop.launches()};
  }
  return std::nullopt;
}

}  // namespace

EnergyReading measure_energy(const GpuMonitor& monitor, double seconds,
                             const std::function<void(cudaStream_t)>& launch) {
  constexpr double kWarmUp = 0.2;
  const std::string none = "the device's energy counter cannot be read, or does not advance";
  if (!monitor.joules()) return {.why_not = none};
  LaunchLoop loop(launch);
  for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < kWarmUp;) {
    loop.advance();
  }
  const std::optional<Step> first = next_step(monitor, loop);
  if (!first) return {.why_not = none};
  while (seconds_since(first->at) < seconds) {
    throw_if_interrupted();
    loop.advance();
  }
  const std::optional<Step> last = next_step(monitor, loop);
  if (!last) return {.why_not = none};
  const double launches = last->launches - first->launches;
  const double elapsed = std::chrono::duration<double>(last->at - first->at).count();
  return {.energy = Energy{.joules = (last->joules - first->joules) / launches,
                           .us = 1e6 * elapsed / launches}};
}

}  // namespace tilewright
