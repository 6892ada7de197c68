// The one function that says which shipped kernel answers: of `best --among`, and of the libraries
// that `ship` writes.
//
//   row of this problem -> where it was tried -> run -> range -> the model among what is shipped
//
// Whatever it names is legal, is there for operands that lie so, and has its programs shipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/answer_table.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// An answer; pointers are into the table.
struct Among {
  TileConfig config;
  PlanOptions options;  // with the places that were asked about
  AnswerSource source = AnswerSource::Model;
  const AnswerRow* row = nullptr;  // whose config it is, the first such; null where it is no row's
  const Trial* tried = nullptr;    // where AnswerSource::Tried
  const Bucket* range = nullptr;   // of sizes, where AnswerSource::Range has one
  double predicted_us = 0;         // of a run by rough_us()
};

/// What limits an answer, beside being legal and shipped.
struct AmongLimits {
  /// The device alone knows the rows of a group, so the kernel has to find them there. The caller
  /// passes one routing for all of them: even rows where it expects none.
  bool device_rows = false;
  /// Configs that the device at hand does not run.
  std::vector<TileConfig> without = {};
};

/// A range's winner that the model holds for slower than the fastest that is shipped by more than
/// this share gives way to the model.
inline constexpr double kMostRangeRegret = 0.05;

/// The shipped kernel that runs the workload, whose first problem's matrices lie in `places`.
/// Nothing where no shipped kernel does.
std::optional<Among> choose_among(const AnswerTable& table, const Workload& workload,
                                  const OperandPlaces& places = {}, const AmongLimits& limits = {});

/// Why choose_among() gives nothing, in a sentence.
std::string why_none_among(const AnswerTable& table, const Workload& workload,
                           const OperandPlaces& places = {}, const AmongLimits& limits = {});

/// Microseconds that decide among the kernels: those of a coarse replay, and of zeroing counters
/// and sums in the stream where the kernel wants zeros.
double among_us(const Plan& plan, const DeviceSpec& device);

/// What says which kernels are worth one: the coarse price of those that load by TMA; the price of
/// other families' is quick.
double rough_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
