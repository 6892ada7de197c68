// Prints winners as input for other software stacks (CUTLASS, Triton, nvFuser, C++). If a stack
// cannot express part of a config, the text has a comment about it and `unsupported` an entry;
// nothing is substituted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/stack_support.hpp"
#include "store/best_table.hpp"
#include "store/dispatch.hpp"
#include "tile/workload/device_spec.hpp"

namespace tilewright {

/// A text for another stack. It is empty if the stack has no kernel for any config that was timed
/// at the answer's problem; `unsupported` then has the reason for the choice and for each of its
/// ties.
struct Export {
  std::string text;
  std::vector<std::string> unsupported;
  // A message if the text has another config than the choice, or none: which, and why.
  std::string substitution = {};
};

/// A config that was timed at an answer's problem: the choice or another one.
struct MeasuredConfig {
  TileConfig config;
  double ratio = 1;  // its time divided by the choice's
  std::optional<Interval> interval = {};
};

/// The choice, then every other config that the file has from the answer's rounds, fastest first:
/// ties, configs for other stacks, and all configs of a trial of this product.
std::vector<MeasuredConfig> measured_at(const Dispatched& answer);

/// The first of measured_at() that the stack can express completely (why_unsupported() is empty).
/// Without one: the choice or the first of its ties for which the stack has a kernel, although with
/// another tile order or without an option. Nothing if the stack has no kernel, or does not support
/// the problem.
std::optional<MeasuredConfig> config_for(Stack stack, const Dispatched& answer);

/// The command line of cutlass_profiler, with the name that CUTLASS 4's generator gives to the
/// kernel of config_for(). The generator's kernels write a column-major D, so the line computes the
/// transposed product. Comments begin with '#'.
Export export_cutlass(const Dispatched& answer);

/// Python: `configs`, a list of triton.Config with the parameters of the matrix products in
/// Triton's tutorials: for config_for() first, then for the choice and its ties.
Export export_triton(const Dispatched& answer);

/// C++: a plugin for nvFuser's matmul scheduler that sets the parameters of config_for().
Export export_nvfuser(const Dispatched& answer);

/// C++: a self-contained header with a constexpr table of the answers (tuned or tried) for the
/// artefact's products and rank-k updates and for `asked`, a table of the ranges of sizes in which
/// winners answer, and constexpr lookups. `unsupported` counts what the tables cannot hold.
Export export_cpp(const Artefact& artefact, const Dispatched& asked);

/// The choice, then the ties, in their order.
std::vector<TileConfig> candidates_of(const TuneEntry& entry);

/// An export without a text: `unsupported` has the reason why the stack does not support the
/// problem, or why it has no kernel for any of candidates_of().
Export empty_export(Stack stack, const TuneEntry& entry);

/// What a search of the stack's configs alone would cost: the first of them by the model, and its
/// predicted time over that of the choice, in us. Says so if there is none; empty for a problem
/// that no stack takes.
std::string cost_of_export(Stack stack, const TuneEntry& entry, const DeviceSpec& device);

/// A message if config_for() is not the choice, or if the stack cannot express it completely: what
/// it cannot express, and the ratio of `config`. Else empty.
std::string substitution_note(Stack stack, const MeasuredConfig& config, const Dispatched& answer);

/// A comment on where an export's config comes from and how it compares with the choice.
std::string role_text(const Export& made, const Dispatched& answer);

/// A note that `--require` excluded configs from the answer's search; empty without it.
std::string required_text(const TuneEntry& entry);

/// Sentences for a comment: library_lead() (none if this project's kernel was faster) and
/// required_text(). `has_choice`: the text's config is the choice.
std::vector<std::string> note_lines(const Dispatched& answer, bool has_choice = true);

/// The lines as comment_text(), each with `prefix` in front.
std::string commented(const std::vector<std::string>& lines, const std::string& prefix);

}  // namespace tilewright
