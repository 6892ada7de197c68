// tilewright report: artefacts and histories as one page that needs nothing else.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "page/artefact_section.hpp"
#include "page/history_section.hpp"
#include "page/report_page.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
#include "store/gate_history.hpp"
#include "verbs.hpp"

namespace tilewright {

namespace {

// The preset of the artefact's architecture, if there is one.
std::optional<DeviceSpec> device_of(const DeviceFingerprint& device) {
  for (const std::string& name : device_preset_names()) {
    const DeviceSpec spec = load_device_preset(name);
    if (same_architecture(fingerprint(spec, true), device)) return spec;
  }
  return std::nullopt;
}

// The schema that the first line of JSON lines names; empty for anything else.
std::string schema_of_lines(std::string_view text) {
  const std::string_view line = trim(text.substr(0, text.find('\n')));
  const Document first = Document::parse(line, nullptr, false);
  return first.is_object() ? first.value("schema", "") : "";
}

// Adds the file as a section, and its numbers to the page's data.
void add_file(const std::string& file, ReportPage& page, Document& data) {
  const std::string text = read_file(file);
  Document source;
  source["file"] = file;
  if (schema_of_lines(text) == kHistorySchema) {
    const std::vector<HistoryRun> runs = parse_history(text, file);
    page.sections.push_back(history_section(runs, file));
    for (const HistoryRun& run : runs) {
      source["history"].push_back(Document::parse(print_history(run)));
    }
  } else {
    const Artefact artefact = parse_best(text, file);
    page.sections.push_back(artefact_section(artefact, file, device_of(artefact.device)));
    source["artefact"] = to_document(artefact);
  }
  data["sources"].push_back(std::move(source));
}

}  // namespace

ExitCode run_report(const ReportOptions& options, Console& console) {
  require_writable(options.output);
  ReportPage page;
  page.title = options.files.size() == 1 ? options.files.front() : "tilewright report";
  Document data = Document::object();
  data["schema"] = kReportSchema;
  data["tool_version"] = kVersion;
  data["sources"] = Document::array();
  for (const std::string& file : options.files) {
    add_file(file, page, data);
  }
  write_file(options.output, page_html(page, data));
  if (options.output != "-") console.say("wrote " + options.output);
  return ExitCode::Good;
}

}  // namespace tilewright
