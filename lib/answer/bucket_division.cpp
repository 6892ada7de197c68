#include "answer/bucket_division.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tilewright {
namespace {

constexpr size_t kAxes = 3;
constexpr size_t kByModel = std::numeric_limits<size_t>::max();

// Losses are logarithms of 1 + regret, so that they add up.
constexpr double kNotTimed = 1;      // loss of a column at a trial that did not time it
constexpr double kWorthACut = 0.02;  // least saving of a cut, over all trials of a range

// Neighbouring sizes with a ratio above this have a gap between them, which no bucket covers.
constexpr int64_t kWidestGap = 3;

using Sizes = std::array<int64_t, kAxes>;

Sizes sizes_of(const GemmShape& shape) {
  return {shape.m, shape.n, shape.k};
}

// One trial, with the loss there of each column; a column is a winner.
struct Row {
  const Trial* trial = nullptr;
  Sizes at = {};
  std::vector<double> loss;
  double model_loss = 0;
};

struct Box {
  Sizes low = {};
  Sizes high = {};
};

bool holds(const Box& box, const Sizes& at) {
  for (size_t axis = 0; axis < kAxes; ++axis) {
    if (at[axis] < box.low[axis] || at[axis] >= box.high[axis]) return false;
  }
  return true;
}

struct Leaf {
  Box box;
  std::vector<const Row*> rows;
  size_t column = 0;
};

struct Cut {
  size_t axis = 0;
  int64_t low_end = 0;     // of the range below
  int64_t high_begin = 0;  // of the range above
  double loss = std::numeric_limits<double>::infinity();
};

// The least of the columns' sums, and its column.
std::pair<double, size_t> least(const std::vector<double>& sums) {
  const auto at = std::min_element(sums.begin(), sums.end());
  return {*at, static_cast<size_t>(at - sums.begin())};
}

std::vector<double> sums_of(const std::vector<const Row*>& rows) {
  std::vector<double> sums(rows.front()->loss.size(), 0.0);
  for (const Row* const row : rows) {
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += row->loss[c];
  }
  return sums;
}

// A cut between two sizes, the smaller first: at their geometric mean, or around a gap.
Cut cut_between(size_t axis, int64_t low, int64_t high, double loss) {
  if (low * kWidestGap < high) return {axis, low + 1, high, loss};
  const double middle = std::sqrt(static_cast<double>(low) * static_cast<double>(high));
  const int64_t at = std::clamp(static_cast<int64_t>(std::ceil(middle)), low + 1, high);
  return {axis, at, at, loss};
}

void sort_along(std::vector<const Row*>& rows, size_t axis) {
  std::stable_sort(rows.begin(), rows.end(),
                   [axis](const Row* a, const Row* b) { return a->at[axis] < b->at[axis]; });
}

// The first gap along any axis; its loss is infinite if there is none.
Cut gap_cut(std::vector<const Row*> rows) {
  for (size_t axis = 0; axis < kAxes; ++axis) {
    sort_along(rows, axis);
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      if (rows[i]->at[axis] == rows[i + 1]->at[axis]) continue;
      const Cut cut = cut_between(axis, rows[i]->at[axis], rows[i + 1]->at[axis], 0);
      if (cut.low_end < cut.high_begin) return cut;
    }
  }
  return {};
}

Cut best_cut(std::vector<const Row*> rows) {
  Cut best;
  for (size_t axis = 0; axis < kAxes; ++axis) {
    sort_along(rows, axis);
    std::vector<double> above = sums_of(rows);
    std::vector<double> below(above.size(), 0.0);
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      for (size_t c = 0; c < above.size(); ++c) {
        below[c] += rows[i]->loss[c];
        above[c] -= rows[i]->loss[c];
      }
      if (rows[i]->at[axis] == rows[i + 1]->at[axis]) continue;
      const double loss = least(below).first + least(above).first;
      if (loss >= best.loss) continue;
      best = cut_between(axis, rows[i]->at[axis], rows[i + 1]->at[axis], loss);
    }
  }
  return best;
}

double worst(const std::vector<const Row*>& rows, size_t column) {
  double most = 0;
  for (const Row* const row : rows) {
    most = std::max(most, column == kByModel ? row->model_loss : row->loss[column]);
  }
  return most;
}

