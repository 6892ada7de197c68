// tilewright ship: the winners of tuned files as a library that other programs call.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "gpu/backend.hpp"
#include "job.hpp"
#include "search/answer_run.hpp"
#include "search/library_choice.hpp"
#include "search/shipped_kernels.hpp"
#include "ship/library_name.hpp"
#include "ship/shipment.hpp"
#include "store/best_table.hpp"
#include "store/shipped_answers.hpp"
#include "table.hpp"
#include "tile/workload/device_spec.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::vector<TunedFile> read_files(const std::vector<std::string>& paths) {
  std::vector<TunedFile> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back({path, load_best(path)});
  return files;
}

// Rows of one problem with different choices, and rows that nobody measured.
void explain_rows(const AnswerTable& table, const Console& console) {
  std::map<std::string, const AnswerRow*> first;
  for (const AnswerRow& row : table.rows) {
    const auto [at, is_new] = first.emplace(full_text(row.problem), &row);
    if (!is_new && at->second->choice != row.choice) {
      console.say(format("{}: {} answers with {}, {} with {}; the first is shipped",
                         to_string(row.problem), at->second->file, to_string(at->second->choice),
                         row.file, to_string(row.choice)));
    }
    if (row.median_us == 0) {
      console.say(format("{}: predicted only, nothing ran", to_string(row.problem)));
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

// That lies beside the program.
std::string template_image() {
  constexpr int64_t kMostBytes = int64_t{64} << 20;
  const fs::path path = program_folder() / "tilewright_library.so";
  if (is_missing(path)) {
    throw environment_error(
        format("{} is missing: it lies beside the program in a build with the "
               "CUDA Toolkit, and in a bundle",
               path.string()));
  }
  return read_file(path, kMostBytes);
}

// Which versions of cuBLASLt answer a row in the place of its config.
std::string versions_cell(const AnswerRow& row) {
  const std::vector<std::string> versions = answering_versions(row.library_pins);
  if (!versions.empty()) return join(versions, ", ");
  return row.library_pins.empty() ? "" : "others' first choice";
}

// What each row adds, in order: its programs that no row before it has.
void list_sizes(const Shipment& shipment, Console& console) {
  std::map<uint64_t, int64_t> bytes;
  for (const ShippedProgram& program : shipment.programs) {
    bytes[program.id] = packed_bytes(program);
  }
  Table table({{"problem", false}, {"adds"}, {"cuBLASLt", false}, {"config", false, 1}});
  const auto add = [&](const std::string& words, const std::vector<uint64_t>& ids,
                       const std::string& versions, const TileConfig& config) {
    int64_t own = 0;
    for (const uint64_t id : ids) {
      const auto at = bytes.find(id);
      if (at == bytes.end()) continue;
      own += at->second;
      bytes.erase(at);
    }
    table.add_row({words, human_bytes(static_cast<double>(own)), versions, to_string(config)});
  };
  for (const ShippedKernel& kernel : shipment.table.kernels) {
    const auto own = std::find_if(
        shipment.table.rows.begin(), shipment.table.rows.end(), [&kernel](const AnswerRow& row) {
          return row.problem == kernel.workload && row.choice == kernel.config;
        });
    const bool is_row = own != shipment.table.rows.end();
    add(is_row ? to_string(kernel.workload) : "others like " + to_string(kernel.workload),
        kernel.programs, is_row ? versions_cell(*own) : "", kernel.config);
  }
  console.out << table.render(table_width(console));
}

void write_folder(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [path, content] : files) {
    const fs::path place = folder / path;
    std::error_code failed;
    fs::create_directories(place.parent_path(), failed);
    if (failed) {
      throw usage_error(
          format("cannot make {}: {}", place.parent_path().string(), failed.message()));
    }
    write_file(place, content);
  }
}

}  // namespace

ExitCode run_ship(const ShipOptions& options, Console& console) {
  require_library_name(options.name);
  const std::vector<TunedFile> files = read_files(options.files);
  Shipment shipment{.name = options.name,
                    .license = options.license,
                    .table = shipped_answers(files),
                    .programs = {}};
  if (options.no_library) {
    for (AnswerRow& row : shipment.table.rows) row.library_pins.clear();
  }
  explain_rows(shipment.table, console);
  for (const std::string& text : options.ranges) {
    const std::vector<AnswerRun> runs = answers_for_range(shipment.table, parse_answer_range(text));
    shipment.table.runs.insert(shipment.table.runs.end(), runs.begin(), runs.end());
  }
  shipment.programs = programs_of(shipment.table);
  compile(shipment.programs, shipment.table.device);
  const std::map<std::string, std::string> written = shipped_files(shipment, template_image());
  write_folder(options.output, written);
  list_sizes(shipment, console);
  const std::string library = "lib/lib" + options.name + ".so";
  console.say(format("wrote {}: {} kernels, {} of {}", options.output,
                     shipment.table.kernels.size(), library,
                     human_bytes(static_cast<double>(written.at(library).size()))));
  return ExitCode::Good;
}

}  // namespace tilewright
