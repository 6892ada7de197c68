#include "store/best_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

#include "answer/group_key.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/record_fields.hpp"
#include "search/runner.hpp"

namespace tilewright {
namespace {

struct Part {
  std::string_view name;
  std::string (*of)(const Origin&);
};

constexpr Part kParts[] = {
    {"driver", [](const Origin& o) { return o.software.driver; }},
    {"library", [](const Origin& o) { return o.software.library; }},
    {"compiler", [](const Origin& o) { return o.software.compiler; }},
    {"runtime", [](const Origin& o) { return o.software.runtime; }},
    {"timer", [](const Origin& o) { return o.method.timer; }},
    {"regime",
     [](const Origin& o) {
       return std::string(kRegimes[static_cast<size_t>(regime_of(o.method))]);
     }},
    {"tilewright", [](const Origin& o) { return o.tool_version; }},
};

std::string shown(const std::string& version) {
  return version.empty() ? kUnknownVersion : version;
}

}  // namespace

std::string print_best(const Artefact& artefact) {
  return to_yaml(to_document(artefact));
}

Artefact load_best(const std::filesystem::path& path) {
  if (path != "-" && is_missing(path)) {
    throw usage_error(format("'{}' does not exist: make it with: tilewright tune PROBLEM -o {}",
                             path.string(), path.string()));
  }
  return parse_best(read_file(path), path.string());
}

std::vector<TuneEntry> pinned_entries(const std::filesystem::path& path,
                                      const DeviceFingerprint& device) {
  if (path.empty() || !is_replaceable(path) || is_missing(path)) return {};
  const std::string text = read_file(path, kMaxStoreBytes);
  if (text.find("pinned:") == std::string::npos) return {};
  const Artefact artefact = parse_best(text, path.string());
  std::vector<TuneEntry> pinned;
  std::copy_if(artefact.entries.begin(), artefact.entries.end(), std::back_inserter(pinned),
               [](const TuneEntry& entry) { return entry.pinned; });
  if (pinned.empty() || same_architecture(artefact.device, device)) return pinned;
  throw environment_error(
      format("{} has pinned rows for {}, and the new rows are for {}: name another file",
             path.string(), to_string(artefact.device), to_string(device)));
}

int64_t keep_pinned(Artefact& artefact, const std::vector<TuneEntry>& pinned) {
  int64_t replaced = 0;
  for (const TuneEntry& row : pinned) {
    const auto same = std::find_if(artefact.entries.begin(), artefact.entries.end(),
                                   [&](const TuneEntry& e) { return e.problem == row.problem; });
    if (same == artefact.entries.end()) {
      artefact.entries.push_back(row);
    } else {
      *same = row;
      ++replaced;
    }
  }
  return replaced;
}

Origin origin_of(const TuneEntry& entry, const Artefact& artefact) {
  if (entry.origin) return *entry.origin;
  return {.tool_version = artefact.tool_version,
          .software = {},
          .method = artefact.method,
          .rounds = artefact.rounds};
}

Origin origin_of(const Trial& trial, const Artefact& artefact) {
  return trial.origin.value_or(Origin{.tool_version = artefact.tool_version,
                                      .software = {},
                                      .method = artefact.method,
                                      .rounds = trial.rounds});
}

std::vector<Origin> origins_of(const Artefact& artefact) {
  std::vector<Origin> origins;
  for (const TuneEntry& entry : artefact.entries) {
    if (entry.timing) origins.push_back(origin_of(entry, artefact));
  }
  for (const Trial& trial : artefact.trials) origins.push_back(origin_of(trial, artefact));
  for (const ForeignEntry& entry : artefact.foreign) origins.push_back(entry.origin);
  return origins;
}

std::vector<OriginDifference> origin_differences(const Origin& before, const Origin& now) {
  std::vector<OriginDifference> differences;
  for (const Part& part : kParts) {
    if (part.of(before) == part.of(now)) continue;
    differences.push_back({part.name, shown(part.of(before)), shown(part.of(now))});
  }
  return differences;
}

std::vector<std::string> origin_differences(const std::vector<Origin>& origins) {
  std::vector<std::string> lines;
  for (const Part& part : kParts) {
    std::map<std::string, int64_t> counts;
    for (const Origin& origin : origins) ++counts[part.of(origin)];
    if (counts.size() < 2) continue;
    std::vector<std::string> values;
    values.reserve(counts.size());
    for (const auto& [value, count] : counts) {
      values.push_back(format("{} ({} answer{})", shown(value), count, count == 1 ? "" : "s"));
    }
    lines.push_back(format("the answers' {} differs: {}", part.name, join(values, ", ")));
  }
  return lines;
}

const TuneEntry* find_entry(const Artefact& artefact, const Workload& workload) {
  const TuneEntry* exact = nullptr;
  for (const TuneEntry& entry : artefact.entries) {
    if (entry.problem != workload) continue;
    if (entry.pinned) return &entry;
    if (exact == nullptr) exact = &entry;
  }
  if (exact != nullptr) return exact;
  const TuneEntry* nearest = nullptr;
  for (const TuneEntry& entry : artefact.entries) {
    if (!serves(entry.problem, workload)) continue;
    const bool nearer = nearest == nullptr || routing_distance(entry.problem, workload) <
                                                  routing_distance(nearest->problem, workload);
    if (nearer) nearest = &entry;
  }
  return nearest;
}

std::vector<const ForeignEntry*> foreign_answers(const Artefact& artefact,
                                                 const Workload& workload) {
  std::vector<const ForeignEntry*> answers;
  for (const ForeignEntry& entry : artefact.foreign) {
    if (entry.problem == workload) answers.push_back(&entry);
  }
  std::stable_sort(answers.begin(), answers.end(), [](const auto* a, const auto* b) {
    return a->timing.median_us < b->timing.median_us;
  });
  return answers;
}

double distance(const Workload& a, const Workload& b) {
  const auto apart = [](size_t one, size_t other) {
    return std::abs(std::log1p(static_cast<double>(one)) - std::log1p(static_cast<double>(other)));
  };
  const auto rows = [](const Workload& w) { return static_cast<size_t>(total_rows(w)); };
  const auto n = [](const Workload& w) { return static_cast<size_t>(w.shapes.front().n); };
  const auto k = [](const Workload& w) { return static_cast<size_t>(w.shapes.front().k); };
  return apart(rows(a), rows(b)) + apart(n(a), n(b)) + apart(k(a), k(b)) +
         apart(a.shapes.size(), b.shapes.size()) + (a.kind.dtype == b.kind.dtype ? 0.0 : 0.1) +
         (a.op == b.op ? 0.0 : 0.5) + (a.uplo == b.uplo ? 0.0 : 0.1);
}

const TuneEntry* nearest_entry(const Artefact& artefact, const Workload& workload) {
  const TuneEntry* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const TuneEntry& entry : artefact.entries) {
    const double now = distance(entry.problem, workload);
    if (entry.problem.op != workload.op || now >= least) continue;
    least = now;
    nearest = &entry;
  }
  return nearest;
}

}  // namespace tilewright
