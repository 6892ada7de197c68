// Chooses the shipped kernel that answers, for `best --among` and for libraries that `ship` writes.
//
//   row of this problem -> trial -> range -> bucket -> the model's best shipped kernel
//
// The answer is legal, has a kernel for operands in these places, and its programs are shipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer/answer_table.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// An answer; its pointers refer to the table.
struct ShippedChoice {
  TileConfig config;
  PlanOptions options;  // with the given places
  AnswerSource source = AnswerSource::Model;
  const AnswerRow* row = nullptr;  // the first row with this config, or null
  const Trial* trial = nullptr;    // for AnswerSource::Tried
  const Bucket* bucket = nullptr;  // of sizes; AnswerSource::Range may have none
  double predicted_us = 0;         // for a range, by screening_us()
};

/// What limits an answer, besides being legal and shipped.
struct ShippedLimits {
  /// Only the device has the rows of a group, so the kernel must find them there. The caller passes
  /// one routing for all of them: even rows if it expects none in particular.
  bool device_rows = false;
  /// The answers of products that differ in M alone add in one order: whole tiles of sm90.
  bool invariant = false;
  /// Configs that the device in use does not run.
  std::vector<TileConfig> without = {};
};

/// A range's winner gives way to the model if the model prices it above the fastest shipped kernel
/// by more than this share.
inline constexpr double kMaxBucketRegret = 0.05;

/// The shipped kernel that runs the workload; `places` are those of its first problem's matrices.
/// Nothing if no shipped kernel does.
std::optional<ShippedChoice> choose_shipped(const AnswerTable& table, const Workload& workload,
                                            const OperandPlaces& places = {},
                                            const ShippedLimits& limits = {});

/// Which kernels a short list may hold besides its first.
enum class ShortlistSums { Any, SameAsFirst };

/// The kernels that are worth a measurement: first the answer of choose_shipped(), then shipped
/// configs in the order of shortlist() by replay_us(), up to `most` in all. No two of a family have
/// the same tile, cluster and decomposition. With SameAsFirst all write the same bits as the first
/// (has_same_sums()). Empty if no shipped kernel runs the workload.
std::vector<ShippedChoice> shipped_shortlist(const AnswerTable& table, const Workload& workload,
                                             const OperandPlaces& places,
                                             const ShippedLimits& limits, size_t most,
                                             ShortlistSums sums = ShortlistSums::Any);

/// Why choose_shipped() returns nothing, as a sentence.
std::string why_none_shipped(const AnswerTable& table, const Workload& workload,
                             const OperandPlaces& places = {}, const ShippedLimits& limits = {});

/// Microseconds that decide among kernels: those of a coarse replay, and of zeroing counters and
/// sums in the stream if the kernel needs zeros.
double replay_us(const Plan& plan, const DeviceSpec& device);

/// Microseconds that select kernels for replay_us(): the coarse price of kernels that load by TMA;
/// of other families replay_us() itself, which is quick.
double screening_us(const Plan& plan, const DeviceSpec& device);

}  // namespace tilewright