// Cuts a range at its gaps, and then as long as that pays; `judge` may give a leaf to the model.
template <typename Judge>
std::vector<Leaf> divide(const Leaf& whole, const Judge& judge) {
  const auto [loss, column] = least(sums_of(whole.rows));
  const bool is_poor = worst(whole.rows, column) > std::log1p(kMaxRegret);
  constexpr double kRounding = 1e-9;
  const Cut gap = gap_cut(whole.rows);
  const bool has_gap = gap.loss == 0;
  const Cut cut = has_gap ? gap : best_cut(whole.rows);
  if (!has_gap && cut.loss >= loss - (is_poor ? kRounding : kWorthACut)) {
    Leaf leaf = whole;
    leaf.column = column;
    judge(leaf);
    return {leaf};
  }
  Leaf low{whole.box, {}, 0};
  Leaf high{whole.box, {}, 0};
  low.box.high[cut.axis] = cut.low_end;
  high.box.low[cut.axis] = cut.high_begin;
  for (const Row* const row : whole.rows) {
    (row->at[cut.axis] < cut.low_end ? low : high).rows.push_back(row);
  }
  std::vector<Leaf> leaves = divide(low, judge);
  std::vector<Leaf> others = divide(high, judge);
  leaves.insert(leaves.end(), others.begin(), others.end());
  const bool are_one = std::all_of(leaves.begin(), leaves.end(),
                                   [](const Leaf& leaf) { return leaf.column == kByModel; });
  if (!are_one || has_gap) return leaves;
  Leaf one = whole;
  one.column = kByModel;
  return {one};
}

Leaf hull(const std::vector<const Row*>& rows) {
  Leaf leaf{{rows.front()->at, {}}, rows, 0};
  for (const Row* const row : rows) {
    for (size_t axis = 0; axis < kAxes; ++axis) {
      leaf.box.low[axis] = std::min(leaf.box.low[axis], row->at[axis]);
      leaf.box.high[axis] = std::max(leaf.box.high[axis], row->at[axis] + 1);
    }
  }
  return leaf;
}

// The loss of a trial under buckets that were made without it; the model's if it is in none.
double held_out_loss(const std::vector<const Row*>& rows, size_t left_out) {
  std::vector<const Row*> others = rows;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
  const Row& row = *rows[left_out];
  if (others.empty()) return row.model_loss;
  for (const Leaf& leaf : divide(hull(others), [](Leaf&) {})) {
    if (!holds(leaf.box, row.at)) continue;
    const double loss = row.loss[leaf.column];
    return loss == kNotTimed ? row.model_loss : loss;
  }
  return row.model_loss;
}

// The distinct winners of a kind, each with the first problem that it won: the columns.
std::vector<const TuneEntry*> winners_of(std::span<const TuneEntry> entries, const Workload& kind) {
  std::vector<const TuneEntry*> winners;
  for (const TuneEntry& entry : entries) {
    if (!is_product(entry.problem) || !same_kind(entry.problem, kind)) continue;
    const bool is_new = std::none_of(winners.begin(), winners.end(),
                                     [&](const TuneEntry* w) { return w->choice == entry.choice; });
    if (is_new) winners.push_back(&entry);
  }
  return winners;
}

Row row_of(const Trial& trial, const std::vector<const TuneEntry*>& winners) {
  Row row{&trial, sizes_of(trial.problem.shapes.front()), {}, kNotTimed};
  row.loss.assign(winners.size(), kNotTimed);
  double least_us = std::numeric_limits<double>::infinity();
  for (const Trial::Time& time : trial.times) least_us = std::min(least_us, time.us);
  for (const Trial::Time& time : trial.times) {
    const double loss = std::log(time.us / least_us);
    if (time.config == trial.predicted) row.model_loss = loss;
    for (size_t c = 0; c < winners.size(); ++c) {
      if (time.config == winners[c]->choice) row.loss[c] = loss;
    }
  }
  return row;
}

// The largest power of two that divides all sizes of an axis, up to the elements of a cache line,
// if rows of an operand lie along the axis: a row that ends inside a line costs one more request.
int64_t multiple_of(const std::vector<const Row*>& rows, size_t axis) {
  constexpr int64_t kLineBytes = 128;
  const ProductKind& kind = rows.front()->trial->problem.kind;
  const MatrixLayout layout = kind.layout;
  const bool a_by_k = is_k_major_a(layout);
  const bool b_by_k = is_k_major_b(layout);
  const std::array<bool, kAxes> lie_along = {!a_by_k, true, a_by_k || b_by_k};
  if (!lie_along[axis]) return 1;
  int64_t common = kLineBytes / bytes_of(kind.dtype);
  for (const Row* const row : rows) common = std::gcd(common, row->at[axis]);
  return common;
}

Bucket bucket_of(const Leaf& leaf, const std::vector<const TuneEntry*>& winners,
                 double held_out_loss) {
  Bucket bucket;
  bucket.kind = leaf.rows.front()->trial->problem;
  bucket.kind.shapes.clear();
  const auto range = [&leaf](size_t axis) {
    return SizeRange{leaf.box.low[axis], leaf.box.high[axis], multiple_of(leaf.rows, axis)};
  };
  bucket.m = range(0);
  bucket.n = range(1);
  bucket.k = range(2);
  bucket.by_model = leaf.column == kByModel;
  if (!bucket.by_model) {
    bucket.from = winners[leaf.column]->problem.shapes.front();
    bucket.choice = winners[leaf.column]->choice;
  }
  bucket.worst_regret = std::expm1(worst(leaf.rows, leaf.column));
  bucket.held_out = std::expm1(held_out_loss);
  bucket.trials = std::ssize(leaf.rows);
  for (const Row* const row : leaf.rows) bucket.date = std::max(bucket.date, row->trial->date);
  return bucket;
}

