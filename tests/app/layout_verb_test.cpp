#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "base/error.hpp"
#include "record/document.hpp"
#include "verbs/verbs.hpp"

using namespace tilewright;

namespace {

struct Answer {
  ExitCode code;
  std::string out;
  std::string err;
  bool says(std::string_view part) const { return out.find(part) != std::string::npos; }
};

Answer answer_to(const LayoutOptions& options) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  const ExitCode code =
      print(run_analyze_layout(read_layout_options(options)), options.format, console);
  return {code, out.str(), err.str()};
}

LayoutOptions options_of(const char* expression) {
  LayoutOptions options;
  options.expression = expression;
  return options;
}

}  // namespace

TEST_CASE("a layout's numbers, in elements and bytes") {
  LayoutOptions options = options_of("Sw<3,3,3> o 0 o (8,64):(64,1)");
  options.dtype = "f16";
  const Answer answer = answer_to(options);
  CHECK(answer.code == ExitCode::Good);
  CHECK(answer.says("Sw<3,3,3> on elements = Sw<3,4,3> on bytes"));
  CHECK(answer.says("512 elements, 1024 bytes"));
  CHECK(answer.says("injective         yes"));
  options.dtype = "bf61";
  CHECK_THROWS_WITH_AS(answer_to(options), doctest::Contains("did you mean 'bf16'"), Error);
}

TEST_CASE("--equal answers with the exit code and the first difference") {
  LayoutOptions options = options_of("Sw<3,3,3> o 0 o (8,64):(64,1)");
  options.equal =
      "tensor<8x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, "
      "0]}>>";
  CHECK(answer_to(options).code == ExitCode::Good);
  options.equal = "(8,64):(64,1)";
  const Answer answer = answer_to(options);
  CHECK(answer.code == ExitCode::No);
  CHECK(answer.err.find("at (1,0) the first gives 72 and the second 64") != std::string::npos);
}

TEST_CASE("--explain derives the result, also of operations inside") {
  LayoutOptions options = options_of("coalesce(composition((6,2):(8,2), (4,3):(3,1)))");
  options.explain = true;
  const Answer answer = answer_to(options);
  CHECK(
      answer.says("composition((6,2):(8,2), (4,3):(3,1))\n  mode 4:3 of B\n"
                  "    mode 0 of A, 6:8: 2 of 4 fit at stride 3 * 8: 2:24\n"));
  CHECK(answer.says("  = ((2,2),3):((24,2),8)\n"));
  CHECK(answer.says("coalesce(((2,2),3):((24,2),8))\n  = (2,2,3):(24,2,8)\n"));
}

TEST_CASE("--show draws slices, --linear the matrix, --dialect another spelling") {
  LayoutOptions options = options_of("(2,3,2):(3,1,6)");
  options.show = true;
  CHECK(answer_to(options).says("slice 0 of 2\n0 1 2\n3 4 5\nslice 1 of 2\n 6  7  8\n 9 10 11\n"));
  options = options_of("(2,4):(4,1)");
  options.linear = true;
  options.dialect = "cute-cpp";
  const Answer answer = answer_to(options);
  CHECK(answer.says("layout            (_2,_4):(_4,_1)\n"));
  CHECK(answer.says(
      "the XOR of the columns whose index bits are 1\n   2  1 ..\n   1  . .1\n   0  . 1.\n"));
  options.dialect = "cute-cp";
  CHECK_THROWS_WITH_AS(answer_to(options), doctest::Contains("did you mean 'cute-cpp'"), Error);
}

TEST_CASE("checks name the numbers") {
  LayoutOptions options = options_of("Sw<3,0,3> o 8:8");
  options.checks = parse_checks({"footprint<=64", "injective==true"});
  CHECK(answer_to(options).code == ExitCode::Good);
  options.checks = parse_checks({"footprint<=57"});
  CHECK(answer_to(options).code == ExitCode::No);
  options.checks = parse_checks({"footprin<=57"});
  CHECK_THROWS_WITH_AS(answer_to(options), doctest::Contains("did you mean 'footprint'"), Error);
}

TEST_CASE("a value has none of a layout's properties") {
  LayoutOptions options = options_of("(8,64):(64,1)(3,5)");
  CHECK(answer_to(options).out == "value             197\n");
  options.show = true;
  CHECK_THROWS_AS(answer_to(options), Error);
}

TEST_CASE("the cosize of a coordinate layout is an extent for each coordinate") {
  LayoutOptions options = options_of("cute.make_layout((32, 8), stride=(cute.E(0), 8*cute.E(1)))");
  CHECK(answer_to(options).says("layout            (32,8):(1@0,8@1)"));
  CHECK(answer_to(options).says("cosize            (32,57)"));
  options.format = Format::Json;
  const auto json = Document::parse(answer_to(options).out);
  CHECK(json["cosize"] == Document{32, 57});
  CHECK(json["size"] == 256);
  CHECK(json["injective"] == true);
}

TEST_CASE("of a pipeline's stages one is judged, and their distance is given") {
  LayoutOptions options =
      options_of("sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128, 128, 64), Float16, 4)");
  options.dtype = "f16";
  options.as_wgmma = true;
  options.access = "ldmatrix.x4";
  const Answer answer = answer_to(options);
  CHECK(answer.says("wgmma             K_SW128, blocks 1024 bytes apart along M or N, 0 along K"));
  CHECK(answer.says("stages            4, 8192 elements, 16384 bytes, apart; the first is judged"));
  options.format = Format::Json;
  const auto json = Document::parse(answer_to(options).out);
  CHECK(json["stages"]["count"] == 4);
  CHECK(json["stages"]["distance_bytes"] == 16384);
  CHECK(json["wgmma"]["layout"] == "K_SW128");
  options.expression += "(_,_,0)";
  CHECK(!Document::parse(answer_to(options).out).contains("stages"));
}
