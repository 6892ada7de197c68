// The rows of a table that answer alike: what the general kernels of a kind are chosen from and
// for.
#pragma once

#include <span>
#include <vector>

#include "search/answer_table.hpp"

namespace tilewright {

/// The configs of a kind's rows, each once, and their problems.
struct AnswerKind {
  std::vector<TileConfig> configs;
  std::vector<Workload> problems;
};

/// In the rows' order.
std::vector<AnswerKind> kinds_of_rows(std::span<const AnswerRow> rows);

/// Some of the rows' problems, evenly picked, in even sizes: what general kernels are to be good
/// at. Where operands lie is for the one who asks.
std::vector<Workload> usual_problems(const AnswerKind& kind);

/// Products of no pattern: draws of sizes that are multiples of 8 from 16 to 8192, even in their
/// logarithm, the same ones every time. None of a kind that is no product.
std::vector<Workload> drawn_problems(const AnswerKind& kind);

/// Some of the smallest products of the kind, first of even sizes and then of odd ones, both of
/// little depth and of some: whoever runs those runs every size.
std::vector<Workload> least_problems(const AnswerKind& kind);

/// How many of those are of even sizes.
inline constexpr size_t kEvenLeast = 2;

/// The configs of the kind, of a product those of others of its type too, and what all of them are
/// without whatever asks for more than one tile, or of a group for its rows on the host. `rows` are
/// those of all kinds.
std::vector<TileConfig> general_configs(const AnswerKind& kind, std::span<const AnswerRow> rows);

}  // namespace tilewright
