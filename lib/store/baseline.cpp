#include "store/baseline.hpp"

#include <algorithm>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "store/best_table.hpp"
#include "store/kind_fields.hpp"
#include "store/record_fields.hpp"
#include "store/yaml_reader.hpp"

namespace tilewright {
template <>
constexpr auto kFields<PredictedNumbers> = std::array{
    // Null where no time is predicted; a time of 0 would let every case pass.
    Field<PredictedNumbers>{
        .key = "predicted_us",
        .is_required = true,
        .is_set = [](const PredictedNumbers&) { return true; },
        .written = [](const PredictedNumbers& p) { return value_or_null(p.us); },
        .read =
            [](const YamlReader& node, PredictedNumbers& p) {
              if (!node.is_null()) p.us = node.positive();
            },
        .read_json = nullptr},
    always<&PredictedNumbers::dram_read_bytes>("dram_read_bytes", NumberRange::NotNegative),
    always<&PredictedNumbers::dram_write_bytes>("dram_write_bytes", NumberRange::NotNegative)};

template <>
constexpr auto kFields<CompilerNumbers> =
    std::array{always<&CompilerNumbers::registers>("registers"),
               always<&CompilerNumbers::spill_bytes>("spill_bytes"),
               always<&CompilerNumbers::smem_bytes>("smem_bytes")};

template <>
constexpr auto kFields<StaticNumbers> = std::array{
    always<&StaticNumbers::slots>("slots"), always<&StaticNumbers::overhang>("overhang"),
    always<&StaticNumbers::waves>("waves"), when_set<&StaticNumbers::complete>("complete"),
    when_set<&StaticNumbers::walk>("walk"), when_set<&StaticNumbers::prices>("prices")};

template <>
constexpr auto kFields<MeasuredNumbers> =
    std::array{positive<&MeasuredNumbers::median_us>("median_us"),
               always<&MeasuredNumbers::reference>("reference"),
               positive<&MeasuredNumbers::reference_us>("reference_us"),
               // A ratio of 0 would let every case pass.
               positive<&MeasuredNumbers::ratio, &PairedRatio::ratio>("ratio"),
               positive<&MeasuredNumbers::ratio, &PairedRatio::interval>("ratio_ci"),
               always<&MeasuredNumbers::rounds>("rounds")};

namespace {

Document static_document(const StaticNumbers& numbers) {
  Document document = to_document(numbers);
  if (numbers.predicted) write_fields(*numbers.predicted, document);
  if (numbers.compiled) write_fields(*numbers.compiled, document);
  return document;
}

Document to_document(const CaseNumbers& numbers) {
  Document document = {{"name", numbers.name}};
  document.update(to_document(numbers.problem));
  document["config"] = to_string(numbers.config);
  if (numbers.exact) document["static"] = static_document(*numbers.exact);
  if (numbers.measured) document["measured"] = to_document(*numbers.measured);
  return document;
}

StaticNumbers read_static(const YamlReader& node) {
  // Older baselines have only `bijective` and `dram_read_bytes`: the gate then proves and prices
  // their configs again.
  constexpr std::string_view kLegacyKeys[] = {"bijective"};
  node.allow_only(join_keys(keys_of<StaticNumbers>(), kLegacyKeys, keys_of<PredictedNumbers>(),
                            keys_of<CompilerNumbers>()));
  StaticNumbers numbers;
  read_fields(node, numbers);
  if (node.find("predicted_us") || node.find("dram_write_bytes")) {
    read_fields(node, numbers.predicted.emplace());
  }
  if (node.find("registers") || node.find("spill_bytes") || node.find("smem_bytes")) {
    read_fields(node, numbers.compiled.emplace());
  }
  return numbers;
}

// Schema 2 always has these keys; an edited file without them would let every case pass.
void require_recorded(const YamlReader& node) {
  (void)node.at("complete").flag();
  (void)node.at("predicted_us");
  for (const char* const key : {"walk", "prices"}) {
    if (node.at(key).text().empty()) throw node.at(key).fail("is empty");
  }
}

CaseNumbers read_case(const YamlReader& node, GateMode mode, bool digests) {
  node.allow_only(
      with_kind_keys({"name", "problem", "op", "uplo", "config", "static", "measured"}));
  CaseNumbers numbers;
  numbers.name = node.at("name").text();
  numbers.problem = read_workload(node);
  numbers.config = read_config(node.at("config"));
  if (mode == GateMode::Static) {
    numbers.exact = read_static(node.at("static"));
    if (digests) require_recorded(node.at("static"));
  } else {
    numbers.measured = read_record<MeasuredNumbers>(node.at("measured"));
  }
  return numbers;
}

GateMode read_mode(const YamlReader& node) {
  const std::string mode = node.text();
  if (mode == "static") return GateMode::Static;
  if (mode == "baseline" || mode == "gpu") return GateMode::Baseline;  // gpu: its former name
  throw node.fail(format("'{}' is not static or baseline", mode));
}

constexpr std::string_view kSchema = "tilewright.baseline/2";
constexpr std::string_view kFormerSchema = "tilewright.baseline/1";

// True for the schema that has digests.
bool read_schema(const YamlReader& file) {
  if (file.at("schema").text() == kFormerSchema) return false;
  file.require_schema(kSchema);
  return true;
}

// The lines of a text, each with its end.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// The text of one case in a baseline's list.
std::string case_text(const CaseNumbers& numbers) {
  Document cases = Document::array();
  cases.push_back(to_document(numbers));
  const std::string text = to_yaml({{"cases", cases}});
  return text.substr(text.find('\n') + 1);
}

// The first line of a case in a file, from 0; the next case begins where it ends.
struct CaseLines {
  std::string name;
  size_t begin = 0;
};

std::vector<CaseLines> places_of(const YamlReader& file) {
  std::vector<CaseLines> places;
  for (const YamlReader& node : file.at("cases").items()) {
    places.push_back({node.at("name").text(), static_cast<size_t>(node.line() - 1)});
  }
  // The key after the list marks the list's end.
  places.push_back({"", static_cast<size_t>(file.at("complete").line() - 1)});
  return places;
}

}  // namespace

std::string with_cases(std::string_view text, const std::string& source,
                       std::span<const CaseNumbers> cases) {
  const YamlReader file = YamlReader::parse(text, source);
  if (!read_schema(file)) {
    throw usage_error(
        format("{}: its schema {} has no digests: update all of its cases with --update", source,
               kFormerSchema));
  }
  const std::vector<std::string> lines = lines_of(text);
  const std::vector<CaseLines> places = places_of(file);
  const auto append = [&lines](std::string& to, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) to += lines[i];
  };
  std::string made;
  append(made, 0, places.front().begin);
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const CaseNumbers& numbers) {
      return numbers.name == places[i].name;
    });
    if (found == cases.end()) {
      append(made, places[i].begin, places[i + 1].begin);
    } else {
      made += case_text(*found);
    }
  }
  for (const CaseNumbers& numbers : cases) {
    const bool old = std::any_of(places.begin(), places.end() - 1, [&](const CaseLines& place) {
      return place.name == numbers.name;
    });
    if (!old) made += case_text(numbers);
  }
  append(made, places.back().begin, lines.size());
  parse_baseline(made, source);  // throws if the file's layout is not that of print_baseline()
  return made;
}

