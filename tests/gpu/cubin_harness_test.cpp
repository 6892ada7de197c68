// The example of a manifest of cubins on a GPU, in the worker process that loads them.
#include "gpu/contenders/cubin_harness.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "search/admission.hpp"
#include "search/foreign_search.hpp"
#include "store/cubin_manifest_file.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::unique_ptr<Runner> cubin_worker() {
  return make_worker_runner(
      {(program_folder() / "tilewright").string(), "worker", "--device", "cuda:0", "--seed", "1"},
      testing::h200(), {.launch_s = 10, .other_s = 300});
}

// The folder of the manifest and its cubins; empty if the build had no nvcc.
std::filesystem::path cubin_folder() {
  const std::filesystem::path folder = program_folder() / "cubin_gemm";
  return std::filesystem::exists(folder / "cubin_gemm.yaml") ? folder : std::filesystem::path();
}

TEST_CASE("the example's cubins are correct with every value of its parameters") {
  if (cubin_folder().empty()) return;
  const std::string file = (cubin_folder() / "cubin_gemm.yaml").string();
  const HarnessDescription harness = load_cubin_manifest(file).description;
  const std::unique_ptr<Runner> runner = cubin_worker();
  for (const GemmShape& shape :
       {GemmShape{256, 256, 128}, GemmShape{1000, 520, 264}, GemmShape{70, 8, 8}}) {
    const Workload workload =
        workload_of(Problem{.shape = shape, .kind = {.epilogue = parse_epilogue("2*ab")}});
    runner->prepare(workload);
    std::vector<Contender> field;
    for (const ForeignConfig& config : legal_configs(harness, workload).legal) {
      field.push_back(contender_of(config));
    }
    REQUIRE(field.size() == 6);
    for (const Contender& contender : field) {
      const BuildResult built = runner->build_foreign({&contender, 1}).front();
      REQUIRE_MESSAGE(built.ok(), built.reason);
      const Verification verification = runner->verify(contender);
      CHECK_MESSAGE(verification.ok, to_string(shape), " ", contender.name, ": ",
                    verification.detail);
    }
    for (const LaunchTime& time : runner->time_round(field)) CHECK(time.us > 0);
    CHECK(runner->verify_in_round(field).ok);
  }
}

TEST_CASE("a shape that breaks what the cubins take for granted is refused, and nothing runs") {
  if (cubin_folder().empty()) return;
  const std::string file = (cubin_folder() / "cubin_gemm.yaml").string();
  const HarnessDescription harness = load_cubin_manifest(file).description;
  const std::unique_ptr<Runner> runner = cubin_worker();
  const Workload workload = workload_of(Problem{.shape = {64, 64, 100}});
  runner->prepare(workload);
  const Contender contender = contender_of(first_legal(harness, workload, {}));
  const BuildResult built = runner->build_foreign({&contender, 1}).front();
  CHECK_MESSAGE(contains(built.reason, "'lda % 8 == 0' does not hold; lda = 100"), built.reason);
}

TEST_CASE("a cubin for another architecture costs its config alone") {
  if (cubin_folder().empty()) return;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "tilewright-cut-cubins";
  std::filesystem::remove_all(folder);
  std::filesystem::copy(cubin_folder(), folder);
  std::string image = read_file(folder / "gemm_64.cubin");
  constexpr size_t kArchitecture = 49;  // the second byte of e_flags: 90
  image[kArchitecture] = static_cast<char>(image[kArchitecture] - 10);
  write_file(folder / "gemm_64.cubin", image);
  const std::string file = (folder / "cubin_gemm.yaml").string();
  const HarnessDescription harness = load_cubin_manifest(file).description;
  const std::unique_ptr<Runner> runner = cubin_worker();
  const Workload workload = workload_of(Problem{.shape = {64, 64, 64}});
  runner->prepare(workload);
  const Contender cut = contender_of(first_legal(harness, workload, {{"tile_m", 64}}));
  CHECK(!runner->build_foreign({&cut, 1}).front().ok());
  const Contender whole = contender_of(first_legal(harness, workload, {{"tile_m", 128}}));
  REQUIRE(runner->build_foreign({&whole, 1}).front().ok());
  CHECK(runner->verify(whole).ok);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tilewright
