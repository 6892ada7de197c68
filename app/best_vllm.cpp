#include "best_vllm.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "exchange/export_vllm.hpp"
#include "job.hpp"
#include "output_files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

void require_sound(const BestOptions& options) {
  if (options.output.empty()) {
    throw usage_error("--export vllm writes files: name a folder with -o FOLDER");
  }
  if (options.pin || !options.among.empty()) {
    throw usage_error("--export vllm takes no --pin and no --among: omit them");
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw usage_error(format("-o '{}' is no folder and cannot be made one{}{}", folder.string(),
                             error ? ": " : "", error ? error.message() : ""));
  }
}

// The evidence beside a file shows that an export wrote both.
void require_own_files(const fs::path& path) {
  const fs::path evidence = evidence_path_of(path);
  require_writable(path);
  require_own_schema({"-o", evidence.string()}, "evidence of vLLM's parameters", kVllmEvidence);
  if (is_missing(path) || !is_missing(evidence)) return;
  throw usage_error(
      format("-o would overwrite '{}', which has no evidence beside it, so another tool wrote it: "
             "move it away, or name another folder",
             path.string()));
}

}  // namespace

ExitCode export_vllm_files(const BestOptions& options, Console& console) {
  require_sound(options);
  const std::vector<Workload> products =
      read_runnable(read_arguments({options.problem}), options.kind);
  const std::vector<VllmExport> files =
      export_vllm(load_best(options.from), products, options.from);
  const fs::path folder = options.output;
  make_folder(folder);
  for (const VllmExport& file : files) require_own_files(folder / to_string(file.name));
  for (const VllmExport& file : files) {
    const fs::path path = folder / to_string(file.name);
    write_file(evidence_path_of(path), file.evidence);
    write_file(path, print_vllm_rows(file.rows));
    console.out << path.string() << '\n' << evidence_path_of(path).string() << '\n';
    console.note(format("{} row{}, {} with the values of the default", file.rows.size(),
                        file.rows.size() == 1 ? "" : "s", file.defaults));
  }
  return ExitCode::Good;
}

}  // namespace tilewright
