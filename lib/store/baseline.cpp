#include "store/baseline.hpp"

#include <algorithm>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "record/kind_fields.hpp"
#include "record/node.hpp"
#include "record/record_fields.hpp"
#include "store/best_table.hpp"

namespace tilewright {
template <>
constexpr auto kFields<PredictedNumbers> = std::array{
    // Null where no time is predicted; a time of 0 would let every case pass.
    positive<&PredictedNumbers::us>("predicted_us"),
    always<&PredictedNumbers::dram_read_bytes>("dram_read_bytes", NumberRange::NotNegative),
    always<&PredictedNumbers::dram_write_bytes>("dram_write_bytes", NumberRange::NotNegative)};

template <>
constexpr auto kFields<CompilerNumbers> =
    std::array{always<&CompilerNumbers::registers>("registers"),
               always<&CompilerNumbers::spill_bytes>("spill_bytes"),
               always<&CompilerNumbers::smem_bytes>("smem_bytes")};

// Older baselines have only `bijective` and, of the prediction, `dram_read_bytes`: the gate then
// proves and prices their configs again.
template <>
constexpr auto kFields<StaticNumbers> = std::array{
    always<&StaticNumbers::slots>("slots"),
    always<&StaticNumbers::overhang>("overhang"),
    always<&StaticNumbers::waves>("waves"),
    when_set<&StaticNumbers::complete>("complete"),
    when_set<&StaticNumbers::walk>("walk"),
    when_set<&StaticNumbers::prices>("prices"),
    derived<StaticNumbers>("bijective", nullptr, [](const StaticNumbers&) { return false; }),
    part<&StaticNumbers::predicted>(),
    part<&StaticNumbers::compiled>()};

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

constexpr std::array kCase = {
    always<&CaseNumbers::name>("name"),           part<&CaseNumbers::problem>(),
    always<&CaseNumbers::config>("config"),       when_set<&CaseNumbers::exact>("static"),
    when_set<&CaseNumbers::measured>("measured"),
};

// Schema 2 always has these keys; an edited file without them would let every case pass.
void require_recorded(const Node& node) {
  (void)node.at("complete").flag();
  (void)node.at("predicted_us");
  for (const char* const key : {"walk", "prices"}) {
    if (node.at(key).text().empty()) throw node.at(key).fail("is empty");
  }
}

// Keeps the numbers of the file's mode.
CaseNumbers read_case(const Node& node, GateMode mode, bool digests) {
  auto numbers = read_record<CaseNumbers>(node, kCase);
  const bool is_static = mode == GateMode::Static;
  const Node own = node.at(is_static ? "static" : "measured");
  if (is_static && digests) require_recorded(own);
  if (is_static) {
    numbers.measured.reset();
  } else {
    numbers.exact.reset();
  }
  return numbers;
}

GateMode read_mode(const Node& node) {
  const std::string mode = node.text();
  if (mode == "static") return GateMode::Static;
  if (mode == "baseline" || mode == "gpu") return GateMode::Baseline;  // gpu: its former name
  throw node.fail(format("'{}' is not static or baseline", mode));
}

constexpr std::string_view kSchema = "tilewright.baseline/2";
constexpr std::string_view kFormerSchema = "tilewright.baseline/1";

// True for the schema that has digests.
bool read_schema(const Node& file) {
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
  cases.push_back(document_of(numbers, kCase));
  const std::string text = to_yaml({{"cases", cases}});
  return text.substr(text.find('\n') + 1);
}

// The first line of a case in a file, from 0; the next case begins where it ends.
struct CaseLines {
  std::string name;
  size_t begin = 0;
};

std::vector<CaseLines> places_of(const Node& file) {
  std::vector<CaseLines> places;
  for (const Node& node : file.at("cases").items()) {
    places.push_back({node.at("name").text(), static_cast<size_t>(node.line() - 1)});
  }
  // The key after the list marks the list's end.
  places.push_back({"", static_cast<size_t>(file.at("complete").line() - 1)});
  return places;
}

}  // namespace

std::string with_cases(std::string_view text, const std::string& source,
                       std::span<const CaseNumbers> cases) {
  const Node file = Node::parse(text, source);
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
  for (const CaseNumbers& numbers : baseline.cases) cases.push_back(document_of(numbers, kCase));
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
  const Node file = Node::parse(text, source);
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
  for (const Node& node : file.at("cases").items()) {
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
