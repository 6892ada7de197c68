// A measured gate on recorded processes of two GPUs, with slowdowns that a waiting kernel planted.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "stats/sample.hpp"
#include "support/recorded_rounds.hpp"

namespace tilewright {
namespace {

using testing::RecordedPair;

const std::vector<RecordedPair>& recorded() {
  static const std::vector<RecordedPair> pairs =
      testing::load_rounds(TILEWRIGHT_SOURCE_DIR "/presets/tuned/h100-gate.jsonl");
  return pairs;
}

// Shorter ones are two kernels of a few microseconds each, with a gap between them that varies.
bool is_long(const RecordedPair& pair) {
  constexpr double kLongUs = 20;
  return pair.our_us > kLongUs;
}

struct Shares {
  int gates = 0;
  std::map<Verdict, int> verdicts;
  double of(Verdict verdict) const {
    const auto at = verdicts.find(verdict);
    return at == verdicts.end() ? 0 : static_cast<double>(at->second) / gates;
  }
};

Shares planted(double pct, double threshold) {
  Shares shares;
  for (const RecordedPair& pair : recorded()) {
    if (pair.pair != "planted" || pair.planted_pct != pct || !is_long(pair)) continue;
    ++shares.gates;
    ++shares.verdicts[testing::replay_builds(pair, threshold)];
  }
  return shares;
}

TEST_CASE("the recorded slowdowns are those that were planted") {
  int pairs = 0;
  for (const RecordedPair& pair : recorded()) {
    if (pair.pair != "planted" || !is_long(pair)) continue;
    CAPTURE(pair.name);
    CAPTURE(pair.planted_pct);
    CHECK(100 / median(pair.ratios) - 100 ==
          doctest::Approx(pair.planted_pct).epsilon(0.008).scale(100));
    ++pairs;
  }
  CHECK(pairs >= 100);
}

TEST_CASE("two builds in one process: no false regression, and 3 % are found in nearly all") {
  CHECK(planted(0, 0.01).gates >= 20);
  CHECK(planted(0, 0.01).of(Verdict::Regression) == 0);
  CHECK(planted(2, 0.01).of(Verdict::Regression) >= 0.6);
  CHECK(planted(3, 0.01).of(Verdict::Regression) >= 0.95);
  CHECK(planted(5, 0.01).of(Verdict::Regression) == 1);
  // The slower build is never better, and the larger the slowdown the more are found.
  for (const double pct : {1.0, 2.0, 5.0}) CHECK(planted(pct, 0.01).of(Verdict::Improved) == 0);
  CHECK(planted(2, 0.01).of(Verdict::Regression) <= planted(3, 0.01).of(Verdict::Regression));
}

TEST_CASE("baselines of other processes on the card: 5 % are found, 0 % in few") {
  Shares equal;
  Shares slower;
  for (const RecordedPair& before : recorded()) {
    for (const RecordedPair& now : recorded()) {
      const bool fits = before.pair == "reference" && now.pair == "reference" &&
                        before.name == now.name && before.other == now.other &&
                        before.gpu == now.gpu && before.process < now.process;
      if (!fits || !is_long(now)) continue;
      ++equal.gates;
      ++slower.gates;
      ++equal.verdicts[testing::replay_baseline(before, now, 0, 0.015)];
      ++slower.verdicts[testing::replay_baseline(before, now, 0.05, 0.015)];
    }
  }
  CHECK(equal.gates >= 100);
  CHECK(equal.of(Verdict::Regression) <= 0.03);
  CHECK(slower.of(Verdict::Regression) >= 0.95);
}

}  // namespace
}  // namespace tilewright
