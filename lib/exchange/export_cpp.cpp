// Prints the artefact as a C++ header that does not depend on this project.

#include <algorithm>
#include <tuple>

#include "base/escape.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "exchange/exports.hpp"
#include "store/dispatch.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// A product's workload without its sizes: "bf16 tn", "bf16 tn -> f32 + bias".
std::string product_kind(const Workload& workload) {
  Workload plain = workload;
  plain.shapes = {{1, 1, 1}};
  const std::string text = to_string(plain);
  return text.substr(text.find(' ') + 1);
}

// The enumerators of the header's Source, which documents them.
enum class RowSource { Tuned, Tried, Asked, Range };

constexpr const char* kRowSources[] = {"Tuned", "Tried", "Asked", "Range"};

struct TableRow {
  const Workload* problem = nullptr;
  const TileConfig* choice = nullptr;
  const TuneEntry* tuned = nullptr;  // the entry that was compared with the library, or null
  RowSource source = RowSource::Tuned;
};

// Returns 0 if the library was not timed.
PairedRatio library_ratio(const TuneEntry* tuned) {
  return tuned == nullptr || !tuned->reference ? PairedRatio{} : tuned->reference->ratio;
}

bool is_library_faster(const TuneEntry* tuned) {
  const PairedRatio ratio = library_ratio(tuned);
  return ratio.ratio > 0 && ratio.interval.high < 1;
}

std::string row_text(const std::string& kind, const GemmShape& s, const TileConfig& c,
                     const TuneEntry* tuned, RowSource source) {
  const PairedRatio library = library_ratio(tuned);
  return format(
      "{{\"{}\", {}, {}, {}, \"{}\",\n     {}, {}, {}, {}, {}, {}, Source::{}, {:.4f}, {:.4f}, "
      "{:.4f}}}",
      cpp_text(kind), s.m, s.n, s.k, cpp_text(to_string(c)), c.cta.m, c.cta.n, c.cta.k, c.cluster.m,
      c.cluster.n, c.stages, kRowSources[static_cast<size_t>(source)], library.ratio,
      library.interval.low, library.interval.high);
}

std::string kind_of(const Bucket& bucket) {
  Workload kind = bucket.kind;
  kind.shapes = {{1, 1, 1}};
  return product_kind(kind);
}

std::string range_row(const Artefact& artefact, const Bucket& b) {
  const auto sides = [](const SizeRange& r) {
    return format("{}, {}, {}", r.low, r.high, r.multiple);
  };
  return format("    {{{}, {}, {}, {:.4f},\n     {}}},\n", sides(b.m), sides(b.n), sides(b.k),
                b.worst_regret,
                row_text(kind_of(b), b.from, b.choice, entry_of(artefact, b), RowSource::Range));
}

// Tests both ends of the range: a config that is legal there is legal inside, because the rules
// constrain multiples, which the range fixes, and least and greatest sizes.
bool is_legal(const Bucket& bucket, const DeviceSpec& device) {
  const auto lowest = [](const SizeRange& r) { return round_up(r.low, r.multiple); };
  const auto highest = [](const SizeRange& r) { return (r.high - 1) / r.multiple * r.multiple; };
  Workload ends = bucket.kind;
  ends.shapes = {{lowest(bucket.m), lowest(bucket.n), lowest(bucket.k)}};
  if (reject_workload(ends, bucket.choice, device)) return false;
  ends.shapes = {{highest(bucket.m), highest(bucket.n), highest(bucket.k)}};
  return !reject_workload(ends, bucket.choice, device);
}

