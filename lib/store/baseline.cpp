#include "store/baseline.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "store/best_table.hpp"
#include "store/kind_fields.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
namespace {

Document to_document(const StaticNumbers& n) {
  Document document = {{"slots", n.slots}, {"overhang", n.overhang}, {"waves", n.waves}};
  if (n.complete) document["complete"] = *n.complete;
  if (n.predicted) {
    document["predicted_us"] = n.predicted->us;
    document["dram_read_bytes"] = n.predicted->dram_read_bytes;
    document["dram_write_bytes"] = n.predicted->dram_write_bytes;
  }
  if (n.compiled) {
    document["registers"] = n.compiled->registers;
    document["spill_bytes"] = n.compiled->spill_bytes;
    document["smem_bytes"] = n.compiled->smem_bytes;
  }
  return document;
}

Document to_document(const MeasuredNumbers& n) {
  return {{"median_us", n.median_us},
          {"reference", n.reference},
          {"reference_us", n.reference_us},
          {"ratio", n.ratio.ratio},
          {"ratio_ci", Document::array({n.ratio.interval.low, n.ratio.interval.high})},
          {"rounds", n.rounds}};
}

Document to_document(const CaseNumbers& numbers) {
  Document document = {{"name", numbers.name}};
  document.update(to_document(numbers.problem));
  document["config"] = to_string(numbers.config);
  if (numbers.exact) document["static"] = to_document(*numbers.exact);
  if (numbers.measured) document["measured"] = to_document(*numbers.measured);
  return document;
}

double read_bytes(const YamlReader& node) {
  const double bytes = node.number();
  if (bytes < 0) throw node.fail(format("is {}; bytes are 0 or more", bytes));
  return bytes;
}

StaticNumbers read_static(const YamlReader& node) {
  // `bijective` and `dram_read_bytes` alone are what baselines of before have: their configs are
  // priced again, and proved again.
  node.allow_only({"slots", "overhang", "waves", "bijective", "complete", "predicted_us",
                   "dram_read_bytes", "dram_write_bytes", "registers", "spill_bytes",
                   "smem_bytes"});
  StaticNumbers numbers;
  numbers.slots = node.at("slots").count();
  numbers.overhang = node.at("overhang").count();
  numbers.waves = node.at("waves").count();
  if (const auto complete = node.find("complete")) numbers.complete = complete->flag();
  if (node.find("predicted_us") || node.find("dram_write_bytes")) {
    // A time of 0 would let everything pass.
    numbers.predicted =
        PredictedNumbers{node.at("predicted_us").positive(), read_bytes(node.at("dram_read_bytes")),
                         read_bytes(node.at("dram_write_bytes"))};
  }
  if (node.find("registers") || node.find("spill_bytes") || node.find("smem_bytes")) {
    numbers.compiled =
        CompilerNumbers{node.at("registers").small_count(), node.at("spill_bytes").small_count(),
                        node.at("smem_bytes").small_count()};
  }
  return numbers;
}

MeasuredNumbers read_measured(const YamlReader& node) {
  node.allow_only({"median_us", "reference", "reference_us", "ratio", "ratio_ci", "rounds"});
  MeasuredNumbers numbers;
  numbers.median_us = node.at("median_us").number();
  numbers.reference = node.at("reference").text();
  numbers.reference_us = node.at("reference_us").number();
  // A ratio of 0 would let everything pass.
  numbers.ratio.ratio = node.at("ratio").positive();
  numbers.ratio.interval = read_interval(node.at("ratio_ci"));
  numbers.rounds = node.at("rounds").count();
  return numbers;
}

CaseNumbers read_case(const YamlReader& node, GateMode mode) {
  node.allow_only(
      with_kind_keys({"name", "problem", "op", "uplo", "config", "static", "measured"}));
  CaseNumbers numbers;
  numbers.name = node.at("name").text();
  numbers.problem = read_workload(node);
  numbers.config = read_config(node.at("config"));
  if (mode == GateMode::Static) {
    numbers.exact = read_static(node.at("static"));
  } else {
    numbers.measured = read_measured(node.at("measured"));
  }
  return numbers;
}

Document to_document(const MeasuringMethod& method) {
  return {{"timer", method.timer},
          {"regime", method.regime},
          {"data", method.data},
          {"reference", method.reference}};
}

GateMode read_mode(const YamlReader& node) {
  const std::string mode = node.text();
  if (mode == "static") return GateMode::Static;
  if (mode == "baseline" || mode == "gpu") return GateMode::Baseline;  // gpu: its former name
  throw node.fail(format("'{}' is not static or baseline", mode));
}

}  // namespace

std::string print_baseline(const Baseline& baseline) {
  Document cases = Document::array();
  for (const CaseNumbers& numbers : baseline.cases) cases.push_back(to_document(numbers));
  Document document = {{"schema", "tilewright.baseline/1"},
                       {"tool_version", baseline.tool_version},
                       {"mode", to_string(baseline.mode)},
                       {"device", to_document(baseline.device)}};
  if (!baseline.compiler.empty()) document["compiler"] = baseline.compiler;
  if (baseline.mode == GateMode::Baseline) document["method"] = to_document(baseline.method);
  document["cases"] = cases;
  document["complete"] = true;
  return to_yaml(document);
}

Baseline parse_baseline(std::string_view text, const std::string& source) {
  const YamlReader file = YamlReader::parse(text, source);
  file.require_schema("tilewright.baseline/1");
  file.allow_only(
      {"schema", "tool_version", "mode", "device", "compiler", "method", "cases", "complete"});
  require_complete(file);
  Baseline baseline;
  baseline.tool_version = file.at("tool_version").text();
  baseline.mode = read_mode(file.at("mode"));
  baseline.device = read_fingerprint(file.at("device"));
  baseline.compiler = read_text(file.find("compiler"));
  if (baseline.mode == GateMode::Baseline) {
    file.at("method").allow_only({"timer", "regime", "data", "reference"});
    baseline.method = read_method(file.at("method"));
  }
  for (const YamlReader& node : file.at("cases").items()) {
    CaseNumbers numbers = read_case(node, baseline.mode);
    if (find_case(&baseline, numbers.name) != nullptr) {
      throw node.at("name").fail(format("'{}' names two cases", numbers.name));
    }
    baseline.cases.push_back(std::move(numbers));
  }
  return baseline;
}

Baseline load_baseline(const std::filesystem::path& path) {
  if (path != "-" && is_missing(path)) {
    throw Error(ExitCode::NoBaseline,
                format("there is no baseline '{}': write it with --update on a state that is good",
                       path.string()));
  }
  return parse_baseline(read_file(path), path.string());
}

}  // namespace tilewright