SizeRange& side(Bucket& bucket, size_t axis) {
  return axis == 0 ? bucket.m : axis == 1 ? bucket.n : bucket.k;
}

bool is_within(const SizeRange& range, int64_t size) {
  return range.low <= size && size < range.high;
}

bool overlap(const Bucket& a, const Bucket& b) {
  const auto meet = [](const SizeRange& one, const SizeRange& other) {
    return one.low < other.high && other.low < one.high;
  };
  return meet(a.m, b.m) && meet(a.n, b.n) && meet(a.k, b.k);
}

// The bucket, extended to a problem that was tuned to its choice if that lies straight beside it.
Bucket reaching(Bucket bucket, const GemmShape& tuned) {
  const Sizes at = sizes_of(tuned);
  size_t outside = 0;
  size_t count = 0;
  for (size_t axis = 0; axis < kAxes; ++axis) {
    if (is_within(side(bucket, axis), at[axis])) continue;
    outside = axis;
    ++count;
  }
  if (count != 1) return bucket;
  SizeRange& range = side(bucket, outside);
  if (at[outside] < range.low && at[outside] * kWidestGap > range.low) range.low = at[outside];
  if (at[outside] >= range.high && range.high * kWidestGap > at[outside]) {
    range.high = at[outside] + 1;
  }
  return bucket;
}

// Between the outermost trial and a tuned problem no other bucket could answer.
void reach_tuned(std::vector<Bucket>& buckets, std::span<const TuneEntry> entries) {
  for (Bucket& bucket : buckets) {
    for (const TuneEntry& entry : entries) {
      if (bucket.by_model || !is_product(entry.problem) || entry.choice != bucket.choice) continue;
      if (!same_kind(bucket.kind, entry.problem)) continue;
      const Bucket longer = reaching(bucket, entry.problem.shapes.front());
      const bool is_free = std::none_of(buckets.begin(), buckets.end(), [&](const Bucket& other) {
        return &other != &bucket && overlap(longer, other);
      });
      if (is_free) bucket = longer;
    }
  }
}

// All trials are of one kind.
std::vector<Bucket> divide_kind(const std::vector<const TuneEntry*>& winners,
                                const std::vector<const Row*>& rows) {
  std::vector<double> held_out;
  held_out.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) held_out.push_back(held_out_loss(rows, i));
  const auto held_out_of = [&](const Row* row) {
    return held_out[static_cast<size_t>(std::find(rows.begin(), rows.end(), row) - rows.begin())];
  };
  const auto fair_loss = [&](const Row* row, size_t column) {
    return std::max(held_out_of(row), row->loss[column]);
  };
  // A winner answers only where held-out trials show that it does better. A trial in no bucket but
  // its own has the model's loss, and so is no evidence.
  const auto judge = [&](Leaf& leaf) {
    double by_winners = 0;
    double by_model = 0;
    for (const Row* const row : leaf.rows) {
      by_winners += held_out_of(row);
      by_model += row->model_loss;
    }
    const bool is_poor = worst(leaf.rows, leaf.column) > std::log1p(kMaxRegret);
    if (is_poor || by_winners >= by_model) leaf.column = kByModel;
  };
  std::vector<Bucket> buckets;
  for (const Leaf& leaf : divide(hull(rows), judge)) {
    double most = 0;
    for (const Row* const row : leaf.rows) {
      most =
          std::max(most, leaf.column == kByModel ? row->model_loss : fair_loss(row, leaf.column));
    }
    buckets.push_back(bucket_of(leaf, winners, most));
  }
  return buckets;
}

}  // namespace

std::vector<Bucket> buckets_of(std::span<const TuneEntry> entries, std::span<const Trial> trials) {
  std::vector<Bucket> buckets;
  std::vector<bool> is_done(trials.size(), false);
  for (size_t first = 0; first < trials.size(); ++first) {
    if (is_done[first]) continue;
    const Workload& kind = trials[first].problem;
    const std::vector<const TuneEntry*> winners = winners_of(entries, kind);
    std::vector<Row> rows;
    for (size_t i = first; i < trials.size(); ++i) {
      if (!same_kind(trials[i].problem, kind)) continue;
      is_done[i] = true;
      rows.push_back(row_of(trials[i], winners));
    }
    if (winners.empty()) continue;
    std::vector<const Row*> all;
    all.reserve(rows.size());
    for (const Row& row : rows) all.push_back(&row);
    std::vector<Bucket> of_kind = divide_kind(winners, all);
    reach_tuned(of_kind, entries);
    buckets.insert(buckets.end(), of_kind.begin(), of_kind.end());
  }
  return buckets;
}

}  // namespace tilewright
