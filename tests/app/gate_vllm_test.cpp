// gate FOLDER --harness: a verdict for each row of vLLM's files, beside the default config.
#include "verbs/gate_vllm.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "exchange/vllm_file.hpp"
#include "record/document.hpp"
#include "support/block_answers.hpp"
#include "support/error_message.hpp"
#include "support/fake_backend.hpp"
#include "support/harness_machine.hpp"
#include "support/made_up_cubin.hpp"
#include "support/temporary_folder.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::FakeBackend;
using testing::HarnessMachine;
using testing::Outcome;
using testing::replaced;
using testing::Values;
using testing::vllm_default;
using testing::vllm_values;

constexpr const char* kVllmManifest = R"(schema: tilewright.cubins/1
name: triton_fp8
compiler: triton 3.9.0
op: [gemm]
dtype: [e4m3]
out_dtype: [bf16]
epilogue: ["scale_a=block:1x128@k", "scale_b=block:128x128"]
axes:
  BLOCK_SIZE_M: [16, 64]
  BLOCK_SIZE_N: [32, 128]
  BLOCK_SIZE_K: [128]
  GROUP_SIZE_M: [1, 32]
  num_warps: [4]
  num_stages: [2, 5]
default: {BLOCK_SIZE_M: 64, BLOCK_SIZE_N: 128, BLOCK_SIZE_K: 128, GROUP_SIZE_M: 32, num_warps: 4, num_stages: 2}
launches:
  - grid: 1
    block: 128
    kernels: [{cubin: gemm.cubin, entry: gemm}]
    arguments: [{pointer: a}]
)";
constexpr const char* kH200 =
    "N=7168,K=2048,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json";

const std::vector<AxisValue> kFastRow = vllm_values({16, 32, 128, 1, 4, 5});
const std::vector<AxisValue> kSlowRow = vllm_values({16, 128, 128, 1, 4, 2});

// A folder of files, a manifest, and one H200 on which the default config takes 100 us.
struct GatedFolder {
  testing::TemporaryFolder folder;
  GateOptions options;
  std::function<double(const Values&)> time_us = [](const Values& v) {
    return v == kFastRow ? 70.0 : v == kSlowRow ? 130.0 : 100.0;
  };
  std::function<std::string(const Values&)> fault = [](const Values&) { return ""; };
  double noise = 0.004;
  std::string device = "NVIDIA H200";
  std::string description = {};  // of a harness that is no manifest

  GatedFolder() {
    std::filesystem::create_directories(path("configs"));
    write_file(path("gemm.cubin"), testing::made_up_cubin({{"gemm", {8}}}));
    write_file(path("triton_fp8.yaml"), kVllmManifest);
    options.suite = path("configs");
    options.harness = path("triton_fp8.yaml");
  }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  void rows(const std::vector<VllmRow>& rows, const std::string& name = kH200) const {
    write_file(path("configs/" + name), print_vllm_rows(rows));
  }
  Outcome gate() const {
    DeviceSpec spec = testing::h200();
    spec.name = device;
    const auto backend = std::make_shared<FakeBackend>(std::vector<DeviceSpec>{spec});
    backend->make_runner = [this](const DeviceSpec& opened) {
      auto runner = std::make_unique<HarnessMachine>();
      runner->time_us = time_us;
      runner->fault = fault;
      runner->noise = noise;
      runner->description = description;
      runner->spec = opened;
      return runner;
    };
    return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
      return run_gate(read_gate(options), show, console, [backend] {
        return BackendOrReason{backend, ""};
      });
    });
  }
};

// The verdicts of a run with --format json, by the cases' names.
Document verdicts_of(const Outcome& run) {
  Document found = Document::object();
  const Document report = Document::parse(run.out);
  for (const Document& one : report.at("cases")) {
    found[one.at("name").get<std::string>()] = one.at("verdict");
  }
  return found;
}

