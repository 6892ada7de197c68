// `analyze layout` as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/algebra/layout_comparison.hpp"
#include "layout/algebra/linear_layout.hpp"
#include "layout/smem/layout_access.hpp"
#include "layout/smem/pipeline_stages.hpp"
#include "layout/smem/swizzle_report.hpp"
#include "layout/smem/wavefronts.hpp"
#include "layout/smem/wgmma_layout.hpp"
#include "layout/text/layout_report.hpp"
#include "layout/text/nested_report.hpp"

namespace tilewright {

/// Optional parts of the report; an absent part has no keys.
struct LayoutJsonParts {
  std::optional<int64_t> element_bits;
  std::optional<LayoutComparison> comparison;
  std::optional<LinearLayout> linear;
  std::optional<std::vector<std::string>> steps;
  std::optional<std::vector<IntTuple>> offsets;  // in colexicographic order
  std::optional<LayoutAccess> access;
  std::optional<WgmmaMatch> wgmma;
  std::optional<PipelineStages> stages;  // where one of several was judged
};

/// The report as one JSON object, indented, with a final newline; coordinates are nested lists.
std::string layout_json(const LayoutReport& report, const LayoutJsonParts& parts);

/// `analyze access` and `profile access` as JSON. {"space": "shared", "accesses": [{op, wavefronts,
/// ideal, conflicts, phases}]}, indented, with a final newline; `phases` lists the lanes that share
/// the busiest bank. `costs` has one entry an access.
std::string shared_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Wavefronts> costs);

/// The same for global memory: {"space": "global", "accesses": [{op, requests, sectors, lines,
/// ...}]}.
std::string global_access_json(std::span<const WarpAccess> accesses,
                               std::span<const Coalescing> costs);

/// One access with its predicted wavefronts and, if it ran, the counted ones.
struct ProbedAccess {
  AccessOp op;
  int64_t predicted = 0;
  std::optional<double> measured;
};

/// {"device": ..., "predicted": true if nothing ran, "accesses": [{op, predicted, measured}]},
/// indented, with a final newline.
std::string probed_access_json(std::span<const ProbedAccess> accesses, const std::string& device);

/// The cost of a copy of a nested layout's vector: in shared memory (`cost`) or global memory
/// (`coalescing`), at most one of them.
struct NestedAccess {
  std::string op;
  std::optional<TileCost> cost;
  std::optional<Coalescing> coalescing;
};

/// Wavefronts and conflicts, or sectors and efficiency.
std::vector<NamedNumber> numbers_of(const NestedAccess& access);

/// `analyze nested` as JSON. {"layout", "vector_shape", "distributed_shape", "subgroup_ids",
/// "thread_ids", ...}, indented, with a final newline; "elements" if the report is for one thread,
/// "levels" if they are given.
std::string nested_json(const NestedReport& report, const NestedAccess& access = {},
                        const NestedLevels* levels = nullptr);

/// `analyze swizzle` as JSON. {"tile", "candidates": [{swizzle, units, write_wavefronts, ...}],
/// "rule", "paddings", ...}, indented, with a final newline; at most `top` candidates and paddings.
/// Wavefronts count the most expensive instruction, totals the whole tile; those of the write are
/// null where no warp writes.
std::string swizzle_json(const SwizzleReport& report, size_t top);

/// The JSON of a swizzle without accesses: the tile, "swizzle", "periods" and "emit".
std::string swizzle_facts_json(const SwizzleFacts& facts);

}  // namespace tilewright
