#include "store/problems.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/preset_path.hpp"
#include "support/complaint.hpp"

namespace tilewright {
namespace {

std::string complaint(const std::string& text) {
  return testing::complaint_of([&] { parse_problem_argument(text, {}); });
}

std::string file_complaint(const std::string& text) {
  return testing::complaint_of([&] { parse_problem_file(text, "p.yaml", {}); });
}

using testing::contains;

TEST_CASE("a shape is one problem of the type that the command line names") {
  const auto problems = parse_problem_argument("4097x1000x4104", {.dtype = DataType::F16});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0] == Problem{{4097, 1000, 4104}, DataType::F16});
}

TEST_CASE("a grouped problem is refused in words") {
  CHECK(contains(complaint("64x64x64,128x64x64"), "grouped problem"));
}

TEST_CASE("every preset file of problems reads, however its path is spelt") {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(presets_folder() / "problems")) {
    ++files;
    const std::string stem = file.path().stem().string();
    const auto problems = parse_problem_argument(format("@{}", file.path().string()), {});
    CHECK_FALSE(problems.empty());
    CHECK(parse_problem_argument(format("@presets/problems/{}.yaml", stem), {}) == problems);
    CHECK(parse_problem_argument(format("@{}", stem), {}) == problems);
  }
  CHECK(files >= 3);
}

TEST_CASE("a file's own data type wins over the command line's") {
  const auto problems = parse_problem_file(
      "schema: tilewright.problems/1\ndtype: f16\nproblems: [8x8x8]\n", "p.yaml", {});
  CHECK(problems == std::vector<Problem>{{{8, 8, 8}, DataType::F16}});
}

TEST_CASE("bad files are refused with the place") {
  CHECK(contains(complaint("@no/such/file.yaml"), "no/such/file.yaml"));
  const std::string head = "schema: tilewright.problems/1\n";
  CHECK(contains(file_complaint(head + "problems:\n  - 8x8x8\n  - 8x0x8\n"), "p.yaml:4"));
  CHECK(contains(file_complaint(head + "problems: []\n"), "no problem"));
  CHECK(contains(file_complaint(head + "problem: [8x8x8]\n"), "did you mean 'problems'?"));
  CHECK(contains(file_complaint("problems: [8x8x8]\n"), "schema"));
}

}  // namespace
}  // namespace tilewright
