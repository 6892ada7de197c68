#include "answer/answer_range.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "answer/shipped_choice.hpp"
#include "base/error.hpp"
#include "base/sweep.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

[[noreturn]] void refuse_range(std::string_view text, const std::string& why) {
  throw usage_error(
      format("--for '{}': {}; it is NAME=VALUES of MxNxK, such as 'm=1..8192 of {{m}}x4096x4096'",
             text, why));
}

// The kinds of single products and triangles, in the rows' order, without sizes.
std::vector<Workload> kinds_of(const AnswerTable& table) {
  std::vector<Workload> kinds;
  for (const AnswerRow& row : table.rows) {
    if (is_group(row.problem)) continue;
    Workload kind = row.problem;
    kind.shapes.clear();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

struct RangeAnswer {
  TileConfig config;
  AnswerSource source = AnswerSource::Model;
  bool operator==(const RangeAnswer&) const = default;
};

using RangeAnswers = std::vector<std::optional<RangeAnswer>>;

// A triangle answers squares only.
std::optional<RangeAnswer> answer_at(const AnswerTable& table, Workload product,
                                     const GemmShape& shape) {
  if (is_triangular(product) && shape.m != shape.n) return std::nullopt;
  product.shapes = {shape};
  const std::optional<ShippedChoice> found = choose_shipped(table, product);
  if (!found) return std::nullopt;
  return RangeAnswer{found->config, found->source};
}

// Runs on all processors: each takes the next value that is left.
RangeAnswers answers_of_kind(const AnswerTable& table, const Workload& kind,
                             const ProductRange& range) {
  RangeAnswers answers(range.values.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < answers.size(); i = next++) {
      answers[i] = answer_at(table, kind, shape_at(range.shape, range.values[i]));
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return answers;
}

// Rows and trials answer before ranges do, so ranges leave them out.
bool is_of_range(const std::optional<RangeAnswer>& answer) {
  return answer && !is_of_product(answer->source);
}

// Joins values at even steps with the same answer. Rows and trials may lie between them; these
// answer for themselves.
std::vector<AnswerRange> joined(const Workload& kind, const ProductRange& range,
                                const RangeAnswers& answers) {
  std::vector<AnswerRange> ranges;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!is_of_range(answers[i])) continue;
    const int64_t value = range.values[i];
    AnswerRange* const last = ranges.empty() ? nullptr : &ranges.back();
    const bool same = last != nullptr && i > 0 && last->high == range.values[i - 1] &&
                      answers[i - 1] == answers[i];
    const bool even = same && (last->low == last->high || value - last->high == last->step);
    if (even) {
      last->step = value - last->high;
      last->high = value;
      continue;
    }
    ranges.push_back({.kind = kind,
                      .shape = range.shape,
                      .low = value,
                      .high = value,
                      .config = answers[i]->config,
                      .source = answers[i]->source});
  }
  return ranges;
}

}  // namespace

ProductRange parse_product_range(std::string_view text) {
  constexpr std::string_view kOf = " of ";
  const size_t of = text.find(kOf);
  if (of == std::string_view::npos) refuse_range(text, "' of ' is missing");
  const SweepRange sweep = parse_sweep_range(text.substr(0, of), "--for", kMaxAnswerValues);
  ProductRange range{.shape = {}, .values = sweep.values};
  if (range.values.front() < 1) refuse_range(text, "sizes are at least 1");
  const std::string hole = "{" + sweep.parameter + "}";
  const std::vector<std::string_view> sizes = split_sizes(trim(text.substr(of + kOf.size())));
  if (std::find(sizes.begin(), sizes.end(), hole) == sizes.end()) {
    refuse_range(text, format("no size is {}", hole));
  }
  std::vector<std::string> filled;
  filled.reserve(sizes.size());
  for (const std::string_view size : sizes) filled.emplace_back(size == hole ? "1" : size);
  range.shape = parse_shape(join(filled, "x"));
  if (sizes[0] == hole) range.shape.m = 0;
  if (sizes[1] == hole) range.shape.n = 0;
  if (sizes[2] == hole) range.shape.k = 0;
  return range;
}

GemmShape shape_at(const GemmShape& shape, int64_t value) {
  const auto filled = [value](int64_t size) { return size > 0 ? size : value; };
  return {filled(shape.m), filled(shape.n), filled(shape.k)};
}

std::vector<AnswerRange> answers_for_range(const AnswerTable& table, const ProductRange& range) {
  AnswerTable fresh = table;
  fresh.ranges.clear();
  std::vector<AnswerRange> ranges;
  for (const Workload& kind : kinds_of(table)) {
    const std::vector<AnswerRange> own = joined(kind, range, answers_of_kind(fresh, kind, range));
    ranges.insert(ranges.end(), own.begin(), own.end());
  }
  return ranges;
}

}  // namespace tilewright
