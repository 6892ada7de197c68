#include "store/problems.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/preset_path.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;

std::string problems_error(const std::string& text) {
  return testing::error_message_of([&] { workloads_of(read_problem_argument(text), {}); });
}

std::string file_error(const std::string& text) {
  return testing::error_message_of([&] { parse_workload_file(text, "p.yaml", {}); });
}

TEST_CASE("a shape is one problem of the command line's type") {
  const auto problems = workloads_of(read_problem_argument("4097x1000x4104"),
                                     {.kind = {.dtype = DataType::F16}, .shapes = {}});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0] == Workload{.kind = {.dtype = DataType::F16}, .shapes = {{4097, 1000, 4104}}});
}

TEST_CASE("commas make one group, in which sizes may be 0") {
  const auto group = workloads_of(read_problem_argument("64x64x64,0x64x64,128x64x0"), {});
  REQUIRE(group.size() == 1);
  CHECK(group[0].shapes == std::vector<GemmShape>{{64, 64, 64}, {0, 64, 64}, {128, 64, 0}});
  CHECK(contains(problems_error("0x64x64"), "0x64x64"));
  CHECK(contains(problems_error("64x64x64,64x64"), "64x64"));
}

TEST_CASE("in a file a list is separate workloads, and group is one") {
  const auto workloads = parse_workload_file(
      "schema: tilewright.problems/1\n"
      "problems:\n"
      "  - 8x8x8\n"
      "  - {group: [64x64x64, 0x64x64], dtype: f16}\n"
      "  - {problem: 64x64x8, op: syr2k, uplo: upper}\n",
      "p.yaml", {});
  REQUIRE(workloads.size() == 3);
  CHECK(workloads[0] == Workload{.shapes = {{8, 8, 8}}});
  CHECK(workloads[1] ==
        Workload{.kind = {.dtype = DataType::F16}, .shapes = {{64, 64, 64}, {0, 64, 64}}});
  CHECK(workloads[2] ==
        Workload{.op = MatrixOp::Syr2k, .uplo = Uplo::Upper, .shapes = {{64, 64, 8}}});
}

TEST_CASE("a list with calls reads back as it was written") {
  const Workload batch{.kind = {.dtype = DataType::F16},
                       .shapes = std::vector<GemmShape>(3, {64, 64, 64})};
  Workload biased{.shapes = {{8, 16, 24}}};
  biased.kind.epilogue.bias = true;
  biased.kind.epilogue.out_dtype = DataType::F32;
  Workload scaled{.kind = {.dtype = DataType::E4M3}, .shapes = {{128, 128, 256}}};
  scaled.kind.epilogue.alpha = 0.5F;
  scaled.kind.epilogue.scale_a = scaled.kind.epilogue.scale_b = OperandScale::Tensor;
  const Workload group{.shapes = {{64, 64, 64}, {0, 64, 64}}};
  const std::vector<CountedWorkload> all = {{batch, 3}, {biased, 1}, {scaled, 70000}, {group, 0}};
  const std::string text = problems_yaml(all, "Two: 'words'");
  CHECK(parse_counted_file(text, "p.yaml", {}) == all);
  CHECK(contains(text, "problem: 3x64x64x64\n"));
}

TEST_CASE("calls are a whole number") {
  const std::string head = "schema: tilewright.problems/1\nproblems:\n";
  CHECK(contains(file_error(head + "  - {problem: 8x8x8, calls: -1}\n"), "p.yaml:3"));
  CHECK(contains(file_error(head + "  - {problem: 8x8x8, calls: many}\n"), "p.yaml:3"));
}

TEST_CASE("bad groups are refused with the place of the error") {
  const std::string head = "schema: tilewright.problems/1\nproblems:\n";
  CHECK(contains(file_error(head + "  - {group: [8x8x8], problem: 8x8x8}\n"), "p.yaml:3"));
  CHECK(contains(file_error(head + "  - {group: []}\n"), "no problem"));
  CHECK(contains(file_error(head + "  - {group: [8x8x8, 8x8]}\n"), "8x8"));
  CHECK(contains(file_error(head + "  - {problem: 8x16x8, op: syrk}\n"), "square"));
}

TEST_CASE("every preset file of problems is read, however its path is written") {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(presets_folder() / "problems")) {
    if (file.path().extension() != ".yaml") continue;
    ++files;
    const std::string stem = file.path().stem().string();
    const auto problems =
        workloads_of(read_problem_argument(format("@{}", file.path().string())), {});
    CHECK_FALSE(problems.empty());
    CHECK(workloads_of(read_problem_argument(format("@presets/problems/{}.yaml", stem)), {}) ==
          problems);
    CHECK(workloads_of(read_problem_argument(format("@{}", stem)), {}) == problems);
  }
  CHECK(files >= 3);
}

TEST_CASE("a file's own data type wins over the command line's") {
  const auto problems = parse_workload_file(
      "schema: tilewright.problems/1\ndtype: f16\nproblems: [8x8x8]\n", "p.yaml", {});
  CHECK(problems ==
        std::vector<Workload>{{.kind = {.dtype = DataType::F16}, .shapes = {{8, 8, 8}}}});
}

TEST_CASE("bad files are refused with the place of the error") {
  CHECK(contains(problems_error("@no/such/file.yaml"), "no/such/file.yaml"));
  const std::string head = "schema: tilewright.problems/1\n";
  CHECK(contains(file_error(head + "problems:\n  - 8x8x8\n  - 8x0x8\n"), "p.yaml:4"));
  CHECK(contains(file_error(head + "problems: []\n"), "no problem"));
  CHECK(contains(file_error(head + "problem: [8x8x8]\n"), "did you mean 'problems'?"));
  CHECK(contains(file_error("problems: [8x8x8]\n"), "schema"));
}

}  // namespace
}  // namespace tilewright
