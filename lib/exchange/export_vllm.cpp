#include "exchange/export_vllm.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/record_fields.hpp"
#include "store/foreign_entry.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kTriton = "triton ";

// An answer, and the row of its file.
struct RowAnswer {
  int64_t m = 0;
  const ForeignEntry* entry = nullptr;
};

// The values in the files' order; empty unless the axes are the files' parameters.
std::vector<AxisValue> in_file_order(const std::vector<AxisValue>& values) {
  std::vector<AxisValue> ordered;
  for (const std::string_view key : kVllmKeys) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [key](const AxisValue& value) { return value.axis == key; });
    if (found != values.end()) ordered.push_back(*found);
  }
  if (ordered.size() != values.size() || ordered.size() != kVllmKeys.size()) ordered.clear();
  return ordered;
}

const ForeignEntry& answer_of(const Artefact& artefact, const Workload& product,
                              const std::string& source) {
  for (const ForeignEntry* const entry : foreign_answers(artefact, product)) {
    if (in_file_order(entry->choice.values).empty()) continue;
    if (entry->default_beside) return *entry;
    throw Error(ExitCode::No, format("{}: the answer for {} has no times of a default config: name "
                                     "it in the harness with `default`, and tune again",
                                     source, to_string(product)));
  }
  throw Error(ExitCode::No,
              format("{} has no answer for {} of a harness with the axes {}: tune --harness makes "
                     "one",
                     source, to_string(product), join_words(kVllmKeys, "and")));
}

// What all rows of a file share.
void require_same_build(const ForeignEntry& first, const ForeignEntry& entry) {
  const bool is_same = first.choice.harness == entry.choice.harness &&
                       first.choice.build == entry.choice.build &&
                       first.compiler == entry.compiler &&
                       first.default_beside->values == entry.default_beside->values;
  if (is_same) return;
  throw usage_error(
      format("{} and {} were tuned with two builds, {} and {}, and would be rows of one file: tune "
             "one of them again",
             to_string(first.problem), to_string(entry.problem), to_string(first.choice),
             to_string(entry.choice)));
}

Document times_document(const Timing& timing) {
  return {{"median_us", timing.median_us}, {"ci_us", {timing.ci_us.low, timing.ci_us.high}}};
}

void add_ratio(const PairedRatio& ratio, Document& document) {
  document["ratio"] = ratio.ratio;
  document["ratio_ci"] = {ratio.interval.low, ratio.interval.high};
}

// The times of a row and of the default, which are the same where the row has its values; then
// `fastest` is the config that the search found.
Document evidence_of(const RowAnswer& row) {
  const ForeignEntry& entry = *row.entry;
  const DefaultBeside& beside = *entry.default_beside;
  const bool is_default = !is_proved_faster(entry);
  Document document = {
      {"m", row.m}, {"problem", to_string(entry.problem)}, {"is_default", is_default}};
  document.update(times_document(is_default ? beside.timing : entry.timing));
  document["default"] = times_document(beside.timing);
  add_ratio(is_default ? PairedRatio{1, {1, 1}} : beside.ratio, document);
  if (is_default && entry.choice.values != beside.values) {
    Document fastest = {{"values", field_value::written(in_file_order(entry.choice.values))}};
    fastest.update(times_document(entry.timing));
    add_ratio(beside.ratio, fastest);
    document["fastest"] = fastest;
  }
  document["rel_error"] = entry.verified.rel_error;
  document["measured_configs"] = entry.considered.measured;
  document["date"] = entry.date;
  document["origin"] = to_document(entry.origin);
  return document;
}

std::string evidence_text(const VllmFileName& name, const DeviceFingerprint& device,
                          const std::vector<RowAnswer>& rows) {
  const ForeignEntry& first = *rows.front().entry;
  Document document = {{"schema", kVllmEvidence},       {"file", to_string(name)},
                       {"device", to_document(device)}, {"harness", first.choice.harness},
                       {"build", first.choice.build},   {"compiler", first.compiler}};
  if (first.compiler.starts_with(kTriton)) {
    document["triton_version"] = first.compiler.substr(kTriton.size());
  }
  document["default"] = field_value::written(in_file_order(first.default_beside->values));
  document["rows"] = Document::array();
  for (const RowAnswer& row : rows) document["rows"].push_back(evidence_of(row));
  return to_json(document);
}

VllmExport file_of(const VllmFileName& name, std::vector<RowAnswer> rows,
                   const DeviceFingerprint& device) {
  std::sort(rows.begin(), rows.end(),
            [](const RowAnswer& a, const RowAnswer& b) { return a.m < b.m; });
  VllmExport file{.name = name, .rows = {}, .evidence = {}};
  file.rows.reserve(rows.size());
  for (const RowAnswer& row : rows) {
    const ForeignEntry& entry = *row.entry;
    require_same_build(*rows.front().entry, entry);
    if (!file.rows.empty() && file.rows.back().m == row.m) {
      throw usage_error(format("two products have the row M = {} of {}: name one of them", row.m,
                               to_string(file.name)));
    }
    file.rows.push_back(
        {.m = row.m,
         .values = in_file_order(is_proved_faster(entry) ? entry.choice.values
                                                         : entry.default_beside->values)});
    if (file.rows.back().values == in_file_order(entry.default_beside->values)) ++file.defaults;
  }
  file.evidence = evidence_text(file.name, device, rows);
  return file;
}

}  // namespace

bool is_proved_faster(const ForeignEntry& entry) {
  return entry.default_beside && entry.choice.values != entry.default_beside->values &&
         entry.default_beside->ratio.interval.low > 1;
}

std::vector<VllmExport> export_vllm(const Artefact& artefact, std::span<const Workload> products,
                                    const std::string& source, const ExpertsGroups& groups) {
  struct File {
    VllmFileName name;
    std::vector<RowAnswer> rows;
  };
  std::map<std::tuple<int64_t, int64_t, int64_t, std::string>, File> files;
  const std::string device = vllm_device_name(artefact.device.name);
  for (const Workload& product : products) {
    const auto [name, m] = place_of(product, device, groups);
    File& file = files[{name.experts, name.n, name.k, to_string(name)}];
    file.name = name;
    file.rows.push_back({m, &answer_of(artefact, product, source)});
  }
  std::vector<VllmExport> exports;
  exports.reserve(files.size());
  for (auto& [key, file] : files) {
    exports.push_back(file_of(file.name, std::move(file.rows), artefact.device));
  }
  return exports;
}

}  // namespace tilewright
