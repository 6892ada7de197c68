// The answer of a search over the parameters of a harness, for one problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/foreign_config.hpp"
#include "search/origin.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "stats/sample.hpp"
#include "tile/config/tile_config.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Values whose time the measurement cannot distinguish from the choice's.
struct ForeignTie {
  std::vector<AxisValue> values;
  double ratio = 1;  // their time divided by the choice's
  bool operator==(const ForeignTie&) const = default;
};

/// Values whose kernel faulted, hung, wrote outside its memory or computed wrong results; they are
/// never chosen.
struct ForeignFault {
  std::vector<AxisValue> values;
  std::string reason;
  bool operator==(const ForeignFault&) const = default;
};

/// A config of our own kernels, timed in the rounds of the answer.
struct OursBeside {
  TileConfig config;
  double median_us = 0;
  PairedRatio ratio;  // its time over the harness's; above 1 the harness is faster
  bool operator==(const OursBeside&) const = default;
};

/// The harness's default config, timed in the rounds of the answer.
struct DefaultBeside {
  std::vector<AxisValue> values;
  Timing timing;
  PairedRatio ratio;  // its time over the choice's; above 1 the choice is faster
  bool operator==(const DefaultBeside&) const = default;
};

/// The answer for one problem and one harness. `reference.ratio` is the library's time over the
/// harness's.
struct ForeignEntry {
  Workload problem;
  ForeignConfig choice;
  Timing timing;
  std::optional<ReferenceResult> reference;
  std::vector<ReferenceTime> references;  // all that were timed
  std::optional<OursBeside> ours;
  std::optional<DefaultBeside> default_beside;
  std::optional<Counters> counters;
  std::string why_no_counters;
  Verification verified;
  std::vector<ForeignTie> ties;
  std::vector<ForeignFault> wrong;
  Considered considered;
  std::string compiler;  // of the harness; empty: not stated
  std::string date;      // of the measurement, "2026-11-23"; empty where a file does not record it
  Origin origin;
  bool operator==(const ForeignEntry&) const = default;
};

/// "harness:NAME", or "library" or "ours" where the interval of its ratio proves it faster.
std::string winner_text(const ForeignEntry& entry);

}  // namespace tilewright