TEST_CASE("rows that are faster than the default, or are the default, are good") {
  GatedFolder work;
  work.rows({{1, kFastRow}, {64, vllm_default()}});
  work.options.format = Format::Json;
  const Outcome run = work.gate();
  CHECK_MESSAGE(run.code == ExitCode::Good, run.err);
  CHECK(verdicts_of(run) ==
        Document{{"N=7168,K=2048,M=1", "pass"}, {"N=7168,K=2048,M=64", "pass"}});
  const Document report = Document::parse(run.out);
  CHECK(report.at("exit_code") == 0);
  const Document& fast = report.at("cases").at(0);
  CHECK(fast.at("numbers").at("ratio").at("now").get<double>() ==
        doctest::Approx(100.0 / 70).epsilon(0.01));
  CHECK(fast.at("numbers").at("median_us").at("now").get<double>() ==
        doctest::Approx(70).epsilon(0.01));
  CHECK(fast.at("numbers").at("reference_us").at("now").get<double>() ==
        doctest::Approx(100).epsilon(0.01));
  CHECK(contains(fast.at("reference").get<std::string>(), "the default config"));
  CHECK(report.at("cases").at(1).at("findings").at(0) == "the default config: nothing to compare");
}

TEST_CASE("a planted slow row fails in every output, and only that row") {
  GatedFolder work;
  work.rows({{1, kFastRow}, {8, kSlowRow}, {64, vllm_default()}});
  work.options.junit = work.path("junit.xml");
  work.options.summary = work.path("summary.md");
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::No);
  CHECK(contains(run.out, "regression    N=7168,K=2048,M=8"));
  CHECK(contains(run.out, "1 regression, 2 pass"));
  CHECK(contains(read_file(work.options.junit), "<failure type=\"regression\""));
  CHECK(contains(read_file(work.options.summary), "regression"));
  work.options.cases = {"N=7168,K=2048,M=1"};
  CHECK(work.gate().code == ExitCode::Good);
  work.options.cases = {"N=7168,K=2048,M=2"};
  CHECK(contains(work.gate().err, "did you mean 'N=7168,K=2048,M="));
  work.options.cases.clear();
  work.options.threshold_pct = 40;  // 130 us are allowed
  CHECK(work.gate().code == ExitCode::Good);
}

TEST_CASE("noise is inconclusive, and a wrong result is not excused by its speed") {
  GatedFolder work;
  work.rows({{1, kSlowRow}});
  work.time_us = [](const Values&) { return 100.0; };
  work.noise = 3;
  CHECK(work.gate().code == ExitCode::Inconclusive);
  work.noise = 0.004;
  work.fault = [](const Values& v) { return v == kSlowRow ? "3 elements are wrong" : ""; };
  CHECK(work.gate().code == ExitCode::WrongResult);
  work.fault = [](const Values& v) { return v == kSlowRow ? "" : "3 elements are wrong"; };
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::Environment);
  CHECK(contains(run.out, "the default config cannot run here"));
}

TEST_CASE("a row that the manifest does not hold is named, with its place") {
  GatedFolder work;
  work.rows({{1, kFastRow}, {8, vllm_values({32, 32, 128, 1, 4, 5})}});
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::Environment);
  CHECK(contains(run.out, "environment   N=7168,K=2048,M=8"));
  CHECK(contains(run.out, "BLOCK_SIZE_M=32"));
  CHECK(contains(run.out, "1 pass"));
  work.rows({{1, kSlowRow}, {8, vllm_values({32, 32, 128, 1, 4, 5})}});
  CHECK(work.gate().code == ExitCode::No);
}

TEST_CASE("files for another device are an environment, and skipped beside one for this device") {
  GatedFolder work;
  work.rows({{1, kSlowRow}}, replaced(kH200, "NVIDIA_H200", "NVIDIA_H100_80GB_HBM3"));
  const Outcome other = work.gate();
  CHECK(other.code == ExitCode::Environment);
  CHECK(contains(other.err, "are for NVIDIA_H100_80GB_HBM3, and this device is NVIDIA_H200"));
  work.rows({{1, kFastRow}});
  const Outcome both = work.gate();
  CHECK(both.code == ExitCode::Good);
  CHECK(contains(both.out, "skipped 1 file for other devices than NVIDIA_H200"));
  work.options.device = "h200";
  CHECK(work.gate().code == ExitCode::Environment);
}

