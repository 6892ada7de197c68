// Random problems, tuned from their text to the artefact on a simulated device. The result is an
// answer, or a rejection with the rule's name; never an internal error.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "request/job.hpp"
#include "search/space.hpp"
#include "stats/random.hpp"
#include "support/decompositions.hpp"
#include "support/error_message.hpp"
#include "support/random_cases.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

class TuneDraw {
 public:
  explicit TuneDraw(uint64_t seed) : random_(seed) {}

  // Returns options that can run; families are forced in turn.
  TuneOptions next() {
    for (;;) {
      TuneOptions options;
      const int turn = drawn_ % 4;
      switch (random_.below(6)) {
        case 0: options.problems = {tall()}; break;
        case 1: options.problems = {shape(700, 700, 4000)}; break;
        case 2: draw_group(options); break;
        case 3: draw_update(options); break;
        default: options.problems = {shape(64, 8192, 32768)}; break;
      }
      draw_kind(options);
      // Sometimes keep a problem that its family has no kernel for.
      if (turn > 1 && !one_in(8)) fit(options, turn);
      const Workload workload = read_workload(options.problems.front(), options.kind);
      if (reject_workload_kind(workload)) continue;
      ++drawn_;
      options.config = config_for(workload, turn);
      return options;
    }
  }

 private:
  bool one_in(uint32_t count) { return random_.below(count) == 0; }

  template <class List>
  const auto& any_of(const List& list) {
    return list[random_.below(static_cast<uint32_t>(std::size(list)))];
  }

  // Sizes with a uniform logarithm; half of them are rounded up to multiples of 8.
  int64_t extent(int most) {
    const auto size = static_cast<int64_t>(std::exp(random_.uniform() * std::log(most)));
    return one_in(2) ? size : (size + 7) / 8 * 8;
  }

  std::string shape(int most_m, int most_n, int most_k) {
    return to_string(GemmShape{extent(most_m), extent(most_n), extent(most_k)});
  }
  std::string tall() { return shape(8192, 64, 4096); }

  void draw_group(TuneOptions& options) {
    const auto products = 2 + random_.below(4);
    const GemmShape first{extent(512), extent(1024), extent(2048)};
    const uint32_t packing = random_.below(3);
    std::vector<std::string> shapes;
    for (uint32_t i = 0; i < products; ++i) {
      GemmShape s = first;
      if (packing != 1) s.m = one_in(8) ? 0 : extent(512);
      if (packing == 1 || packing == 2) s.k = extent(2048);
      if (packing == 2) s.n = extent(1024);
      shapes.push_back(format("{}x{}x{}", s.m, s.n, s.k));
    }
    options.problems = {join(shapes, ",")};
  }

  void draw_update(TuneOptions& options) {
    constexpr const char* kOps[] = {"syrk", "syr2k", "her2k"};
    constexpr const char* kParts[] = {"lower", "upper", "full"};
    options.kind.op = any_of(kOps);
    options.kind.uplo = any_of(kParts);
    const int64_t n = extent(1500);
    options.problems = {to_string(GemmShape{n, n, extent(2048)})};
  }

  void draw_kind(TuneOptions& options) {
    constexpr const char* kLayouts[] = {"tn", "nn", "nt", "tt"};
    constexpr const char* kTypes[] = {"bf16", "f16", "bf16", "e4m3"};
    constexpr const char* kEpilogues[] = {"relu", "gelu(bias)", "0.5*c", "gelu(2*ab+c)"};
    options.kind.layout = one_in(2) ? "tn" : any_of(kLayouts);
    options.kind.dtype = any_of(kTypes);
    if (one_in(3)) options.kind.out_dtype = "f32";
    options.kind.bias = one_in(6);
    if (one_in(6)) options.kind.epilogue = any_of(kEpilogues);
    if (options.kind.dtype == "e4m3" && !one_in(4)) options.kind.layout = "tn";
  }

  // Makes the operands 16-bit; for the skinny family also few rows and a K that is a multiple of 8.
  void fit(TuneOptions& options, int turn) {
    if (options.kind.dtype == "e4m3") options.kind.dtype = "bf16";
    const bool skinny = turn == 3;
    if (!skinny && options.kind.op == "gemm" && options.problems.front().find(',') == kNone) return;
    options.kind.op = "gemm";
    options.kind.uplo.clear();
    if (skinny) options.kind.layout = "tn";
    const GemmShape s{extent(skinny ? 16 : 64), extent(8192), extent(32768)};
    options.problems = {format("{}x{}x{}", s.m, s.n, skinny ? (s.k + 7) / 8 * 8 : s.k)};
  }
  static constexpr size_t kNone = std::string::npos;

