#include "store/measured_json.hpp"

#include <algorithm>
#include <utility>

#include "model/roofline.hpp"
#include "record/document.hpp"
#include "record/node.hpp"
#include "record/record_fields.hpp"
#include "store/best_table.hpp"
#include "store/foreign_entry.hpp"

namespace tilewright {

namespace {

Document head(const Workload& workload, const DeviceSpec& device, bool predicted) {
  Document document = to_document(workload);
  document["device"] = device.name;
  document["predicted"] = predicted;
  return document;
}

// What ranks a row that has no time.
void write_rank(const BenchRow& row, const std::vector<BenchRow>& rows, Document& document) {
  document["place"] = place_among(row, rows);
  document["waves"] = row.predicted.waves;
  document["dram_read_bytes"] = row.predicted.dram_read_bytes;
  document["dram_write_bytes"] = row.predicted.dram_write_bytes;
}

Document row_document(const BenchRow& row, const BenchResult& result) {
  const Workload& workload = result.workload;
  Document document = {{"requested", row.requested}};
  if (row.foreign) {
    document["harness"] = to_document(*row.foreign);
  } else {
    document["effective"] = launch_config_text(row.effective, workload);
    if (row.equals) document["equals"] = to_string(*row.equals);
    document["determinism"] = determinism_of(row.effective.decomposition);
    document["predicted_us"] = value_or_null(believed_us(row.predicted));
    if (!row.predicted.is_time) write_rank(row, result.rows, document);
  }
  if (row.imbalance > 0) document["imbalance"] = row.imbalance;
  if (row.timing) {
    document["median_us"] = row.timing->median_us;
    document["ci_us"] = field_value::written(row.timing->ci_us);
    document["tflops"] = row.timing->tflops;
  }
  if (row.ratio) {
    document["ratio"] = row.ratio->ratio;
    document["ratio_ci"] = field_value::written(row.ratio->interval);
  }
  if (row.verified) {
    document["verified"] = {{"ok", row.verified->ok}, {"rel_error", row.verified->rel_error}};
  }
  if (row.counters) {
    document["counters"] = to_document(*row.counters);
  }
  if (row.counters && !row.foreign) {
    document["predicted_dram_read_bytes"] = row.predicted.dram_read_bytes;
    document["predicted_dram_write_bytes"] = row.predicted.dram_write_bytes;
  }
  if (!row.why_no_counters.empty()) document["why_no_counters"] = row.why_no_counters;
  if (row.beside_gb_per_s) document["beside_gb_per_s"] = *row.beside_gb_per_s;
  if (!row.why_not.empty()) document["reason"] = row.why_not;
  return document;
}

// `kind`, `multiprocessors` and `alone_gb_per_s`, or `reason` where no rate was measured.
Document neighbour_document(const NeighbourResult& neighbour) {
  Document document = {{"kind", kBesideKinds[static_cast<size_t>(neighbour.beside.kind)]},
                       {"multiprocessors", neighbour.beside.multiprocessors}};
  if (neighbour.why_not.empty()) {
    document["alone_gb_per_s"] = neighbour.alone_gb_per_s;
  } else {
    document["reason"] = neighbour.why_not;
  }
  return document;
}

Document bench_document(const BenchResult& result, const DeviceSpec& device, bool predicted) {
  Document document = head(result.workload, device, predicted);
  if (!result.baseline.empty()) {
    document["baseline"] = {{"name", result.baseline}, {"median_us", result.baseline_us}};
  }
  if (result.neighbour) {
    document["beside"] = neighbour_document(*result.neighbour);
    const std::optional<double>& baseline = result.neighbour->baseline_gb_per_s;
    if (baseline) document["baseline"]["beside_gb_per_s"] = *baseline;
  }
  if (!result.references.empty()) document["references"] = field_value::written(result.references);
  document["rounds"] = result.rounds;
  if (!predicted) document["regime"] = kRegimes[static_cast<size_t>(result.regime)];
  document["rows"] = Document::array();
  for (const BenchRow& row : result.rows) {
    document["rows"].push_back(row_document(row, result));
    // The model prices launches with a cold L2, so it has no times for the hot regime.
    if (result.regime != Regime::Hot) continue;
    for (const char* const key :
         {"predicted_us", "predicted_dram_read_bytes", "predicted_dram_write_bytes"}) {
      document["rows"].back().erase(key);
    }
  }
  return document;
}

}  // namespace

std::string bench_json(const BenchResult& result, const DeviceSpec& device, bool predicted) {
  return to_json(bench_document(result, device, predicted));
}

std::string suite_bench_json(const SuiteBench& suite, const DeviceSpec& device) {
  Document document = {{"device", device.name}, {"predicted", suite.predicted}};
  if (const auto summary = summarize(suite)) {
    document["geometric_mean"] = summary->geometric_mean;
    document["lowest"] = summary->lowest;
  }
  document["problems"] = Document::array();
  for (const BenchResult& result : suite.results) {
    const BenchRow& row = result.rows.front();
    const Roofline floor = roofline(result.workload, device);
    const std::optional<double> us = time_of(row);
    Document problem = bench_document(result, device, suite.predicted);
    problem["ceiling_pct"] = us ? Document(100 * least_us(floor) / *us) : Document();
    problem["bound"] = bound_name(floor);
    document["problems"].push_back(std::move(problem));
  }
  return to_json(document);
}

std::string profile_json(const ProfileResult& result, const DeviceSpec& device) {
  Document document = head(result.workload, device, result.predicted);
  if (!result.predicted) document["regime"] = kRegimes[static_cast<size_t>(result.regime)];
  document["requested"] = result.requested;
  document["effective"] = result.effective;
  document["values"] = Document::object();
  for (const ProfileRow& row : result.rows) {
    document["values"][row.key] = {{"predicted", value_or_null(row.predicted)},
                                   {"counted", value_or_null(row.counted)}};
  }
  return to_json(document);
}

std::string dry_run_json(const std::vector<DryRun>& runs, const DeviceSpec& device) {
  Document document = {{"device", device.name}, {"problems", Document::array()}};
  for (const DryRun& run : runs) {
    Document rejected = Document::object();
    for (const auto& rule : run.rejected) rejected[rule.first] = rule.second;
    Document counts = to_document(run.problem);
    counts["enumerated"] = run.enumerated;
    counts["legal"] = run.legal;
    counts["rejected"] = rejected;
    document["problems"].push_back(std::move(counts));
  }
  return to_json(document);
}

std::string tune_json(const Artefact& artefact) {
  return to_json(to_document(artefact));
}

std::string trace_json(const RecordedTrace& recorded, const Document& events) {
  const auto& [workload, config, trace] = recorded;
  uint64_t begin = trace.records.empty() ? 0 : trace.records.front().start_ns;
  for (const TraceRecord& record : trace.records) begin = std::min(begin, record.start_ns);
  int64_t slots = 0;
  for (const GemmShape& shape : workload.shapes) {
    slots += count_problem(workload, shape, config).work.slots;
  }
  Document document = to_document(workload);
  document["config"] = to_string(config);
  document["slots"] = slots;
  document["records"] = Document::array();
  for (TraceRecord record : trace.records) {
    record.start_ns -= begin;
    record.end_ns -= begin;
    Document row = to_document(record);
    if (!is_group(workload)) row.erase("problem");
    document["records"].push_back(std::move(row));
  }
  if (trace.second) {
    document["second"] = {{"start_ns", trace.second->start_ns - begin},
                          {"end_ns", trace.second->end_ns - begin}};
  }
  document["displayTimeUnit"] = "ns";
  document["traceEvents"] = events;
  return to_json(document);
}

RecordedTrace read_trace(std::string_view text, const std::string& source) {
  const Node file = Node::parse(text, source);
  RecordedTrace recorded{.workload = read_workload(file),
                         .config = field_value::read_at<TileConfig>(file, "config"),
                         .trace = {}};
  const Node records = file.at("records");
  for (const Node& node : records.items()) {
    TraceRecord& record = recorded.trace.records.emplace_back();
    read_fields(node, record);
    if (record.end_ns < record.start_ns) throw node.fail("ends before it starts");
  }
  if (recorded.trace.records.empty()) throw records.fail("holds no records");
  if (const std::optional<Node> second = file.find("second")) {
    const KernelTimes times{static_cast<uint64_t>(second->at("start_ns").count()),
                            static_cast<uint64_t>(second->at("end_ns").count())};
    if (times.end_ns < times.start_ns) throw second->fail("ends before it starts");
    recorded.trace.second = times;
  }
  return recorded;
}

}  // namespace tilewright
