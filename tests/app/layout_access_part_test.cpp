#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "record/document.hpp"
#include "verbs/layout_access.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

LayoutOptions wgmma_tile() {
  LayoutOptions options;
  options.expression = "Sw<3,3,3> o 0 o (64,64):(64,1)";
  options.dtype = "f16";
  options.access = "ldmatrix.x4";
  options.as_wgmma = true;
  options.format = Format::Json;
  return options;
}

std::string run(const LayoutOptions& options, ExitCode expected = ExitCode::Good) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  const ExitCode code =
      print(run_analyze_layout(read_layout_options(options)), options.format, console);
  CHECK(code == expected);
  return out.str();
}

TEST_CASE("--access and --as-wgmma add their results to the JSON and the text") {
  const auto json = Document::parse(run(wgmma_tile()));
  CHECK(json["access"]["op"] == "ldmatrix.x4");
  CHECK(json["access"]["max"] == 4);
  CHECK(json["access"]["wavefronts"] == 64);
  CHECK(json["access"]["conflicts"] == 0);
  CHECK(json["wgmma"]["layout"] == "K_SW128");
  CHECK(json["wgmma"]["mn_stride_bytes"] == 1024);
  LayoutOptions text = wgmma_tile();
  text.format = Format::Text;
  CHECK(run(text).find("K_SW128, blocks 1024 bytes apart") != std::string::npos);
}

TEST_CASE("checks read the cost; a copy's cost comes from its threads") {
  LayoutOptions options = wgmma_tile();
  options.expression = "(16,8):(8,1)";
  options.dtype = "f32";
  options.access = "st.v2";
  options.threads = "((4,8),(2,2)):((32,1),(16,8))";
  options.as_wgmma = false;
  options.checks = parse_checks({"max<=2"});
  run(options);
  options.checks = parse_checks({"max<=1"});
  run(options, ExitCode::No);
}

TEST_CASE("bytes need a type, threads need an operation") {
  LayoutOptions no_type = wgmma_tile();
  no_type.dtype = "";
  CHECK_THROWS_AS(run(no_type), Error);
  LayoutOptions alone = wgmma_tile();
  alone.access = "";
  alone.threads = "(32,2):(2,1)";
  CHECK_THROWS_AS(run(alone), Error);
}

}  // namespace
}  // namespace tilewright
