// Rounds of real processes (tests/record/gate_rounds), played back to a measured gate.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "gate/gate_measured.hpp"
#include "record/document.hpp"
#include "support/fake_runner.hpp"

namespace tilewright::testing {

/// One pair of kernels in one process. `ratios`: the other kernel's time over ours, by round.
struct RecordedPair {
  std::string process;
  std::string gpu;   // hash of the card's UUID
  std::string name;  // of the case
  std::string problem;
  std::string pair;        // "reference", "same" or "planted"
  double planted_pct = 0;  // how much slower our kernel was made
  std::string other;
  double our_us = 0;  // median
  std::vector<double> ratios;
};

inline std::vector<RecordedPair> load_rounds(const std::string& path) {
  constexpr double kUnit = 1e-4;  // of the file's ratios, which are less 1
  std::vector<RecordedPair> pairs;
  const std::string text = read_file(path);
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const Document row = Document::parse(line);
    RecordedPair pair{.process = row.at("process"),
                      .gpu = row.at("gpu"),
                      .name = row.at("case"),
                      .problem = row.at("problem"),
                      .pair = row.at("pair"),
                      .planted_pct = row.at("planted_pct"),
                      .other = row.at("other"),
                      .our_us = row.at("our_us"),
                      .ratios = {}};
    for (const Document& ratio : row.at("ratios")) {
      pair.ratios.push_back(1 + ratio.get<double>() * kUnit);
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

/// Plays a pair's rounds in their order; our kernel takes longer by the share `slowdown`.
class RecordedRunner : public FakeRunner {
 public:
  explicit RecordedRunner(const RecordedPair& pair, double slowdown = 0)
      : pair_(pair), slowdown_(slowdown) {}

  std::vector<Contender> reference_contenders() override {
    return {{pair_.other, std::nullopt, 0}};
  }
  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    return std::vector<BuildResult>(contenders.size());
  }
  Verification verify(const Contender&) override { return {true, 1e-3, {}}; }
  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    const double other_us = pair_.our_us * pair_.ratios[next_++ % pair_.ratios.size()];
    std::vector<LaunchTime> times;
    for (const Contender& contender : contenders) {
      const bool ours = contender.name == pair_.name;
      times.push_back({.us = ours ? pair_.our_us * (1 + slowdown_) : other_us, .failure = {}});
    }
    return times;
  }

 private:
  const RecordedPair& pair_;
  double slowdown_;
  size_t next_ = 0;
};

/// A comparison needs a round to warm up, and half of the rounds; fresh rounds are the other half.
inline int64_t rounds_of(const RecordedPair& pair) {
  return static_cast<int64_t>(pair.ratios.size()) / 2 - 1;
}

inline GateCase case_of(const RecordedPair& pair) {
  return {pair.name, workload_of({parse_shape(pair.problem)}), {}, ""};
}

/// The verdict of --mode baseline on the process of `now`, with a baseline of the process of
/// `before`; Inconclusive if the baseline's own process is too noisy to be recorded.
inline Verdict replay_baseline(const RecordedPair& before, const RecordedPair& now, double slowdown,
                               double threshold) {
  ProgressListener nobody;
  const std::vector<GateCase> cases = {case_of(now)};
  MeasurePolicy policy{.threshold = threshold, .rounds = rounds_of(now)};
  RecordedRunner recording(before);
  const GateRun first = run_measured_gate(cases, recording, policy, nullptr, nobody);
  if (first.verdicts.front().verdict != Verdict::New) return Verdict::Inconclusive;
  Baseline baseline;
  baseline.mode = GateMode::Baseline;
  baseline.method = first.method;
  baseline.cases = first.numbers;
  RecordedRunner measuring(now, slowdown);
  return run_measured_gate(cases, measuring, policy, &baseline, nobody).verdicts.front().verdict;
}

/// The verdict of --mode ab on two builds in one process, the slower one planted.
inline Verdict replay_builds(const RecordedPair& pair, double threshold) {
  ProgressListener nobody;
  GateCase gate_case = case_of(pair);
  gate_case.foreign = ForeignConfig{.harness = "slowed", .file = "new.so", .build = "new"};
  gate_case.other = ForeignConfig{.harness = "slowed", .file = "old.so", .build = "old"};
  const MeasurePolicy policy{
      .mode = GateMode::Ab, .threshold = threshold, .rounds = rounds_of(pair)};
  RecordedRunner runner(pair);
  return run_measured_gate({&gate_case, 1}, runner, policy, nullptr, nobody)
      .verdicts.front()
      .verdict;
}

}  // namespace tilewright::testing
