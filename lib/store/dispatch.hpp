// A config for a product that was not tuned, out of the winners of those that were.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/best_table.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// Where an answer comes from: an entry of this problem, the winner of another one of its kind, or
/// the model alone.
enum class Source { Tuned, Dispatched, Fallback };

inline constexpr std::string_view kSources[] = {"tuned", "dispatched", "fallback"};

/// An answer. What was not tuned has no times but the model's.
struct Dispatched {
  TuneEntry entry;
  Source source = Source::Tuned;
  Workload from;  // whose winner it is; of a fallback the problem itself
  std::optional<double> predicted_regret = {};  // its time over the model's best, less 1
};

/// A tuned winner this much behind the model's own best, by the model, gives way to that.
inline constexpr double kMostRegret = 0.10;

/// The winner of the artefact, among those for the same types and layout, that the model predicts
/// to be fastest for a product that has no entry. Nothing for groups and triangles, and where
/// nothing is legal.
std::optional<Dispatched> dispatch(const Artefact& artefact, const Workload& workload,
                                   const DeviceSpec& device);

/// The preset of the device that the artefact is of; nothing where there is none.
std::optional<DeviceSpec> device_of(const Artefact& artefact);

/// The entry's keys behind `source`, and where it was dispatched `from`, and `predicted_regret`.
Document to_document(const Dispatched& answer);

}  // namespace tilewright
