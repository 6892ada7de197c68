// Computes the answers for a range of products ahead.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer_table.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// Most values of one range.
inline constexpr size_t kMaxAnswerValues = 65536;

/// The products of `--for 'm=1..8192 of {m}x4096x4096'`.
struct ProductRange {
  GemmShape shape;              // 0 where the value goes
  std::vector<int64_t> values;  // rising
  bool operator==(const ProductRange&) const = default;
};

/// Parses "NAME=VALUES of MxNxK", where sizes may be {NAME}; parse_sweep_range() reads VALUES.
/// Throws a usage error.
ProductRange parse_product_range(std::string_view text);

/// The product of the range at a value.
GemmShape shape_at(const GemmShape& shape, int64_t value);

/// The answers for every product of the range and every kind of single product or triangle that has
/// rows, joined to ranges of one config and source. Rows and trials answer before ranges do.
std::vector<AnswerRange> answers_for_range(const AnswerTable& table, const ProductRange& range);

}  // namespace tilewright
