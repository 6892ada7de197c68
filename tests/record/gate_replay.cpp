// gate_replay ROUNDS.jsonl PICTURE: how often a measured gate calls equal kernels slower, and how
// often it finds a slowdown, by the rounds of recorded processes. Whole processes are drawn: one is
// the baseline's, another is today's. Half of them choose a threshold for each case, the least one
// without a false regression; the other half is reported. Draws PICTURE.
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "draw/picture.hpp"
#include "draw/sweep_diagram.hpp"
#include "stats/random.hpp"
#include "support/recorded_rounds.hpp"

namespace {

using namespace tilewright;
using namespace tilewright::testing;

constexpr int kGates = 200;
constexpr double kUsual = 0.01;  // the threshold of a gate that names none
// The slowdowns that are recorded.
constexpr int64_t kPermille[] = {0, 10, 15, 20, 30, 50};

// What a gate compares: two processes, or the pair of one process.
struct Arms {
  const RecordedPair* before;  // null: two builds in the process of `now`
  const RecordedPair* now;
};

Verdict verdict_of(const Arms& arms, double slowdown, double threshold) {
  return arms.before == nullptr ? replay_builds(*arms.now, threshold)
                                : replay_baseline(*arms.before, *arms.now, slowdown, threshold);
}

using ByCase = std::map<std::string, std::vector<Arms>>;

// Baselines of other processes. Ratios to another algorithm do not compare.
ByCase baseline_arms(const std::vector<const RecordedPair*>& pairs, bool same_card) {
  ByCase arms;
  for (const RecordedPair* const before : pairs) {
    for (const RecordedPair* const now : pairs) {
      const bool fits = before->pair == "reference" && now->pair == "reference" &&
                        before->name == now->name && before->other == now->other &&
                        before->process != now->process && (before->gpu == now->gpu) == same_card;
      if (fits) arms[now->name].push_back({before, now});
    }
  }
  return arms;
}

// Two builds in one process. Short ones are left out: a planted slowdown is a second kernel, and
// the gap before it varies by more than a short kernel's time does.
ByCase build_arms(const std::vector<const RecordedPair*>& pairs, double planted_pct) {
  constexpr double kShortUs = 20;
  ByCase arms;
  for (const RecordedPair* const now : pairs) {
    if (now->pair == "planted" && now->planted_pct == planted_pct && now->our_us > kShortUs) {
      arms[now->name].push_back({nullptr, now});
    }
  }
  return arms;
}

// True if no pair of arms is a false regression, and few are too noisy for a verdict: those are no
// regressions either, but a gate that says nothing finds nothing.
bool is_usable(const std::vector<Arms>& arms, double threshold) {
  constexpr double kMaxUnclear = 0.05;
  size_t unclear = 0;
  for (const Arms& one : arms) {
    const Verdict verdict = verdict_of(one, 0, threshold);
    if (verdict == Verdict::Regression) return false;
    unclear += verdict == Verdict::Inconclusive ? 1 : 0;
  }
  return static_cast<double>(unclear) <= kMaxUnclear * static_cast<double>(arms.size());
}

// The least threshold that is usable together with all larger ones.
double fitted_threshold(const std::vector<Arms>& arms) {
  constexpr int kSteps = 24;
  constexpr double kStep = 0.0025;
  int steps = kSteps;
  while (steps > 1 && is_usable(arms, kStep * (steps - 1))) --steps;
  return kStep * steps;
}

struct Share {
  int found = 0;
  int unclear = 0;
  int gates = 0;
  std::string text() const { return format("{} of {} found, {} unclear", found, gates, unclear); }
};

// Of all gates, and of each case's.
struct Shares {
  Share all;
  std::map<std::string, Share> of_case;
};

// Draws gates, with replacement, evenly over the cases.
Shares draw(const ByCase& arms, const std::map<std::string, double>& thresholds, double slowdown) {
  Shares shares;
  Random random(1);
  std::vector<std::string> names;
  for (const auto& one : arms) names.push_back(one.first);
  for (int i = 0; i < kGates && !names.empty(); ++i) {
    const std::string& name = names[random.below(static_cast<uint32_t>(names.size()))];
    const std::vector<Arms>& all = arms.at(name);
    const Arms& one = all[random.below(static_cast<uint32_t>(all.size()))];
    const auto threshold = thresholds.find(name);
    const Verdict verdict =
        verdict_of(one, slowdown, threshold == thresholds.end() ? kUsual : threshold->second);
    for (Share* const share : {&shares.all, &shares.of_case[name]}) {
      share->found += verdict == Verdict::Regression ? 1 : 0;
      share->unclear += verdict == Verdict::Inconclusive ? 1 : 0;
      ++share->gates;
    }
  }
  return shares;
}

// Processes of a card go into the halves in turn.
struct Halves {
  std::vector<const RecordedPair*> fit;
  std::vector<const RecordedPair*> reported;
  size_t processes = 0;
};

Halves halve(const std::vector<RecordedPair>& pairs) {
  Halves halves;
  std::map<std::string, size_t> half_of;
  std::map<std::string, size_t> seen;
  for (const RecordedPair& pair : pairs) {
    const auto [at, is_new] = half_of.try_emplace(pair.process, 0);
    if (is_new) at->second = seen[pair.gpu]++ % 2;
    (at->second == 0 ? halves.fit : halves.reported).push_back(&pair);
  }
  halves.processes = half_of.size();
  return halves;
}

// One line of the picture: a kind of gate with its thresholds.
struct Row {
  std::string name;
  std::function<ByCase(const std::vector<const RecordedPair*>&, double slowdown)> arms;
  bool is_fitted = false;
  bool is_planted = false;  // recorded with slowdowns, instead of computed
};

std::vector<Row> rows() {
  const auto same_card = [](const auto& pairs, double) { return baseline_arms(pairs, true); };
  const auto other_card = [](const auto& pairs, double) { return baseline_arms(pairs, false); };
  const auto builds = [](const auto& pairs, double slowdown) {
    return build_arms(pairs, 100 * slowdown);
  };
  return {{"ab: two builds in one process, 1 %", builds, false, true},
          {"ab, fitted threshold", builds, true, true},
          {"baseline of the card, 1 %", same_card, false, false},
          {"baseline of the card, fitted thresholds", same_card, true, false},
          {"baseline of another card, 1 %", other_card, false, false},
          {"baseline of another card, fitted thresholds", other_card, true, false}};
}

void report(const Row& row, const Halves& halves, Sweep& sweep) {
  std::map<std::string, double> thresholds;
  if (row.is_fitted) {
    for (const auto& [name, arms] : row.arms(halves.fit, 0)) {
      thresholds[name] = fitted_threshold(arms);
      std::printf("  %s: threshold %.2f %% by %zu pairs\n", name.c_str(), 100 * thresholds[name],
                  arms.size());
    }
  }
  SweptNumber number{.name = "found_pct", .values = {}};
  number.chart = "gates that call it slower, %";
  number.series = row.name;
  number.index = sweep.numbers.size();
  for (const int64_t permille : kPermille) {
    const double slowdown = static_cast<double>(permille) / 1000;
    const Shares shares = draw(row.arms(halves.reported, slowdown), thresholds, slowdown);
    number.values.emplace_back();
    if (shares.all.gates == 0) continue;
    number.values.back() = 100.0 * shares.all.found / shares.all.gates;
    std::printf("%s: slower by %.1f %%: %s\n", row.name.c_str(), 100 * slowdown,
                shares.all.text().c_str());
    for (const auto& [name, share] : shares.of_case) {
      std::printf("    %s: %s\n", name.c_str(), share.text().c_str());
    }
  }
  const bool is_known = std::any_of(number.values.begin(), number.values.end(),
                                    [](const auto& value) { return value.has_value(); });
  if (is_known) sweep.numbers.push_back(std::move(number));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("gate_replay ROUNDS.jsonl PICTURE.svg\n", stderr);
    return 2;
  }
  const std::vector<RecordedPair> pairs = load_rounds(argv[1]);
  const Halves halves = halve(pairs);
  std::set<std::string> cards;
  for (const RecordedPair& pair : pairs) cards.insert(pair.gpu);
  Sweep sweep;
  sweep.subject = format(
      "{} gates for each slowdown, drawn from {} processes on {} cards; half of them chose "
      "the fitted thresholds",
      kGates, halves.processes, cards.size());
  sweep.parameter = "slowdown";
  sweep.unit = "per mille";
  sweep.at.assign(std::begin(kPermille), std::end(kPermille));
  sweep.why_not.resize(sweep.at.size());
  for (const Row& row : rows()) report(row, halves, sweep);
  write_picture(sweep_diagram(sweep), argv[2]);
  return 0;
}
