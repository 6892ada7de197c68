// The artefact as a header that needs nothing of this project.

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "store/exports.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

// All that a workload of one product is beside its sizes: "bf16 tn", "bf16 tn -> f32 + bias".
std::string product_kind(const Workload& workload) {
  Workload plain = workload;
  plain.shapes = {{1, 1, 1}};
  const std::string text = to_string(plain);
  return text.substr(text.find(' ') + 1);
}

std::string table_row(const TuneEntry& entry) {
  const GemmShape& s = entry.problem.shapes.front();
  const TileConfig& c = entry.choice;
  return format("    {{\"{}\", {}, {}, {}, \"{}\",\n     {}, {}, {}, {}, {}, {}}},\n",
                product_kind(entry.problem), s.m, s.n, s.k, to_string(c), c.cta.m, c.cta.n, c.cta.k,
                c.cluster.m, c.cluster.n, c.stages);
}

constexpr const char* kTableHead = R"(#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright_tuned {

// A tuned product: D is m x n, the inner dimension k.
struct Row {
  std::string_view kind;  // types and layout, as in the rows below
  std::int64_t m, n, k;
  std::string_view config;  // all keys
  int cta_m, cta_n, cta_k, cluster_m, cluster_n, stages;
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

}  // namespace tilewright_tuned
)";

}  // namespace

Export export_cpp(const Artefact& artefact) {
  Export out;
  std::vector<const TuneEntry*> entries;
  entries.reserve(artefact.entries.size());
  for (const TuneEntry& entry : artefact.entries) {
    const bool has_place = !is_group(entry.problem);
    if (has_place) entries.push_back(&entry);
  }
  if (const size_t groups = artefact.entries.size() - entries.size(); groups > 0) {
    out.unsaid.push_back(format("{} group{} of products: the table goes by one product's sizes",
                                groups, groups == 1 ? "" : "s"));
  }
  if (entries.empty()) return out;
  const auto key = [](const TuneEntry* e) {
    const GemmShape& s = e->problem.shapes.front();
    return std::tuple(product_kind(e->problem), s.m, s.n, s.k);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&key](const TuneEntry* a, const TuneEntry* b) { return key(a) < key(b); });
  // Of several entries of one product the first counts, as for a look-up in the artefact.
  const auto twice = [&key](const TuneEntry* a, const TuneEntry* b) { return key(a) == key(b); };
  entries.erase(std::unique(entries.begin(), entries.end(), twice), entries.end());
  std::vector<std::string> head = {
      format("{} winners on {}, {} by tilewright {}.", entries.size(), to_string(artefact.device),
             artefact.predicted ? "predicted" : "measured", artefact.tool_version)};
  for (const std::string& line : out.unsaid) head.push_back("Not said: " + line + '.');
  out.text = commented(head, "// ") + kTableHead;
  for (const TuneEntry* const entry : entries) out.text += table_row(*entry);
  out.text += kTableTail;
  return out;
}

}  // namespace tilewright
