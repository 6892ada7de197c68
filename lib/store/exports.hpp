// Winners as other stacks take them. What a stack has no word for is said to be missing, in
// comments of the text and apart; nothing is put in its place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/stack_words.hpp"
#include "store/best_table.hpp"
#include "store/dispatch.hpp"

namespace tilewright {

/// A text for another stack. Empty where it has no kernel for any config that was timed at the
/// answer's problem: `unsaid` then has the reason for the choice and each of its ties.
struct Export {
  std::string text;
  std::vector<std::string> unsaid;
  // For people, where the text has another config than the choice, or none: which, and why.
  std::string instead = {};
};

/// A config that was timed at an answer's problem beside the choice, or the choice.
struct MeasuredConfig {
  TileConfig config;
  double ratio = 1;  // its time over the choice's
  std::optional<Interval> interval = {};
};

/// The choice, then whatever the file has of the answer's rounds, fastest first: ties, configs for
/// other stacks, and all of a trial of this product.
std::vector<MeasuredConfig> measured_at(const Dispatched& answer);

/// The first of measured_at() that the stack can say, by why_unsaid(); else the choice or the first
/// of its ties that it has a kernel for, which then walks tiles otherwise or leaves an option out;
/// nothing where it has none, or takes no such problem.
std::optional<MeasuredConfig> config_for(Stack stack, const Dispatched& answer);

/// cutlass_profiler's command line with the name that CUTLASS 4's generator gives the kernel of
/// config_for(). The generator's kernels write column-major D, so it is the transposed product.
/// Comments begin with '#'.
Export export_cutlass(const Dispatched& answer);

/// Python: `configs`, a list of triton.Config with the parameters of Triton's tutorial kernels for
/// matrix products: of config_for(), then of the choice and its ties.
Export export_triton(const Dispatched& answer);

/// C++: a plugin for nvFuser's matmul scheduler that sets the parameters of config_for().
Export export_nvfuser(const Dispatched& answer);

/// C++: a header of its own with a constexpr table of what answers for the artefact's products and
/// rank-k updates, tuned or tried, and for the product asked for; one of the ranges of sizes that
/// its winners answer in; and constexpr lookups. `unsaid` counts what has no place in it.
Export export_cpp(const Artefact& artefact, const Dispatched& asked);

/// The choice, then the ties, in their order.
std::vector<TileConfig> candidates_of(const TuneEntry& entry);

/// An export without a text: `unsaid` says why the stack takes no such problem, or has a kernel for
/// none of candidates_of().
Export nothing_for(Stack stack, const TuneEntry& entry);

/// A sentence for people where config_for() is not the choice, or the stack cannot say it whole:
/// what it cannot say, and the ratio of `config`; else empty.
std::string instead_of_choice(Stack stack, const MeasuredConfig& config, const Dispatched& answer);

/// Where an export's config comes from, and what it is to the choice, for a comment.
std::string role_text(const Export& made, const Dispatched& answer);

/// What the search of an answer left out; empty where nothing was required of it.
std::string required_text(const TuneEntry& entry);

/// Sentences for a comment: library_lead(), none where this project's kernel was the better one,
/// and required_text(). `has_choice`: the text's config is the choice.
std::vector<std::string> lead_lines(const Dispatched& answer, bool has_choice = true);

/// Lines that each begin with `prefix`, as comment_text().
std::string commented(const std::vector<std::string>& lines, const std::string& prefix);

}  // namespace tilewright
