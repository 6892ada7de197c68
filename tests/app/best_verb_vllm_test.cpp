// best --export vllm: the files that it writes, and what it refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "exchange/vllm_file.hpp"
#include "record/document.hpp"
#include "support/block_answers.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::block_answer;
using testing::contains;
using testing::Outcome;

struct ExportPlace {
  testing::TemporaryFolder folder;
  BestOptions options;

  ExportPlace() {
    const auto small = testing::vllm_values({16, 32, 128, 1, 4, 5});
    write_file(path("best.yaml"),
               print_best(testing::block_artefact(
                   {block_answer(1, 1.4, 0.01, small), block_answer(64, 1.001, 0.01, small)})));
    write_file(path("problems.yaml"),
               "schema: tilewright.problems/1\ndtype: e4m3\nscale_a: block:1x128@k\n"
               "scale_b: block:128x128\nproblems: [1x7168x2048, 64x7168x2048]\n");
    options.problem = "@" + path("problems.yaml");
    options.from = path("best.yaml");
    options.export_as = BestExport::Vllm;
    options.output = path("configs/new");
  }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  Outcome best() const {
    return testing::printed(
        Format::Text, [&](Console& console) { return run_best(read_best(options), console); });
  }
};

TEST_CASE("the files and their evidence are written into a new folder, and read back") {
  ExportPlace work;
  const Outcome run = work.best();
  CHECK_MESSAGE(run.code == ExitCode::Good, run.err);
  const VllmFolder found = load_vllm_folder(work.options.output, "NVIDIA_H200");
  REQUIRE(found.files.size() == 1);
  CHECK(found.skipped.empty());
  const VllmFile& file = found.files.front();
  CHECK(file.triton_version == "3.9.0");
  REQUIRE(file.rows.size() == 2);
  CHECK(file.rows[0].values.front().value == 16);
  CHECK(file.rows[1].values == testing::vllm_default());
  CHECK(run.out == file.path + "\n" + evidence_path_of(file.path).string() + "\n");
  CHECK(contains(run.err, "2 rows, 1 with the values of the default"));
  // vLLM reads every key of these files as a number.
  const Document rows = Document::parse(read_file(file.path));
  for (const auto& row : rows.items()) {
    CHECK(std::stoll(row.key()) > 0);
  }
  // One problem alone; the folder is there.
  work.options.problem = "1x7168x2048";
  work.options.kind.dtype = "e4m3";
  work.options.kind.scale_a = "block:1x128@k";
  work.options.kind.scale_b = "block:128x128";
  CHECK(work.best().code == ExitCode::Good);
  CHECK(load_vllm_folder(work.options.output, "NVIDIA_H200").files.front().rows.size() == 1);
}

TEST_CASE("a bad input writes nothing") {
  ExportPlace work;
  write_file(work.path("problems.yaml"), read_file(work.path("problems.yaml")) + "more: 1\n");
  CHECK(work.best().code == ExitCode::Usage);
  work.options.problem = "1x7168x2048";
  CHECK(contains(work.best().err, "--scale-a block:1x128@k"));
  CHECK(!std::filesystem::exists(work.options.output));
  work.options.output = work.path("best.yaml");
  work.options.kind = {};
  CHECK(work.best().code == ExitCode::Usage);
  work.options.output.clear();
  CHECK(contains(work.best().err, "-o FOLDER"));
  work.options.export_as = BestExport::Json;
  work.options.output = work.path("configs");
  CHECK(contains(work.best().err, "-o is for --export vllm"));
  work.options.output.clear();
  work.options.top_k = 2;
  CHECK(contains(work.best().err, "--top-k and --down are for --export vllm"));
}

}  // namespace
}  // namespace tilewright
