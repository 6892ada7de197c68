#include <doctest/doctest.h>

#include <string>

#include "app/outcome.hpp"
#include "record/document.hpp"
#include "support/error_message.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::Outcome;

Outcome run(const SwizzleOptions& options) {
  return testing::outcome_of([&](Console& console) {
    return print(run_analyze_swizzle(options), options.format, console);
  });
}

SwizzleOptions asked(const char* tile, const char* write, const char* read) {
  SwizzleOptions options;
  options.tile = tile;
  options.write = write;
  options.read = read;
  return options;
}

using testing::contains;

TEST_CASE("the JSON has the contract's keys") {
  SwizzleOptions options = asked("8x64", "st.v4", "ldmatrix.x4");
  options.vector = 8;
  options.format = Format::Json;
  const auto json = Document::parse(run(options).out);
  const auto best = json["candidates"][0];
  CHECK(best["swizzle"] == "Sw<3,3,3>");
  CHECK(best["units"] == "elements");
  CHECK(best["write_wavefronts"] == 4);
  CHECK(best["read_wavefronts"] == 4);
  CHECK(best["conflict_free"] == true);
  CHECK(json["rule"]["swizzle"] == "Sw<3,3,3>");
  CHECK(json["conflict_free_exists"] == true);
  CHECK(json["paddings"][0]["padding"] == 8);
  CHECK(json["emit"]["tma"] == "CU_TENSOR_MAP_SWIZZLE_128B");
  CHECK(json["periods"]["row_period"] == 8);
}

TEST_CASE("a given swizzle is the only candidate, in any spelling") {
  for (const char* const text : {"3,3,3", "<3,3,3>", "Sw<3,3,3>", "Swizzle<3,3,3>"}) {
    SwizzleOptions options = asked("64x128", "st.v4", "ldmatrix.x4.trans");
    options.swizzle = text;
    options.checks = parse_checks({"read_wavefronts==8"});
    CHECK(run(options).code == ExitCode::Good);
  }
}

TEST_CASE("text names units, the rule and the targets; --show places the vectors") {
  SwizzleOptions options = asked("8x64", "st.v4", "ldmatrix.x4");
  options.show = true;
  const std::string text = run(options).out;
  CHECK(contains(text, "Sw<3,3,3> (elements)"));
  CHECK(contains(text, "the rule"));
  CHECK(contains(text, "0b...YYYZZZxxx: Z becomes Z ^ Y (bit 0 is an element of 2 bytes)"));
  CHECK(contains(text, "#iree_codegen.xor_shuffle<64, 8>"));
  CHECK(contains(text, "   1   1   0   3   2   5   4   7   6\n"));
}

TEST_CASE("the remaining conflicts agree with the wavefronts, in text and JSON") {
  SwizzleOptions options = asked("32x16", "st.b32", "ld.b32@col");
  options.dtype = "f32";
  options.swizzle = "4,0,5";  // two rows of 64 bytes share 128 bytes: pairs of rows may be equal
  CHECK(
      contains(run(options).out, "0 of the write's 16 wavefronts, 0 of the read's 16 wavefronts"));
  CHECK(contains(run(options).out, "2 rows of 64 bytes lie side by side"));
  options.swizzle = "4,0,4";
  CHECK(contains(run(options).out, "16 of the read's 32 wavefronts"));
  options.checks =
      parse_checks({"conflict_share==0.5", "conflicts_remaining<0.067", "read_wavefronts==2"});
  CHECK(run(options).code == ExitCode::Good);
  options.format = Format::Json;
  const auto json = Document::parse(run(options).out);
  CHECK(json["candidates"][0]["conflict_share"] == 0.5);
  CHECK(json["candidates"][0]["conflicts_remaining"] == doctest::Approx(1.0 / 15));
  CHECK(json["periods"]["conflicts_remaining"] == doctest::Approx(1.0 / 15));
}

TEST_CASE("checks and bad requests") {
  SwizzleOptions options = asked("32x32", "st.v4", "ldmatrix.x4");
  options.checks = parse_checks({"conflicts>0"});
  CHECK(run(options).code == ExitCode::No);
  options.checks = parse_checks({"conflict<1"});
  CHECK(run(options).code == ExitCode::Usage);
  CHECK(run(asked("32x32", "st.v5", "ldmatrix.x4")).code == ExitCode::Usage);
  CHECK(run(asked("32", "st.v4", "ldmatrix.x4")).code == ExitCode::Usage);
  SwizzleOptions bad = asked("32x32", "st.v4", "ldmatrix.x4");
  bad.swizzle = "3,3";
  CHECK(run(bad).code == ExitCode::Usage);
  CHECK(run(bad).out.empty());
}

}  // namespace
}  // namespace tilewright
