// What an L2 replay covers, and in what detail: the first rows, columns and K of a large problem,
// in slabs of K, and the first of many rounds of tiles.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "model/fixup_traffic.hpp"
#include "model/l2_replay.hpp"
#include "model/operand_panels.hpp"
#include "model/partitioned_l2.hpp"
#include "tile/plan/plan.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A replay of more steps than this leaves rounds out.
inline constexpr int64_t kMaxReplaySteps = 200'000;

/// The plans and the device outlive it.
struct ReplayScope {
  const Plan& whole;  // the plan that the traffic is computed for
  const Plan& plan;   // the plan that is replayed: `whole`, or its corner
  const DeviceSpec& device;
  ReplayDetail detail;
  OperandPanels panels;
  int64_t depth = 0;  // elements of K, of all phases
  // Of an element of A and of B, with its share of the scales of 128 of K.
  double bytes_of_a = 0;
  double bytes_of_b = 0;
  double output_bytes = 0;  // of D in all planes, for one sum
  bool mirrored = false;    // D is symmetric, and stored whole
  int64_t clusters = 0;     // at once
  int64_t slab_k = 0;       // elements of K in a step
  int64_t steps = 0;        // of a whole tile
  int64_t rounds = 0;       // of whole tiles that are replayed
  bool in_parts = false;    // all parts of divided tiles are replayed
};

/// The plan of a problem's first rows, columns and K, if the problem is larger than any replay
/// covers; else nothing.
std::optional<Plan> corner_of(const Plan& plan, const DeviceSpec& device);

/// The scope of a plan of one problem; `plan` is its corner, or `whole` again.
ReplayScope scope_of(const Plan& whole, const Plan& plan, const DeviceSpec& device,
                     ReplayDetail detail);

/// Whether a persistent launch divides the tiles that are replayed.
bool is_divided(const ReplayScope& scope);

/// Whether our own schedule computes all of a product: no triangle, no given mapping.
bool is_square(const ReplayScope& scope);

/// Whether the piece is a part of a divided tile.
inline bool is_part(const ReplayScope& scope, const TilePiece& piece) {
  return piece.k_end - piece.k_begin < scope.depth;
}

/// Bytes that a cluster's tiles store.
inline int64_t stored_bytes(const ReplayScope& scope, TileCoord cluster) {
  const int stores = scope.mirrored && cluster.m != cluster.n ? 2 : 1;
  const auto sums = stores * scope.panels.rows(cluster) * scope.panels.columns(cluster);
  return static_cast<int64_t>(static_cast<double>(sums) * scope.output_bytes);
}

/// Whether a panel is of the product's A, not of its B.
inline bool is_of_a(const ReplayScope& scope, int panel) {
  return scope.panels.is_row(panel) != scope.whole.config.swap_ab;
}

/// Bytes of an element of a panel.
inline double element_bytes(const ReplayScope& scope, int panel) {
  return is_of_a(scope, panel) ? scope.bytes_of_a : scope.bytes_of_b;
}

/// Bytes of `depth` elements of K of `lines` lines of a panel, or of all its lines.
inline int64_t slab_bytes(const ReplayScope& scope, int panel, int lines, int64_t depth) {
  const auto elements = static_cast<double>(lines * depth);
  return static_cast<int64_t>(std::ceil(elements * element_bytes(scope, panel)));
}
inline int64_t slab_bytes(const ReplayScope& scope, int panel, int64_t depth) {
  return slab_bytes(scope, panel, scope.panels.extent(panel), depth);
}

/// Whether a panel's rows along K begin within lines of L2, so that k-steps share lines.
bool crosses_lines(const ReplayScope& scope, int panel);

/// Whether several clusters load a panel.
bool is_shared(const ReplayScope& scope, int panel);

/// How L2 keeps a panel.
inline EvictionPolicy eviction_policy_of(const ReplayScope& scope, int panel) {
  const TileConfig& config = scope.whole.config;
  return (is_of_a(scope, panel) ? config.evict_first.a : config.evict_first.b)
             ? EvictionPolicy::EvictFirst
             : EvictionPolicy::Normal;
}

}  // namespace tilewright
