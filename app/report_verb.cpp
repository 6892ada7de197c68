// tilewright report: artefacts as one page that needs nothing else.

#include <optional>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "page/artefact_section.hpp"
#include "page/report_page.hpp"
#include "store/best_table.hpp"
#include "store/device_preset.hpp"
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

}  // namespace

ExitCode run_report(const ReportOptions& options, Console& console) {
  require_writable(options.output);
  ReportPage page;
  page.title = options.files.size() == 1 ? options.files.front() : "tilewright report";
  page.data["schema"] = kReportSchema;
  page.data["tool_version"] = kVersion;
  page.data["sources"] = Document::array();
  for (const std::string& file : options.files) {
    const Artefact artefact = load_best(file);
    page.sections.push_back(artefact_section(artefact, file, device_of(artefact.device)));
    Document source;
    source["file"] = file;
    source["artefact"] = to_document(artefact);
    page.data["sources"].push_back(std::move(source));
  }
  write_file(options.output, page_html(page));
  if (options.output != "-") console.say("wrote " + options.output);
  return ExitCode::Good;
}

}  // namespace tilewright