// The ranges that the table can hold; the others are counted in `unsupported`.
std::vector<Bucket> ranges_of(const Artefact& artefact, const DeviceSpec& device,
                              std::vector<std::string>& unsupported) {
  std::vector<Bucket> ranges;
  int64_t by_model = 0;
  int64_t refused = 0;
  for (const Bucket& bucket : artefact.buckets) {
    if (bucket.by_model) {
      ++by_model;
    } else if (!is_legal(bucket, device)) {
      ++refused;
    } else {
      ranges.push_back(bucket);
    }
  }
  if (by_model > 0) {
    unsupported.push_back(
        format("{} range{} of sizes in which the model chooses instead of a winner", by_model,
               by_model == 1 ? "" : "s"));
  }
  if (refused > 0) {
    unsupported.push_back(format("{} range{} whose winner is not legal in all of it", refused,
                                 refused == 1 ? "" : "s"));
  }
  if (!ranges.empty()) {
    unsupported.push_back(
        format("in {} range{}, the sizes at which the model expects the winner to be more than "
               "{:.0f} % slower: tilewright best takes another config there",
               ranges.size(), ranges.size() == 1 ? "" : "s", 100 * kMaxInBucket));
  }
  return ranges;
}

// The table's callers compute single products on one GPU.
bool has_row(const Workload& workload) {
  return !is_group(workload) && !is_across_gpus(workload);
}

// Rows of tuned products, which no other answer replaces; others are counted in `unsupported`.
std::vector<TableRow> tuned_rows(const Artefact& artefact, std::vector<std::string>& unsupported) {
  std::vector<TableRow> rows;
  int64_t groups = 0;
  int64_t shared = 0;
  for (const TuneEntry& entry : artefact.entries) {
    if (is_group(entry.problem)) {
      ++groups;
    } else if (!has_row(entry.problem)) {
      ++shared;
    } else {
      const TuneEntry* const answer = find_entry(artefact, entry.problem);
      rows.push_back({&entry.problem, &answer->choice, answer});
    }
  }
  if (groups > 0) {
    unsupported.push_back(format("{} group{} of products: the table has only single products",
                                 groups, groups == 1 ? "" : "s"));
  }
  if (shared > 0) {
    unsupported.push_back(format("{} product{} across GPUs: the table is of one GPU", shared,
                                 shared == 1 ? "" : "s"));
  }
  return rows;
}

void add_tried_rows(std::vector<TableRow>& rows, const Artefact& artefact,
                    const DeviceSpec& device) {
  for (const Trial& trial : artefact.trials) {
    const std::optional<FastestOfTrial> answer = fastest_of_trial(artefact, trial.problem, device);
    if (answer) rows.push_back({&trial.problem, answer->fastest, nullptr, RowSource::Tried});
  }
}

// Sorts by kind and sizes and keeps the first of several rows for one product.
void put_in_order(std::vector<TableRow>& rows) {
  const auto key = [](const TableRow& row) {
    const GemmShape& s = row.problem->shapes.front();
    return std::tuple(product_kind(*row.problem), s.m, s.n, s.k);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&key](const TableRow& a, const TableRow& b) { return key(a) < key(b); });
  const auto twice = [&key](const TableRow& a, const TableRow& b) { return key(a) == key(b); };
  rows.erase(std::unique(rows.begin(), rows.end(), twice), rows.end());
}

constexpr const char* kTableHead = R"(#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright_tuned {

// The source of a row's config. Tuned: its product was tuned, or the config was pinned. Tried: the
// fastest of the configs that were timed at its product. Asked: the table was written for this
// product, and the model of `tilewright best` chose it. Range: the winner of another product; it
// was the fastest, or nearly so, at the timed products between the two.
enum class Source { Tuned, Tried, Asked, Range };

// A product and its config; D is m x n, the inner dimension k.
struct Row {
  std::string_view kind;  // types and layout, as in the rows below
  std::int64_t m, n, k;
  std::string_view config;  // all keys
  int cta_m, cta_n, cta_k, cluster_m, cluster_n, stages;
  Source source;
  // The time of the reference library's best algorithm divided by the config's, where the config
  // was tuned and both ran in the same rounds, and the 95 % interval. All below 1: the library was
  // faster. 0: it was not timed.
  double library_ratio, library_low, library_high;
};

// By kind, m, n and k, ascending.
inline constexpr Row kRows[] = {
)";

constexpr const char* kTableTail = R"(};

