// The numbers of a schedule: units, balance, proof, and what divided tiles cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check_expression.hpp"
#include "tile/plan/exchange_proof.hpp"
#include "tile/plan/group_occupancy.hpp"
#include "tile/plan/peer_proof.hpp"
#include "tile/plan/plan.hpp"
#include "tile/plan/schedule_proof.hpp"
#include "tile/plan/turnstile_proof.hpp"

namespace tilewright {

/// K-steps of a CTA's main loops, padded tiles included, over all CTAs of the launch.
struct KStepLoad {
  int64_t min = 0;
  double mean = 0;
  int64_t max = 0;
  bool operator==(const KStepLoad&) const = default;
};

/// The cost of divided tiles; bytes.
struct FixUp {
  int64_t divided_tiles = 0;
  int64_t parts = 0;
  int64_t workspace_bytes = 0;  // fp32 partial tiles, and 4 bytes per tile to count arrivals
  int64_t traffic_bytes = 0;    // global memory, written and read
  bool operator==(const FixUp&) const = default;
};

struct ScheduleReport {
  std::string problem;
  std::string device;  // empty: none
  int64_t units = 0;   // that CTAs take from the scheduler, including early exits and padding
  int64_t ctas = 0;
  int64_t early_exit = 0;
  int64_t padded = 0;            // units that run a main loop without a result
  int64_t idle_ctas = 0;         // CTAs without work
  std::optional<int64_t> waves;  // units over CTAs, rounded up; none where CTAs share tiles evenly
  KStepLoad k_steps;
  double imbalance = 0;              // max over mean of the k-steps
  RowPadding padding;                // in the plan's tiles
  std::vector<RowPadding> paddings;  // in tiles of several heights, ascending
  int64_t empty_problems = 0;        // without an element of D
  ScheduleProof proof;
  FixUp fix_up;
  TurnstileProof turnstiles;
  ExchangeProof exchanges;             // for reduce-scatter
  std::optional<PeerProof> peers;      // of all GPUs, where they share the product
  bool ends = true;                    // false: a CTA waits forever
  std::optional<double> predicted_us;  // nothing where it never ends, or no time is predicted
  int64_t table_entries = 0;           // of a host-precomputed schedule
  int64_t table_bytes = 0;
  std::optional<Decomposition> equals;  // equal_decomposition(), where a caller asks for it
  std::string not_runnable;  // why no kernel of this program can run the plan; empty: one can
};

/// Makes the report in one walk of the schedule. Throws a usage error as require_walkable() does.
ScheduleReport report_schedule(const Plan& schedule);

/// The report's numbers under their JSON keys, nested ones as "k_steps.max", for checks.
std::vector<NamedNumber> numbers_of(const ScheduleReport& report);

}  // namespace tilewright