std::string print_baseline(const Baseline& baseline) {
  Document cases = Document::array();
  for (const CaseNumbers& numbers : baseline.cases) cases.push_back(to_document(numbers));
  Document document = {{"schema", kSchema},
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
  const bool digests = read_schema(file);
  file.allow_only(
      {"schema", "tool_version", "mode", "device", "compiler", "method", "cases", "complete"});
  require_complete(file);
  Baseline baseline;
  baseline.tool_version = file.at("tool_version").text();
  baseline.mode = read_mode(file.at("mode"));
  baseline.device = read_record<DeviceFingerprint>(file.at("device"));
  if (const auto compiler = file.find("compiler")) baseline.compiler = compiler->text();
  if (baseline.mode == GateMode::Baseline) {
    baseline.method = read_record<MeasuringMethod>(file.at("method"));
  }
  for (const YamlReader& node : file.at("cases").items()) {
    CaseNumbers numbers = read_case(node, baseline.mode, digests);
    if (find_case(&baseline, numbers.name) != nullptr) {
      throw node.at("name").fail(format("'{}' is the name of two cases", numbers.name));
    }
    baseline.cases.push_back(std::move(numbers));
  }
  return baseline;
}

Baseline load_baseline(const std::filesystem::path& path) {
  if (path != "-" && is_missing(path)) {
    throw Error(ExitCode::NoBaseline,
                format("there is no baseline '{}': write it with --update at a state that is good",
                       path.string()));
  }
  return parse_baseline(read_file(path), path.string());
}

}  // namespace tilewright
