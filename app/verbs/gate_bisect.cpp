// tilewright gate bisect: finds the commit that made a suite worse, by static gates or by rounds.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "gate/gate.hpp"
#include "gate/gate_static.hpp"
#include "host/git.hpp"
#include "record/document.hpp"
#include "store/suite.hpp"
#include "verbs/bisect_log.hpp"
#include "verbs/build_comparison.hpp"
#include "verbs/commit_build.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr double kBisectThreshold = 0.01;

CaseVerdict judge_recorded(const CaseNumbers& before, const Baseline& now, const Suite& suite) {
  const CaseNumbers* const numbers = find_case(&now, before.name);
  if (numbers == nullptr || !numbers->exact) {
    return early_verdict(before.name, Verdict::Regression, "the suite has no such case any more");
  }
  const GateCase as_now{numbers->name, numbers->problem, numbers->config, {}};
  if (const auto changed = judge_case(as_now, &before)) return *changed;
  const auto found = std::find_if(suite.cases.begin(), suite.cases.end(),
                                  [&](const SuiteCase& c) { return c.name == before.name; });
  const CaseRules rules = found == suite.cases.end() ? CaseRules{} : found->rules;
  CaseVerdict verdict =
      judge_exact(*numbers, &before, rules.threshold.value_or(kBisectThreshold), rules);
  if (verdict.verdict == Verdict::Regression && !before.exact->walk.empty() &&
      before.exact->walk == numbers->exact->walk) {
    verdict.findings.emplace_back("the mapping is the same: the model changed");
  }
  return verdict;
}

// The cases that are worse than in the good commit, by both commits' recorded numbers.
std::vector<CaseVerdict> worse_cases(const Baseline& good, const Baseline& now,
                                     const Suite& suite) {
  require_comparable(good, GateMode::Static, now.device);
  std::vector<CaseVerdict> worse;
  for (const CaseNumbers& before : good.cases) {
    CaseVerdict verdict = judge_recorded(before, now, suite);
    if (verdict.verdict == Verdict::Regression) worse.push_back(std::move(verdict));
  }
  return worse;
}

struct Skip {
  Commit commit;
  std::string why;
};

// The result of a bisection: one suspect, or several if the commits between them cannot be tested.
struct Bisection {
  std::vector<Commit> suspects;
  std::vector<CaseVerdict> worse;  // in the last of the suspects that was tested
  std::vector<Skip> skipped;
};