// The row of exactly this product, or null.
constexpr const Row* find(std::string_view kind, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto before = [&](const Row& row) {
    if (row.kind != kind) return row.kind < kind;
    if (row.m != m) return row.m < m;
    return row.n != n ? row.n < n : row.k < k;
  };
  const Row* low = kRows;
  const Row* high = kRows + sizeof(kRows) / sizeof(kRows[0]);
  while (low != high) {
    const Row* const middle = low + (high - low) / 2;
    if (before(*middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == kRows + sizeof(kRows) / sizeof(kRows[0])) return nullptr;
  return low->kind == kind && low->m == m && low->n == n && low->k == k ? low : nullptr;
}
)";

constexpr const char* kRangesHead = R"(
// Sizes from low to below high, multiples of the third number, and the tuned product whose winner
// is the config of the range. worst_regret: its time divided by the fastest config's, minus 1, at
// the worst of the sizes that were timed in the range. `tilewright best` also compares the model's
// prediction, and takes another config where the winner is predicted to be slow.
struct Range {
  std::int64_t m_low, m_high, m_multiple, n_low, n_high, n_multiple, k_low, k_high, k_multiple;
  double worst_regret;
  Row row;
};

inline constexpr Range kRanges[] = {
)";

constexpr const char* kRangesTail = R"(};

// The row of exactly this product, else that of the range that contains it, else null.
constexpr const Row* dispatch(std::string_view kind, std::int64_t m, std::int64_t n,
                              std::int64_t k) {
  if (const Row* const row = find(kind, m, n, k)) return row;
  for (const Range& r : kRanges) {
    const bool is_in = r.m_low <= m && m < r.m_high && m % r.m_multiple == 0 && r.n_low <= n &&
                       n < r.n_high && n % r.n_multiple == 0 && r.k_low <= k && k < r.k_high &&
                       k % r.k_multiple == 0;
    if (is_in && r.row.kind == kind) return &r.row;
  }
  return nullptr;
}
)";

constexpr const char* kEnd = R"(
}  // namespace tilewright_tuned
)";

}  // namespace

Export export_cpp(const Artefact& artefact, const Dispatched& asked) {
  Export out;
  std::vector<TableRow> rows = tuned_rows(artefact, out.unsupported);
  std::vector<Bucket> ranges;
  if (const std::optional<DeviceSpec> device = device_of(artefact)) {
    add_tried_rows(rows, artefact, *device);
    ranges = ranges_of(artefact, *device, out.unsupported);
  } else if (!artefact.trials.empty()) {
    out.unsupported.push_back(
        "the ranges between the tuned products: no preset describes this device");
  }
  if (has_row(asked.entry.problem)) {
    const bool by_winner = asked.source == DispatchSource::Dispatched;
    rows.push_back({&asked.entry.problem, &asked.entry.choice,
                    by_winner ? asked.tuned_entry : nullptr, RowSource::Asked});
  }
  if (rows.empty()) return out;
  put_in_order(rows);
  const auto count = [&rows](RowSource source) {
    return std::count_if(rows.begin(), rows.end(),
                         [source](const TableRow& row) { return row.source == source; });
  };
  std::vector<std::string> head = {
      format("{} tuned products and {} that were timed for dispatch on {}, {} by tilewright {}.",
             count(RowSource::Tuned), count(RowSource::Tried), to_string(artefact.device),
             artefact.predicted ? "predicted" : "measured", artefact.tool_version)};
  const int64_t by_library = std::count_if(
      rows.begin(), rows.end(), [](const TableRow& row) { return is_library_faster(row.tuned); });
  if (by_library > 0) {
    head.push_back(
        format("Note: for {} of the tuned products the library was faster than any config here "
               "(library_high below 1).",
               by_library));
  }
  for (const std::string& line : out.unsupported) head.push_back("Not contained: " + line + '.');
  out.text = commented(head, "// ") + kTableHead;
  for (const TableRow& row : rows) {
    out.text +=
        format("    {},\n", row_text(product_kind(*row.problem), row.problem->shapes.front(),
                                     *row.choice, row.tuned, row.source));
  }
  out.text += kTableTail;
  if (!ranges.empty()) {
    out.text += kRangesHead;
    for (const Bucket& range : ranges) out.text += range_row(artefact, range);
    out.text += kRangesTail;
  }
  out.text += kEnd;
  return out;
}

}  // namespace tilewright
