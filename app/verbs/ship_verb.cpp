// tilewright ship: makes a library for other programs from the winners of tuned files.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "answer/answer_range.hpp"
#include "answer/library_choice.hpp"
#include "answer/shipped_kernels.hpp"
#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu/backend.hpp"
#include "render/config_columns.hpp"
#include "render/table.hpp"
#include "request/job.hpp"
#include "ship/library_name.hpp"
#include "ship/license_expression.hpp"
#include "ship/shipment.hpp"
#include "ship/shipped_folder.hpp"
#include "store/best_table.hpp"
#include "store/shipped_answers.hpp"
#include "tile/workload/device_spec.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::vector<TunedFile> read_files(const std::vector<std::string>& paths) {
  std::vector<TunedFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back({path, load_best(path)});
  return files;
}

// Reports rows of one problem with different choices, and rows without a measurement.
void explain_rows(const AnswerTable& table, const Console& console) {
  std::map<std::string, const AnswerRow*> first;
  for (const AnswerRow& row : table.rows) {
    const auto [at, is_new] = first.emplace(full_text(row.problem), &row);
    if (!is_new && at->second->choice != row.choice) {
      console.note(format("{}: {} has the config {}, {} has {}; the first is shipped",
                          to_string(row.problem), at->second->file, to_string(at->second->choice),
                          row.file, to_string(row.choice)));
    }
    if (row.median_us == 0) {
      console.note(format("{}: predicted only, nothing ran", to_string(row.problem)));
    }
  }
}

// Reports the answers that no call of the library can ask for.
void explain_left_out(const std::vector<TunedFile>& files, const Console& console) {
  for (const TunedFile& file : files) {
    for (const TuneEntry& entry : file.artefact.entries) {
      const std::string why = why_not_shipped(entry.problem);
      if (!why.empty()) console.note(format("{}: omitted: {}", to_string(entry.problem), why));
    }
  }
}

void compile(std::vector<ShippedProgram>& programs, const DeviceSpec& device) {
  const BackendOrReason backend = load_backend();
  if (!backend.backend) {
    throw environment_error(format("kernels are compiled by the GPU module: {}", backend.why_not));
  }
  std::vector<KernelSource> sources;
  sources.reserve(programs.size());
  for (const ShippedProgram& program : programs) sources.push_back(program.source);
  std::vector<std::string> cubins = backend.backend->compile(sources, architecture(device));
  for (size_t i = 0; i < programs.size(); ++i) programs[i].cubin = std::move(cubins[i]);
}

// The shared library that is installed beside the program.
std::string template_image() {
  constexpr int64_t kMaxBytes = int64_t{64} << 20;
  const fs::path path = program_folder() / "tilewright_library.so";
  if (is_missing(path)) {
    throw environment_error(format(
        "{} is missing: a build with the CUDA Toolkit and a bundle contain it beside the program",
        path.string()));
  }
  return read_file(path, kMaxBytes);
}

// The versions of cuBLASLt that answer a row instead of its config.
std::string versions_cell(const AnswerRow& row) {
  const std::vector<std::string> versions = answering_versions(row.library_pins);
  if (!versions.empty()) return join(versions, ", ");
  return row.library_pins.empty() ? "" : "others' first choice";
}

struct ShippedRow {
  std::string words;
  int64_t bytes = 0;
  std::string versions;
  std::string config;
};

// What each row adds, in order: the programs that no earlier row has.
std::vector<ShippedRow> shipped_rows(const Shipment& shipment) {
  std::map<uint64_t, int64_t> bytes;
  for (const ShippedProgram& program : shipment.programs) {
    bytes[program.id] = packed_bytes(program);
  }
  std::vector<ShippedRow> rows;
  for (const ShippedKernel& kernel : shipment.table.kernels) {
    const auto own = std::find_if(
        shipment.table.rows.begin(), shipment.table.rows.end(), [&kernel](const AnswerRow& row) {
          return row.problem == kernel.workload && row.choice == kernel.config;
        });
    const bool is_row = own != shipment.table.rows.end();
    ShippedRow row{
        .words = format("{}{}", is_row ? "" : "others like ", to_string(kernel.workload)),
        .versions = is_row ? versions_cell(*own) : "",
        .config = to_string(kernel.config)};
    for (const uint64_t id : kernel.programs) {
      const auto at = bytes.find(id);
      if (at == bytes.end()) continue;
      row.bytes += at->second;
      bytes.erase(at);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TextPart> sizes_of(const Shipment& shipment) {
  const std::vector<ShippedRow> rows = shipped_rows(shipment);
  std::vector<std::string> texts;
  texts.reserve(rows.size());
  for (const ShippedRow& row : rows) texts.push_back(row.config);
  const ConfigColumns configs = config_columns(texts);
  std::vector<Column> columns = {{"problem", false}, {"adds, kB"}, {"cuBLASLt", false}};
  append(columns, configs);
  Table table(std::move(columns));
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells = {rows[i].words,
                                      format("{:.2f}", static_cast<double>(rows[i].bytes) / 1e3),
                                      rows[i].versions};
    append(cells, configs, i);
    table.add_row(std::move(cells));
  }
  return {alike_keys(configs, "in all rows:"), table};
}

std::vector<std::string> replaced_notes(const std::string& folder,
                                        const ReplacedShipment& replaced) {
  if (replaced.name.empty()) return {};
  std::vector<std::string> notes = {
      format("{}: the shipment of lib{} is replaced", folder, one_line(replaced.name))};
  for (const std::string& path : replaced.kept) {
    notes.push_back(
        format("{}: {} is kept in {}: no manifest has its digest", folder, path, replaced.kept_in));
  }
  return notes;
}

}  // namespace

Report run_ship(const ShipOptions& options, Console& console) {
  require_library_name(options.name);
  if (!options.license.empty()) require_license_expression(options.license);
  require_shipment_place(options.output);
  const std::vector<TunedFile> files = read_files(options.files);
  explain_left_out(files, console);
  Shipment shipment{.name = options.name,
                    .license = options.license,
                    .table = shipped_answers(files),
                    .programs = {}};
  if (options.no_library) {
    shipment.table.asks_library = false;
    for (AnswerRow& row : shipment.table.rows) row.library_pins.clear();
  }
  explain_rows(shipment.table, console);
  for (const ProductRange& range : options.ranges) {
    const std::vector<AnswerRange> ranges = answers_for_range(shipment.table, range);
    shipment.table.ranges.insert(shipment.table.ranges.end(), ranges.begin(), ranges.end());
  }
  shipment.programs = programs_of(shipment.table);
  compile(shipment.programs, shipment.table.device);
  const std::map<std::string, std::string> written = shipped_files(shipment, template_image());
  const ReplacedShipment replaced = write_shipment(options.output, options.name, written);
  Report report{.notes = replaced_notes(options.output, replaced), .text = sizes_of(shipment)};
  const std::string library = "lib/lib" + options.name + ".so";
  report.notes.push_back(format("wrote {}: {} kernels, {} of {}", options.output,
                                shipment.table.kernels.size(), library,
                                human_bytes(static_cast<double>(written.at(library).size()))));
  return report;
}

}  // namespace tilewright
