// Groups the rows of a table by kind: general kernels are chosen from a kind's rows and for its
// problems.
#pragma once

#include <span>
#include <vector>

#include "answer/answer_table.hpp"

namespace tilewright {

/// The distinct configs of a kind's rows, and the rows' problems.
struct AnswerKind {
  std::vector<TileConfig> configs;
  std::vector<Workload> problems;
};

/// Returns kinds in the order of the rows.
std::vector<AnswerKind> kinds_of_rows(std::span<const AnswerRow> rows);

/// Problems that general kernels should run fast: an even selection of the rows', in even sizes.
/// The caller decides how operands lie.
std::vector<Workload> usual_problems(const AnswerKind& kind);

/// Products without a pattern: sizes are multiples of 8 from 16 to 8192, drawn evenly in their
/// logarithm, the same on every call. Empty for a kind that is no product.
std::vector<Workload> drawn_problems(const AnswerKind& kind);

/// Some of the smallest problems of the kind, first of even sizes and then of odd ones, each with
/// little and with more depth: a kernel that runs these runs every size.
std::vector<Workload> least_problems(const AnswerKind& kind);

/// How many of them have even sizes.
inline constexpr size_t kEvenLeast = 2;

/// The configs of the kind; for a product also those of other products of its type; and all of
/// these without clusters and divided tiles, for a group also without a table from the host. `rows`
/// are the rows of all kinds.
std::vector<TileConfig> general_configs(const AnswerKind& kind, std::span<const AnswerRow> rows);

}  // namespace tilewright