TEST_CASE("another version of Triton is named") {
  GatedFolder work;
  const std::string file = work.path(std::string("configs/") + kH200);
  work.rows({{1, kFastRow}});
  CHECK(!contains(work.gate().out, "triton"));
  write_file(evidence_path_of(file), "{\"triton_version\": \"3.9.0\"}");
  CHECK(!contains(work.gate().out, "triton"));
  write_file(evidence_path_of(file), "{\"triton_version\": \"3.5.0\"}");
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::Good);
  std::string text = run.out;
  for (char& c : text) c = c == '\n' ? ' ' : c;
  CHECK_MESSAGE(contains(text, "was written for triton 3.5.0, and harness triton_fp8 was compiled"),
                run.out);
}

TEST_CASE("what a folder does not take is refused by name") {
  GatedFolder work;
  work.rows({{1, kFastRow}});
  const auto refused = [&](const std::function<void(GateOptions&)>& change, const char* words) {
    GatedFolder other;
    other.rows({{1, kFastRow}});
    change(other.options);
    const Outcome run = other.gate();
    CHECK(run.code == ExitCode::Usage);
    CHECK_MESSAGE(contains(run.err, words), run.err);
  };
  refused([](GateOptions& o) { o.hidden = 4096; }, "give both");
  refused([](GateOptions& o) { o.suite += "/" + std::string(kH200); }, "folder of vLLM's files");
  refused([](GateOptions& o) { o.suite = std::string(5000, 'x'); }, "folder of vLLM's files");
  refused([](GateOptions& o) { o.harness += "x"; }, "does not exist");
  refused([](GateOptions& o) { o.baseline = "b.yaml"; }, "takes no --baseline");
  refused([](GateOptions& o) { o.update = true; }, "takes no --update");
  refused([](GateOptions& o) { o.mode = GateMode::Ab; }, "takes no --mode");
  refused([](GateOptions& o) { o.threshold_pct = 0; }, "between 0 and 100");
  const auto refuses_manifest = [&](const std::string& text, const char* words) {
    write_file(work.path("triton_fp8.yaml"), text);
    const Outcome run = work.gate();
    CHECK(run.code == ExitCode::Usage);
    CHECK_MESSAGE(contains(run.err, words), run.err);
  };
  const std::string text = kVllmManifest;
  const size_t at = text.find("default: ");
  refuses_manifest(text.substr(0, at) + text.substr(text.find('\n', at) + 1), "states no default");
  refuses_manifest(replaced(text, "[e4m3]", "[bf16]"), "takes dtype bf16, not e4m3");
  std::string renamed = text;
  for (size_t found = 0; (found = renamed.find("num_stages")) != std::string::npos;) {
    renamed.replace(found, 10, "stages");
  }
  refuses_manifest(renamed, "its axes are not the parameters of the files");
  write_file(work.path("triton_fp8.yaml"), text);
  std::filesystem::remove(work.path(std::string("configs/") + kH200));
  CHECK(contains(work.gate().err, "has no file of the form N=7168,K=2048,device_name=NVIDIA_H200"));
}

// A library, which unlike a manifest computes groups.
constexpr const char* kExpertsLibrary = R"({"name": "moe", "memory": "cuda", "op": ["gemm"],
  "dtype": ["bf16"], "groups": true, "axes": {"BLOCK_SIZE_M": [16, 64], "BLOCK_SIZE_N": [32, 128],
  "BLOCK_SIZE_K": [128], "GROUP_SIZE_M": [1, 32], "num_warps": [4], "num_stages": [2, 5]},
  "default": {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 32,
  "num_warps": 4, "num_stages": 2}})";
constexpr const char* kExpertsFile = "E=8,N=14336,device_name=NVIDIA_H200.json";

