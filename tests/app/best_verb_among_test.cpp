#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "app/outcome.hpp"
#include "base/text.hpp"
#include "store/shipped_answers.hpp"
#include "support/error_message.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

Outcome best_among(const BestOptions& options) {
  return testing::printed(Format::Text,
                          [&](Console& console) { return run_best(read_best(options), console); });
}

KindOptions half() {
  KindOptions kind;
  kind.dtype = "f16";
  return kind;
}

TEST_CASE("best --among answers as choose_shipped(), with the source and every export") {
  const std::string tuned = TILEWRIGHT_SOURCE_DIR "/presets/tuned/";
  const std::vector<TunedFile> files = {
      {tuned + "h200-dense.yaml", load_best(tuned + "h200-dense.yaml")},
      {tuned + "h200-grouped.yaml", load_best(tuned + "h200-grouped.yaml")}};
  const AnswerTable table = shipped_answers(files);
  std::set<std::string> named;
  BestOptions options;
  options.among = {files[0].name, files[1].name};
  for (const char* const problem : {"4096x4096x4096", "600x640x1000", "512x512x848", "4097x33x77",
                                    "1x1x1", "100x4096x7168,900x4096x7168", "16384x16384x64"}) {
    options.problem = problem;
    Workload workload = workload_of({});
    workload.shapes = parse_shapes(problem, MatrixOp::Gemm);
    const std::optional<ShippedChoice> expected = choose_shipped(table, workload);
    REQUIRE(expected.has_value());
    const std::string source(kAnswerSources[static_cast<size_t>(expected->source)]);
    options.export_as = BestExport::Config;
    const Outcome config = best_among(options);
    CAPTURE(problem);
    CHECK(config.code == ExitCode::Good);
    CHECK(config.out == to_string(expected->config) + "\n");
    CHECK(contains(config.err, format(": {}: ", source)));
    if (options.problem == "4096x4096x4096") CHECK(contains(config.err, "the library was faster"));
    // The documents name the source alike for all problems that it answers, and each answer chooses
    // the shipped kernels anew, for seconds.
    if (!named.insert(source).second) continue;
    options.export_as = BestExport::Json;
    CHECK(contains(best_among(options).out, format("\"source\": \"{}\"", source)));
    options.export_as = BestExport::Yaml;
    CHECK(contains(best_among(options).out, format("source: {}\n", source)));
  }
  options.problem = "512x512x848";
  options.export_as = BestExport::Json;
  CHECK(contains(best_among(options).out, "\"tried\": {"));
  options.export_as = BestExport::Cpp;
  CHECK(contains(best_among(options).out, "constexpr"));
  CHECK(named.size() > 2);
}

TEST_CASE("a problem without a kernel in the files ends with 1 and the reason; --pin is refused") {
  BestOptions options;
  options.problem = "512x512x512";
  options.kind = half();
  options.among = {TILEWRIGHT_SOURCE_DIR "/presets/tuned/h200-dense.yaml"};
  const Outcome run = best_among(options);
  CHECK(run.code == ExitCode::No);
  CHECK(run.out.empty());
  CHECK(contains(run.err, "no kernel for 512x512x512 f16 tn is shipped"));
  options.kind = {};
  options.pin = true;
  CHECK(best_among(options).code == ExitCode::Usage);
  options.pin = false;
  options.among.push_back("/no/such/best.yaml");
  CHECK(best_among(options).code == ExitCode::Usage);
}

}  // namespace
}  // namespace tilewright
