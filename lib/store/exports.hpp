// Winners as other stacks take them. What a stack has no word for is said to be missing, in
// comments of the text and apart; nothing is put in its place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/best_table.hpp"
#include "store/dispatch.hpp"

namespace tilewright {

/// A text for another stack. Empty where it has no words for any config of the entry: `unsaid` then
/// has the reason for each of them.
struct Export {
  std::string text;
  std::vector<std::string> unsaid;
};

/// cutlass_profiler's command line with the name that CUTLASS 4's generator gives the kernel: of
/// the choice, else of the first tie that it has. The generator's kernels write column-major D, so
/// it is the transposed product. Comments begin with '#'.
Export export_cutlass(const Dispatched& answer);

/// Python: `configs`, a list of triton.Config with the parameters of Triton's tutorial kernels for
/// matrix products, of the choice and its ties.
Export export_triton(const Dispatched& answer);

/// C++: a plugin for nvFuser's matmul scheduler that sets the parameters of the choice, else of the
/// first tie that it has.
Export export_nvfuser(const Dispatched& answer);

/// C++: a header of its own with a constexpr table of what answers for the artefact's products and
/// rank-k updates, tuned or tried, and for the product asked for; one of the ranges of sizes that
/// its winners answer in; and constexpr lookups. `unsaid` counts what has no place in it.
Export export_cpp(const Artefact& artefact, const Dispatched& asked);

/// What of the entry's workload only this project runs: a group, a triangle, a bias; else empty.
std::string no_plain_product(const Workload& workload);

/// The choice, then the ties, in their order.
std::vector<TileConfig> candidates_of(const TuneEntry& entry);

/// The first of `rasters` that walks the config's grid of clusters slot by slot as its own raster
/// does.
std::optional<Raster> same_walk(const TileConfig& config, const GemmShape& shape,
                                const std::vector<std::string>& rasters);

/// The sentence of library_lead(), for a comment; none where this project's kernel was the better
/// one.
std::vector<std::string> lead_lines(const Dispatched& answer);

/// Lines that each begin with `prefix`, as comment_text().
std::string commented(const std::vector<std::string>& lines, const std::string& prefix);

}  // namespace tilewright