bool is_hash(std::string_view word) {
  return word.size() >= 40 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The commits that a finished `git bisect` names; empty while it continues.
std::vector<Commit> named_suspects(const ChildEnd& said, const fs::path& tree) {
  constexpr int kOnlySkippedLeft = 2;
  constexpr std::string_view kFound = " is the first bad commit";
  std::vector<Commit> suspects;
  for (const std::string_view line : split(said.output, '\n')) {
    const std::string_view word = line.substr(0, line.find(' '));
    const bool names = said.code == kOnlySkippedLeft ? line == word : line.ends_with(kFound);
    if (names && is_hash(word)) suspects.push_back(commit_of(std::string(word), tree));
  }
  if (said.code != 0 && said.code != kOnlySkippedLeft) {
    throw environment_error(format("git bisect failed: {}", one_line(trim(said.output))));
  }
  return suspects;
}

// Answers what git bisect asks: git chooses the commits, in a worktree of its own.
class Bisector {
 public:
  Bisector(const GateBisectOptions& options, const fs::path& repository, const Commit& first,
           Console& console)
      : options_(options),
        repository_(repository),
        console_(console),
        suite_(load_suite(options.suite, options.cases)),
        worktree_(repository, first),
        log_(options.log, {options.suite, to_string(options.mode), options.device, options.cases}) {
  }

  // Empty if `bad` is no worse than `good`.
  std::optional<Bisection> run(const Commit& good, const Commit& bad) {
    log_.begin(good.hash, bad.hash);
    test_good(good);
    git_does({"checkout", "--quiet", "--force", "--detach", bad.hash}, worktree_.tree());
    const CommitAnswer last = answer(bad);
    if (last.word == kSkip) {
      throw usage_error(format("BAD, {}, gives no answer: {}", bad.text(), last.why));
    }
    if (last.word == kGood) return std::nullopt;
    if (measured_) measured_->aim(last.thresholds);
    ChildEnd said = git({"bisect", "start", bad.hash, good.hash});
    for (;;) {
      found_.suspects = named_suspects(said, worktree_.tree());
      if (!found_.suspects.empty()) return std::move(found_);
      const Commit commit = commit_of("HEAD", worktree_.tree());
      const CommitAnswer now = answer(commit);
      if (now.word == kSkip) found_.skipped.push_back({commit, now.why});
      said = git({"bisect", now.word});
    }
  }

 private:
  void test_good(const Commit& good) {
    if (options_.mode == GateMode::Ab) good_worktree_.emplace(repository_, good);
    const CommitAnswer first = read(good, good_worktree_ ? *good_worktree_ : worktree_, good_);
    if (first.word != kGood) {
      throw usage_error(
          format("GOOD, {}, gives no answer: {}", good.text(),
                 first.word == kSkip ? first.why : first.worse.front().findings.front()));
    }
    if (good_worktree_) measured_.emplace(options_, repository_, good_worktree_->tree(), good_);
  }

  CommitAnswer read(const Commit& commit, const Worktree& worktree, Baseline& numbers) {
    console_.note(format("{}: building", commit.text()));
    return read_commit(options_, repository_, worktree, numbers);
  }

  // The answer of the log, or of a test of the checked-out commit.
  CommitAnswer answer(const Commit& commit) {
    const std::optional<CommitAnswer> known = log_.find(commit.hash);
    CommitAnswer now = known ? *known : test(commit);
    if (!known) log_.add(commit.hash, now);
    if (now.word == kBad) found_.worse = now.worse;
    console_.note(format("{}: {}{}", commit.text(), now.word == kSkip ? now.why : now.word,
                         known ? ", by the log" : ""));
    return now;
  }

  CommitAnswer test(const Commit& commit) {
    Baseline now;
    if (CommitAnswer early = read(commit, worktree_, now); early.word != kGood) return early;
    if (measured_) return measured_->answer(worktree_.tree(), now);
    std::vector<CaseVerdict> worse = worse_cases(good_, now, suite_);
    return {.word = worse.empty() ? kGood : kBad, .worse = std::move(worse)};
  }

  // The reset removes changes of the build in tracked files, which would stop the next checkout.
  ChildEnd git(const std::vector<std::string>& words) {
    git_does({"reset", "--quiet", "--hard"}, worktree_.tree());
    ChildEnd said = run_git(words, worktree_.tree());
    throw_if_interrupted();
    return said;
  }

  const GateBisectOptions& options_;
  const fs::path& repository_;
  Console& console_;
  Suite suite_;
  Worktree worktree_;
  BisectLog log_;
  std::optional<Worktree> good_worktree_;  // keeps the good build for measured comparisons
  std::optional<BuildComparison> measured_;
  Baseline good_;
  Bisection found_;
};

Document to_document(const Commit& commit) {
  return {{"commit", commit.hash}, {"subject", commit.subject}};
}

Document to_document(const Bisection& found) {
  Document suspects = Document::array();
  for (const Commit& commit : found.suspects) suspects.push_back(to_document(commit));
  Document skipped = Document::array();
  for (const Skip& skip : found.skipped) {
    skipped.push_back(to_document(skip.commit));
    skipped.back()["reason"] = skip.why;
  }
  return {{"first_worse", suspects}, {"cases", worse_document(found.worse)}, {"skipped", skipped}};
}

std::string text_of(const Bisection& found) {
  std::string text;
  if (found.suspects.size() == 1) {
    text = format("first worse: {}\n", found.suspects.front().text());
  } else {
    text = "the first worse commit is one of these; the commits between them cannot be tested:\n";
    for (const Commit& commit : found.suspects) text += format("  {}\n", commit.text());
  }
  for (const CaseVerdict& verdict : found.worse) {
    for (const std::string& finding : verdict.findings) {
      text += format("  {}: {}\n", one_line(verdict.name), finding);
    }
  }
  for (const Skip& skip : found.skipped) {
    text += format("skipped: {}: {}\n", skip.commit.text(), skip.why);
  }
  return text;
}

}  // namespace

Report run_gate_bisect(const GateBisectOptions& options, Console& console) {
  const fs::path here = fs::current_path();
  const std::string top = git_answer({"rev-parse", "--show-toplevel"}, here);
  if (top.empty())
    throw usage_error("gate bisect needs the work tree of a git repository: start it there");
  const fs::path repository = fs::weakly_canonical(top);
  const Commit good = commit_of(options.good, repository);
  const Commit bad = commit_of(options.bad, repository);
  if (good.hash == bad.hash ||
      run_git({"merge-base", "--is-ancestor", good.hash, bad.hash}, repository).code != 0) {
    throw usage_error(format("GOOD, {}, is no ancestor of BAD, {}", good.text(), bad.text()));
  }
  const std::optional<Bisection> found =
      Bisector(options, repository, good, console).run(good, bad);
  if (!found) {
    return {.text = {format("{} is no worse than {}\n", bad.text(), good.text())},
            .json = [] { return to_json(to_document(Bisection{})); },
            .code = ExitCode::No};
  }
  const bool is_known = found->suspects.size() == 1;
  return {.text = {text_of(*found)},
          .json = [document = to_document(*found)] { return to_json(document); },
          .code = is_known ? ExitCode::Good : ExitCode::Inconclusive};
}

}  // namespace tilewright
