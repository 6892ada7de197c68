// tilewright report: joins outputs of other verbs in one self-contained page.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "host/devices.hpp"
#include "host/output_files.hpp"
#include "page/artefact_section.hpp"
#include "page/foreign_section.hpp"
#include "page/history_section.hpp"
#include "page/program_section.hpp"
#include "page/report_page.hpp"
#include "page/store_section.hpp"
#include "page/sweep_section.hpp"
#include "page/trace_section.hpp"
#include "store/best_table.hpp"
#include "store/dispatch.hpp"
#include "store/gate_history.hpp"
#include "store/measured_json.hpp"
#include "store/problems.hpp"
#include "store/record_reader.hpp"
#include "store/schedule_json.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {

namespace {

// The schema that the first line of JSON lines names; empty for anything else.
std::string schema_of_lines(std::string_view text) {
  const std::string_view line = trim(text.substr(0, text.find('\n')));
  const Document first = Document::parse(line, nullptr, false);
  const auto schema = first.find("schema");
  return schema != first.end() && schema->is_string() ? schema->get<std::string>() : "";
}

struct Source {
  const std::string& file;
  const std::string& text;
  ReportPage& page;
  Document& data;  // this file's
};

void add_history(const Source& source) {
  const std::vector<HistoryRun> runs = parse_history(source.text, source.file);
  source.page.sections.push_back(history_section(runs, source.file));
  for (const HistoryRun& run : runs) {
    source.data["history"].push_back(Document::parse(print_history(run)));
  }
}

void add_store(const Source& source, Console& console) {
  const RecordStore store = parse_records(source.text, source.file);
  for (const std::string& note : reading_notes(store, source.file)) console.note(note);
  const StoreSummary summary = summary_of(store);
  source.page.sections.push_back(store_section(summary, source.file));
  source.data["store"] = to_document(summary);
}

void add_sweep(const Source& source, Document&& sweep) {
  source.page.sections.push_back(sweep_section(read_sweep(source.text, source.file), source.file));
  source.data["sweep"] = std::move(sweep);
}

void add_trace(const Source& source, Document&& trace, const std::string& device) {
  const RecordedTrace recorded = read_trace(source.text, source.file);
  source.page.sections.push_back(trace_section(recorded, resolve_device(device).spec, source.file));
  // The trace events repeat the rest of the file.
  trace.erase("traceEvents");
  source.data["trace"] = std::move(trace);
}

// A program's products beside the answers of all files.
void add_program(const Source& source, const std::vector<Artefact>& artefacts) {
  const std::vector<ProgramProduct> products =
      program_products(parse_counted_file(source.text, source.file, {}), artefacts);
  source.page.sections.push_back(program_section(products, source.file));
  for (const ProgramProduct& one : products) {
    Document product = to_document(one.counted.workload);
    product["calls"] = one.counted.calls;
    product["library_us"] = value_or_null(one.library_us);
    product["winner_us"] = value_or_null(one.winner_us);
    product["lost_us"] = value_or_null(lost_us(one));
    source.data["program"].push_back(std::move(product));
  }
}

void add_artefact(const Source& source, const Artefact& artefact) {
  if (!artefact.entries.empty() || artefact.foreign.empty()) {
    source.page.sections.push_back(artefact_section(artefact, source.file, device_of(artefact)));
  }
  if (!artefact.foreign.empty()) {
    source.page.sections.push_back(foreign_section(artefact, source.file));
  }
  source.data["artefact"] = to_document(artefact);
}

// What the files of one page share.
struct SharedParts {
  std::string device;               // that a trace is compared with
  std::vector<Artefact> artefacts;  // read so far
};

bool is_program(std::string_view text) {
  return names_schema(text, kProblemsSchema);
}

// Adds the file as a section, and its numbers to the page's data.
void add_file(const Source& source, SharedParts& shared, Console& console) {
  const std::string& text = source.text;
  if (is_program(text)) return add_program(source, shared.artefacts);
  const std::string schema = schema_of_lines(text);
  if (schema == kHistorySchema) return add_history(source);
  if (schema.starts_with(kStoreSchema)) return add_store(source, console);
  Document document = Document::parse(text, nullptr, false);
  if (document.contains("points")) return add_sweep(source, std::move(document));
  if (document.contains("records")) return add_trace(source, std::move(document), shared.device);
  shared.artefacts.push_back(parse_best(text, source.file));
  add_artefact(source, shared.artefacts.back());
}

// The files with their texts; programs last, because they need the answers of the others.
std::vector<std::pair<std::string, std::string>> texts_in_order(
    const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, std::string>> texts;
  texts.reserve(files.size());
  for (const std::string& file : files) texts.emplace_back(file, read_file(file, kMaxStoreBytes));
  std::stable_partition(texts.begin(), texts.end(),
                        [](const auto& one) { return !is_program(one.second); });
  return texts;
}

// True for the beginning of any HTML page.
bool is_page(std::string_view text) {
  return trim(text).starts_with("<");
}

}  // namespace

Report run_report(const ReportOptions& options, Console& console) {
  const NamedFile output{"-o", options.output};
  std::vector<NamedFile> inputs;
  for (const std::string& file : options.files) inputs.push_back({"an input", file});
  require_distinct({&output, 1}, inputs);
  require_own(output, "a page of HTML", is_page);
  ReportPage page;
  page.title = options.files.size() == 1 ? options.files.front() : "tilewright report";
  Document data = Document::object();
  data["schema"] = kReportSchema;
  data["tool_version"] = kVersion;
  data["sources"] = Document::array();
  SharedParts shared{.device = options.device, .artefacts = {}};
  for (const auto& [file, text] : texts_in_order(options.files)) {
    Document& of_file = data["sources"].emplace_back();
    of_file["file"] = file;
    add_file({file, text, page, of_file}, shared, console);
  }
  write_file(options.output, page_html(page, data));
  if (options.output == "-") return {};
  return {.notes = {"wrote " + options.output}};
}

}  // namespace tilewright