  // Usually one tile of a space: ranking a whole space takes a second.
  std::string config_for(const Workload& workload, int turn) {
    if (turn == 0) {
      const bool whole = is_product(workload) && drawn_ % 100 == 1;
      const bool divides = is_product(workload) && one_in(2);
      return whole ? "" : "stages=2,decomposition=" + (divides ? division() : "data-parallel");
    }
    const SearchSpace space = all_spaces().at(static_cast<size_t>(turn - 1));
    std::string config = config_in(space, workload);
    for (int tries = one_in(8) ? 0 : 10; tries > 0 && !is_possible(config, workload); --tries) {
      config = config_in(space, workload);
    }
    return config;
  }

  std::string config_in(const SearchSpace& space, const Workload& workload) {
    const TileConfig tile = any_of(tiles_of(space, workload.kind.dtype));
    std::string config = format("family={},cta={}", to_string(space.family), to_string(tile.cta));
    if (space.family == Family::Sm90) config += ",cluster=" + to_string(tile.cluster);
    if (space.family != Family::Skinny && !one_in(16)) config += ",raster=" + raster(workload);
    if (one_in(2)) config += ",decomposition=" + division_of(space.family);
    return config;
  }

  // True where the config is legal with two stages, or with one batch.
  static bool is_possible(const std::string& config, const Workload& workload) {
    ConfigRequest request = parse_config(config);
    name_key(request, "stages", "2");
    for (const SearchSpace& space : requested_spaces(request)) {
      for (TileConfig tile : tiles_of(space, workload.kind.dtype)) {
        if (!reject_workload(workload, tile, testing::h200())) return true;
      }
    }
    return false;
  }

  std::string raster(const Workload& workload) {
    constexpr const char* kRasters[] = {"row", "col", "swizzle-merge:2", "hilbert"};
    return is_triangular(workload) ? "row" : any_of(kRasters);
  }

  std::string division() { return format("split-k:{}:workspace", 2 + random_.below(7)); }

  std::string division_of(Family family) {
    if (family == Family::Skinny) return division();
    if (family == Family::Sm80 && one_in(2)) return format("split-k:{}", 2 + random_.below(7));
    if (family == Family::Sm80) return division();
    static const std::vector<std::string> all = testing::decompositions_with_every_reduction(
        {"split-k:2", "split-k:4", "split-k:7", "stream-k", "stream-k:all"});
    return any_of(all);
  }

  Random random_;
  int drawn_ = 0;
};

// Every config takes the same time, so the plainest of many is the answer.
testing::Outcome tuned(TuneOptions options) {
  options.rounds = 1;
  options.budget.configs = 6;
  options.format = Format::Json;
  const auto load = []() -> BackendOrReason {
    const auto open = [] { return std::make_unique<testing::FakeRunner>(); };
    return {std::make_shared<testing::FakeHost>(open), ""};
  };
  return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
    return run_tune(read_tune(options), show, console, load);
  });
}

TEST_CASE("random problems are answered or refused by a named rule, never with exit code 7") {
  const testing::RandomCases cases = testing::random_cases("TILEWRIGHT_TUNES", 1000);
  TuneDraw draw(cases.seed);
  std::map<ExitCode, int> codes;
  std::map<std::string, int> chosen;
  std::map<std::string, int> rules;
  for (int i = 0; i < cases.count; ++i) {
    const TuneOptions options = draw.next();
    const testing::Outcome outcome = tuned(options);
    ++codes[outcome.code];
    CAPTURE(cases.seed);
    CAPTURE(options.problems.front());
    CAPTURE(options.kind.op);
    CAPTURE(options.kind.dtype);
    CAPTURE(options.kind.layout);
    CAPTURE(options.config);
    CAPTURE(outcome.err);
    if (outcome.code == ExitCode::No) {
      const size_t at = outcome.err.find("; rule ");
      REQUIRE(at != std::string::npos);
      ++rules[outcome.err.substr(at, outcome.err.find(':', at) - at)];
      continue;
    }
    REQUIRE(outcome.code == ExitCode::Good);
    const Document entry = Document::parse(outcome.out).at("entries").at(0);
    const std::string way = entry.at("choice").at("decomposition").get<std::string>();
    ++chosen[entry.at("choice").at("family").get<std::string>() +
             (way == "data-parallel" ? "" : ", divided")];
  }
  MESSAGE(codes[ExitCode::Good], " answers, ", codes[ExitCode::No], " refused");
  if (cases.count < 1000) return;
  CHECK(codes[ExitCode::Good] > cases.count / 2);
  CHECK(rules.size() > 5);
  for (const char* const way : {"sm90", "sm80", "skinny"}) {
    CHECK(chosen[way] > 20);
    CHECK(chosen[std::string(way) + ", divided"] > 20);
  }
}

}  // namespace
}  // namespace tilewright