TEST_CASE("rows of experts' files run as groups, and other files are skipped by name") {
  GatedFolder work;
  write_file(work.path("moe.so"), "");
  work.options.harness = work.path("moe.so");
  work.description = kExpertsLibrary;
  work.rows({{1, kFastRow}, {64, kSlowRow}}, kExpertsFile);
  work.rows({{1, kFastRow}});
  CHECK(contains(work.gate().err, "add --hidden and --top-k"));
  work.options.hidden = 4096;
  work.options.top_k = 2;
  work.options.format = Format::Json;
  const Outcome run = work.gate();
  CHECK_MESSAGE(run.code == ExitCode::No, run.err);
  CHECK(verdicts_of(run) ==
        Document{{"E=8,N=14336,M=1", "pass"}, {"E=8,N=14336,M=64", "regression"}});
  CHECK(contains(run.out, "skipped 1 file because harness moe takes no products"));
  work.options.top_k = 9;
  CHECK(contains(work.gate().err, "more than its 8 experts"));
  // A split of K is no axis of the harness.
  std::vector<AxisValue> split = kFastRow;
  split.push_back({"SPLIT_K", 4});
  work.options.top_k = 2;
  work.rows({{1, split}}, kExpertsFile);
  CHECK(verdicts_of(work.gate()) == Document{{"E=8,N=14336,M=1", "environment"}});
  // A manifest computes no groups.
  work.options.harness = work.path("triton_fp8.yaml");
  CHECK(verdicts_of(work.gate()) == Document{{"N=7168,K=2048,M=1", "pass"}});
}

TEST_CASE("without a harness the files are audited, and nothing runs") {
  GatedFolder work;
  work.options.harness.clear();
  work.time_us = [](const Values&) -> double { throw std::logic_error("a kernel ran"); };
  work.rows({{1, kFastRow}, {64, vllm_default()}}, kExpertsFile);
  work.rows({{1, kFastRow}}, "E=8,N=7168,device_name=NVIDIA_A100-SXM4-80GB.json");
  work.options.format = Format::Json;
  for (const char* const device : {"auto", "h200"}) {
    work.options.device = device;
    const Outcome run = work.gate();
    CHECK_MESSAGE(run.code == ExitCode::Good, run.err);
    CHECK(verdicts_of(run) == Document{{kExpertsFile, "pass"}});
    const Document report = Document::parse(run.out);
    CHECK(report.at("mode") == "static");
    CHECK(report.at("notes").at(0) ==
          format("skipped 1 file for other devices than {}",
                 device == std::string("auto") ? "NVIDIA_H200" : device));
    CHECK(report.at("notes").at(1) == "only other devices have files for E=8,N=7168");
    const Document& numbers = report.at("cases").at(0).at("numbers");
    CHECK(numbers.at("rows").at("now") == 2);
    CHECK(numbers.at("missing_rows").at("now") == 16);
    CHECK(numbers.at("illegal_rows").at("now") == 0);
  }
  work.options.format = Format::Text;
  work.rows({{1, kFastRow}, {64, vllm_values({256, 256, 128, 32, 8, 4})}}, kExpertsFile);
  const Outcome run = work.gate();
  CHECK(run.code == ExitCode::No);
  CHECK(contains(run.out, "regression"));
  work.options.cases = {std::string(kExpertsFile) + "x"};
  CHECK(contains(work.gate().err, "did you mean"));
  work.options.cases.clear();
  work.options.device = "a100";
  work.rows({{1, kFastRow}}, "E=8,N=7168,device_name=NVIDIA_A100-SXM4-80GB.json");
  CHECK(work.gate().code == ExitCode::Good);
  work.options.device = "l40s";
  const Outcome none = work.gate();
  CHECK(none.code == ExitCode::Environment);
  CHECK(contains(none.err, "NVIDIA_A100-SXM4-80GB, NVIDIA_H200, and this device is l40s"));
}

}  // namespace
}  // namespace tilewright
