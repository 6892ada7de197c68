// Random artefacts for round trips; every optional part is sometimes present and sometimes absent.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "store/best_table.hpp"

namespace tilewright::testing {

/// Generates values that are difficult for a text format; the same seed gives the same values.
class ArtefactMaker {
 public:
  explicit ArtefactMaker(uint64_t seed) : random_(seed) {}

  bool coin() { return random_() % 2 == 0; }
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }
  /// Finite and above 0, of any magnitude, sometimes a short decimal, sometimes whole.
  double number() {
    switch (below(4)) {
      case 0: return 0.1 * static_cast<double>(1 + below(100));
      case 1: return static_cast<double>(1 + below(1'000'000'000));
      case 2: return std::uniform_real_distribution<double>(1e-31, 1e-30)(random_);
      default: return std::uniform_real_distribution<double>(1e-6, 1e15)(random_);
    }
  }
  /// Text that a careless YAML writer would write wrongly.
  std::string word() {
    static const char* const kWords[] = {"",
                                         "true",
                                         "null",
                                         "~",
                                         "12",
                                         "1e5",
                                         "a: b",
                                         "a #b",
                                         "- x",
                                         "it's \"so\"",
                                         "two\nlines",
                                         "tab\there",
                                         "[1, 2]",
                                         "{a: 1}",
                                         "*alias",
                                         "&anchor",
                                         "%x",
                                         "@at",
                                         "trailing ",
                                         " leading",
                                         "\xc3\xa9\xe2\x82\xac",
                                         "cupti-activity",
                                         "uniform [-1, 1), seed 1",
                                         "0x10",
                                         "4096x64",
                                         "no",
                                         "colon:",
                                         "?",
                                         "|",
                                         ">",
                                         "!tag",
                                         "0.1.0",
                                         "C7510: potential performance loss"};
    return kWords[below(std::size(kWords))];
  }
  Interval interval() {
    const double a = number();
    const double b = number();
    return {.low = std::min(a, b), .high = std::max(a, b)};
  }
  Problem problem() {
    const auto size = [this] { return 1 + below(2147483646); };
    return {{size(), size(), size()}, {coin() ? DataType::BF16 : DataType::F16}};
  }
  Workload workload() {
    Workload made = workload_of(problem());
    const int64_t kind = below(3);
    if (kind == 1) {
      made.op = coin() ? MatrixOp::Syrk : MatrixOp::Her2k;
      made.uplo = coin() ? Uplo::Lower : Uplo::Upper;
      made.shapes[0].m = made.shapes[0].n;
    }
    for (int64_t more = kind == 2 ? 1 + below(5) : 0; more > 0; --more) {
      made.shapes.push_back({below(9000), made.shapes[0].n, made.shapes[0].k});
    }
    return made;
  }
  PairedRatio ratio() { return {number(), interval()}; }
  TileConfig config() {
    static const char* const kRasters[] = {"row",
                                           "col",
                                           "split-merge:4",
                                           "split-merge:2x8@n",
                                           "swizzle-merge:8",
                                           "swizzle-merge:4,2,3@n"};
    TileConfig made;
    made.cta = {64 * static_cast<int>(1 + below(4)), 16 * static_cast<int>(4 + below(12)), 64};
    made.cluster = {1 + static_cast<int>(below(2)), 1};
    made.stages = 2 + static_cast<int>(below(6));
    made.schedule = coin() ? KernelSchedule::PingPong : KernelSchedule::Cooperative;
    made.raster = parse_raster(kRasters[below(std::size(kRasters))]);
    made.l2_promotion_bytes = coin() ? 128 : 256;
    made.evict_first = {.a = coin(), .b = coin()};
    return made;
  }
  Counters counters() {
    return {number(), number(), number(), number(), number(), static_cast<int>(below(9))};
  }
  Energy energy() { return {number(), number()}; }
  Verification verification() { return {coin(), number(), word()}; }
  LibraryPin pin(int64_t version) {
    LibraryPin made{.version = version,
                    .name = word(),
                    .algorithm = {.bits = {}, .workspace_bytes = below(1LL << 40)},
                    .median_us = number(),
                    .ratio = ratio(),
                    .first_us = number(),
                    .first_ratio = ratio()};
    for (uint8_t& byte : made.algorithm.bits.bytes) byte = static_cast<uint8_t>(below(256));
    if (coin()) made.beside = config();
    return made;
  }
  Trial trial() {
    Trial made;
    made.problem = workload_of(problem());
    made.date = word();
    made.rounds = below(200);
    made.predicted = config();
    made.times.push_back({made.predicted, number()});
    for (int64_t i = below(3); i > 0; --i) made.times.push_back({config(), number()});
    if (coin()) made.origin = origin();
    return made;
  }
  SizeRange range() {
    const int64_t low = 1 + below(9000);
    return {low, low + 1 + below(9000), int64_t{1} << below(7)};
  }
  Bucket bucket() {
    Bucket made;
    made.kind = workload_of(problem());
    made.kind.shapes.clear();
    made.m = range();
    made.n = range();
    made.k = range();
    made.by_model = coin();
    if (!made.by_model) made.from = problem().shape;
    if (!made.by_model) made.choice = config();
    made.worst_regret = number();
    made.held_out = number();
    made.trials = below(99);
    made.date = word();
    return made;
  }
  Origin origin() {
    return {.tool_version = word(),
            .software = {word(), word(), word(), word()},
            .method = {word(), word(), word(), word()},
            .rounds = below(1000)};
  }
  TuneEntry entry();
  Artefact artefact();

 private:
  std::mt19937_64 random_;
};

inline TuneEntry ArtefactMaker::entry() {
  TuneEntry made;
  made.problem = workload();
  made.choice = config();
  const double hit_rate = 0.01 * static_cast<double>(below(101));
  made.predicted = {number(), number(), number(),   number(),   number(),
                    number(), hit_rate, below(999), below(999), number()};
  if (coin()) made.timing = Timing{number(), interval(), number(), number(), number()};
  if (coin()) {
    made.reference = ReferenceResult{word(), number(), {number(), interval()}, std::nullopt};
    if (coin()) made.reference->counters = counters();
    if (coin()) made.reference->energy = energy();
  }
  if (made.timing && coin()) {
    made.energy = energy();
    made.objective = coin() ? Objective::Energy : Objective::Edp;
  }
  if (coin()) made.counters = counters();
  made.why_no_counters = word();
  if (coin()) made.verified = verification();
  if (coin()) {
    made.build = BuildResult{word(), static_cast<int>(below(255)), static_cast<int>(below(99)),
                             static_cast<int>(below(232448)), coin()};
  }
  for (int64_t i = below(3); i > 0; --i) made.references.push_back({word(), number()});
  for (int64_t i = is_product(made.problem) ? below(3) : 0; i > 0; --i) {
    const int64_t last = made.library_pins.empty() ? 0 : made.library_pins.back().version;
    made.library_pins.push_back(pin(last + 1 + below(99999)));
  }
  for (int64_t i = below(3); i > 0; --i) {
    made.alternatives.push_back({config(), word(), ratio(), coin()});
  }
  for (int64_t i = below(3); i > 0; --i) made.ties.push_back({config(), number()});
  for (int64_t i = below(3); i > 0; --i) made.exports.push_back({word(), config(), ratio()});
  if (coin()) made.required = word();
  for (int64_t i = below(3); i > 0; --i) made.wrong.push_back({config(), verification()});
  made.considered.enumerated = below(1'000'000'000'000);
  for (int64_t i = below(4); i > 0; --i) made.considered.rejected[word()] = below(1000);
  made.considered.measured = below(100);
  made.determinism = word();
  made.pinned = coin();
  if (made.timing && coin()) made.origin = origin();
  return made;
}

inline Artefact ArtefactMaker::artefact() {
  Artefact made;
  made.tool_version = word();
  made.predicted = coin();
  made.device = {word(),           "9.0", static_cast<int>(below(200)), below(99'999'999),
                 below(1LL << 40), coin()};
  made.method = {word(), word(), word(), word()};
  made.rounds = below(1000);
  for (int64_t i = below(4); i > 0; --i) made.entries.push_back(entry());
  for (int64_t i = below(3); i > 0; --i) made.trials.push_back(trial());
  for (int64_t i = made.trials.empty() ? 0 : below(3); i > 0; --i) made.buckets.push_back(bucket());
  return made;
}

}  // namespace tilewright::testing
