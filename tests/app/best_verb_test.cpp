#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "app/outcome.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "search/complete.hpp"
#include "search/stack_support.hpp"
#include "store/best_table.hpp"
#include "support/artefacts.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

BestOptions lookup_in(const std::string& problem, const std::string& from) {
  BestOptions options;
  options.problem = problem;
  options.from = from;
  return options;
}

Outcome best(const BestOptions& options) {
  return testing::printed(Format::Text,
                          [&](Console& console) { return run_best(read_best(options), console); });
}

struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& content)
      : path(std::filesystem::temp_directory_path() / "tilewright_best_verb_test.yaml") {
    write_file(path, content);
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

Artefact one_entry() {
  Artefact artefact = testing::ArtefactMaker(7).artefact();
  artefact.entries = {testing::ArtefactMaker(8).entry()};
  artefact.entries[0].problem = workload_of({{4096, 4096, 4096}});
  artefact.entries[0].pinned = false;
  return artefact;
}

TEST_CASE("best prints a config that reads back, and the entry in two formats") {
  const Artefact artefact = one_entry();
  const TemporaryFile file(print_best(artefact));
  BestOptions options = lookup_in("4096x4096x4096", file.path.string());
  const Outcome config = best(options);
  CHECK(config.code == ExitCode::Good);
  CHECK(config.out == to_string(artefact.entries[0].choice) + "\n");
  CHECK(satisfies(artefact.entries[0].choice, parse_config(trim(config.out))));
  options.export_as = BestExport::Yaml;
  CHECK(contains(best(options).out, "problem: 4096x4096x4096\n"));
  options.export_as = BestExport::Json;
  CHECK(contains(best(options).out, "\"problem\": \"4096x4096x4096\""));
}

TEST_CASE("a missing problem ends with 1 and names the nearest entry") {
  const TemporaryFile file(print_best(one_entry()));
  const Outcome run = best(lookup_in("4096x4096x2048", file.path.string()));
  CHECK(run.code == ExitCode::No);
  CHECK(run.out.empty());
  CHECK(contains(run.err, "the nearest is 4096x4096x4096 bf16"));
}

TEST_CASE("an answer names its source: an entry, another entry's winner, or the model") {
  Artefact artefact = one_entry();
  artefact.device = fingerprint(testing::h200(), false);
  artefact.entries[0].choice = config_of(parse_config(
      "family=sm90,cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,raster=row,"
      "l2_promotion=128,decomposition=data-parallel"));
  const TemporaryFile file(print_best(artefact));
  BestOptions options = lookup_in("4096x4096x4096", file.path.string());
  options.export_as = BestExport::Json;
  CHECK(contains(best(options).out, "\"source\": \"tuned\""));
  options.problem = "4096x4096x3968";
  const Outcome dispatched = best(options);
  CHECK(dispatched.code == ExitCode::Good);
  CHECK(contains(dispatched.out, "\"source\": \"dispatched\",\n  \"from\": \"4096x4096x4096\""));
  CHECK(contains(dispatched.err, "the winner of 4096x4096x4096 bf16 tn, predicted "));
  options.export_as = BestExport::Config;
  CHECK(best(options).out == to_string(artefact.entries[0].choice) + "\n");
  options.export_as = BestExport::Yaml;
  options.problem = "64x512x512";
  const Outcome fallback = best(options);
  CHECK(contains(fallback.out, "source: fallback\npredicted_regret: 0\n"));
  CHECK(contains(fallback.err, "fallback: the model's best config; "));
}

KindOptions kind_of(const std::string& op, const std::string& dtype = "bf16",
                    const std::string& layout = "tn") {
  KindOptions kind;
  kind.op = op;
  kind.dtype = dtype;
  kind.layout = layout;
  return kind;
}

Outcome best_in(const std::string& preset, const std::string& problem,
                const KindOptions& kind = {}) {
  BestOptions options = lookup_in(problem, TILEWRIGHT_SOURCE_DIR "/presets/tuned/" + preset);
  options.kind = kind;
  return best(options);
}

TEST_CASE("a product that no kernel computes ends with 1 and the rule") {
  const Outcome layout = best_in("h200-fp8.yaml", "512x512x512", kind_of("gemm", "e4m3", "nn"));
  CHECK(layout.code == ExitCode::No);
  CHECK(contains(layout.err, "rule operands: layout nn"));
  const Outcome depth = best_in("h200-fp8.yaml", "512x512x513", kind_of("gemm", "e4m3"));
  CHECK(contains(depth.err, "rule operands: K = 513"));
  // No rule rejects a product that a kernel computes.
  CHECK(!contains(best_in("h200-rank-k.yaml", "2000x2000x2048", kind_of("syrk")).err, "rule"));
}

TEST_CASE("an export that cannot express the answer ends with 1 and each reason once") {
  BestOptions options =
      lookup_in("4096x4096x4096", TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-rank-k.yaml");
  options.kind = kind_of("syrk");
  for (const BestExport format : {BestExport::Cutlass, BestExport::Triton, BestExport::Nvfuser}) {
    options.export_as = format;
    const Outcome run = best(options);
    CHECK(run.code == ExitCode::No);
    CHECK(run.out.empty());
    CHECK(contains(run.err, "syrk, one triangle of D: only one plain product is exported\n"));
    CHECK(contains(run.err, "4096x4096x4096 bf16 tn, syrk lower cannot be exported\n"));
  }
  options = lookup_in("512x512x512", TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml");
  options.export_as = BestExport::Triton;
  const std::string said = best(options).err;
  const size_t first = said.find("l2_promotion=128\n");
  REQUIRE(first != std::string::npos);
  CHECK(said.find("l2_promotion=128\n", first + 1) == std::string::npos);
}

TEST_CASE("where no timed config can be exported, best names one that can be, and its cost") {
  BestOptions options =
      lookup_in("16x8192x8192", TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml");
  options.export_as = BestExport::Triton;
  const Outcome run = best(options);
  CHECK(run.code == ExitCode::No);
  const std::string label = "with --require export:triton: ";
  const size_t begin = run.err.find(label);
  REQUIRE(begin != std::string::npos);
  const std::string line = run.err.substr(begin + label.size(), run.err.find('\n', begin) - begin);
  CHECK(contains(line, " times the choice's "));
  const Workload problem = workload_of({{16, 8192, 8192}});
  const TileConfig named = complete_config(parse_config(line.substr(0, line.find(", predicted"))),
                                           problem, testing::h200());
  CHECK(why_no_kernel(Stack::Triton, problem, named).empty());
}

TEST_CASE("a rank-k update that was not tuned has an answer of its own operation") {
  for (const char* const op : {"syrk", "syr2k", "her2k"}) {
    const Outcome run = best_in("h200-rank-k.yaml", "2000x2000x2048", kind_of(op));
    CAPTURE(run.err);
    CHECK(run.code == ExitCode::Good);
    const std::string winner = format("bf16 tn, {} lower, predicted ", op);
    CHECK((contains(run.err, winner) || contains(run.err, "fallback: the model's best config")));
    CHECK(contains(best_in("h200-dense.yaml", "2048x2048x2048", kind_of(op)).err,
                   "fallback: the model's best config"));
  }
}

TEST_CASE("the nearest entries of a rank-k update have the same operation") {
  Artefact unknown =
      load_best(std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/h200-rank-k.yaml");
  unknown.device.sm_count = 77;  // no preset has it, so the model predicts nothing
  const TemporaryFile file(print_best(unknown));
  BestOptions options = lookup_in("2000x2000x2048", file.path.string());
  options.kind = kind_of("syr2k");
  const Outcome run = best(options);
  CAPTURE(run.err);
  CHECK(run.code == ExitCode::No);
  size_t count = 0;
  for (const std::string_view line : split(trim(run.err), '\n')) {
    CHECK(contains(std::string(line), ", syr2k "));
    ++count;
  }
  CHECK(count > 2);
}

TEST_CASE("best reports where the library was faster, with the ratio and its interval") {
  const Artefact dense = load_best(TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml");
  int64_t by_library = 0;
  for (const TuneEntry& entry : dense.entries) {
    const bool library = winner_of(entry) == Winner::Library;
    by_library += library ? 1 : 0;
    if (by_library > 3) break;  // each call reads the whole file again
    const Outcome run = best_in("h200-dense.yaml", shapes_text(entry.problem),
                                kind_of("gemm", "bf16", to_string(entry.problem.kind.layout)));
    CAPTURE(run.err);
    CHECK(run.code == ExitCode::Good);
    CHECK(contains(run.err, "the library was faster") == library);
    if (!library) continue;
    const PairedRatio& ratio = entry.reference->ratio;
    CHECK(contains(
        run.err,
        format("{} takes {:.3f} of this config's time (95 % interval {:.3f} to {:.3f})",
               entry.reference->name, ratio.ratio, ratio.interval.low, ratio.interval.high)));
  }
  CHECK(by_library > 3);
}

TEST_CASE("a pinned config answers before every other source") {
  Artefact artefact = one_entry();
  artefact.device = fingerprint(testing::h200(), false);
  const TemporaryFile file(print_best(artefact));
  BestOptions options = lookup_in("4096x4096x4096", file.path.string());
  options.config = "cta=128x128x64,cluster=1x1,stages=3";
  CHECK(best(options).code == ExitCode::Usage);
  options.pin = true;
  const Outcome pinned = best(options);
  CHECK(pinned.code == ExitCode::Good);
  CHECK(contains(pinned.out, "cta=128x128x64"));
  options = lookup_in("4096x4096x4096", file.path.string());
  options.export_as = BestExport::Json;
  CHECK(contains(best(options).out, "\"pinned\": true"));
  // Pins the dispatched config of a product without an entry.
  options = lookup_in("4096x4096x2048", file.path.string());
  options.pin = true;
  const std::string dispatched = best(options).out;
  options.pin = false;
  options.export_as = BestExport::Yaml;
  CHECK(contains(best(options).out, "source: tuned\n"));
  CHECK(contains(dispatched, "family="));
  const std::vector<TuneEntry> rows = pinned_entries(file.path, artefact.device);
  REQUIRE(rows.size() == 2);
  Artefact fresh = one_entry();
  fresh.entries[0].choice.stages = 7;
  CHECK(keep_pinned(fresh, rows) == 1);
  CHECK(fresh.entries == rows);
  // find_entry() also looks behind the first row of a problem.
  artefact.entries.push_back(rows[0]);
  CHECK(find_entry(artefact, rows[0].problem) == &artefact.entries[1]);
  DeviceFingerprint other = artefact.device;
  other.sm_count = 99;
  CHECK_THROWS_AS(pinned_entries(file.path, other), Error);
  CHECK(pinned_entries("no/such/file", other).empty());
  options.pin = true;
  options.from = "-";
  CHECK(best(options).code == ExitCode::Usage);
}

TEST_CASE("a missing file is a usage error that names the command to make one") {
  const Outcome run = best(lookup_in("8x8x8", "no/such/best.yaml"));
  CHECK(run.code == ExitCode::Usage);
  CHECK(contains(run.err, "tilewright tune"));
}

}  // namespace
}  // namespace tilewright
