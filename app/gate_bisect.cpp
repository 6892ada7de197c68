// tilewright gate bisect: finds the commit that made a suite worse, without a GPU.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "child_program.hpp"
#include "gate/gate.hpp"
#include "gate/gate_static.hpp"
#include "store/baseline.hpp"
#include "store/document.hpp"
#include "store/suite.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr double kBisectThreshold = 0.01;
constexpr size_t kShortHash = 12;

std::string git_answer(const std::vector<std::string>& words, const fs::path& folder) {
  const ChildEnd end = run_git(words, folder, ChildOutput::Answer);
  return end.code == 0 ? std::string(trim(end.output)) : "";
}

// Runs a git command that must succeed; a failure is an environment error.
std::string git_does(const std::vector<std::string>& words, const fs::path& folder) {
  const ChildEnd end = run_git(words, folder);
  throw_if_interrupted();
  if (end.code == 0) return end.output;
  throw environment_error(format("git {} fails: {}", words.front(), one_line(trim(end.output))));
}

// A commit's hash and subject line.
struct Commit {
  std::string hash;
  std::string subject;
  std::string text() const {
    return format("commit {} ({})", hash.substr(0, kShortHash), one_line(subject));
  }
};

Commit commit_of(const std::string& name, const fs::path& folder) {
  const std::string hash = git_answer(
      {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, folder);
  if (hash.empty())
    throw usage_error(format("'{}' is no commit of this repository", one_line(name)));
  return {hash, git_answer({"log", "-1", "--format=%s", hash}, folder)};
}

// A temporary folder with a git worktree in it; the destructor removes both.
class Workshop {
 public:
  Workshop(fs::path repository, const Commit& commit) : repository_(std::move(repository)) {
    std::string name = (fs::temp_directory_path() / "tilewright-bisect-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw environment_error(format("cannot make a temporary folder: {}", std::strerror(errno)));
    }
    folder_ = name;
    const ChildEnd made = run_git(
        {"worktree", "add", "--detach", "--quiet", tree().string(), commit.hash}, repository_);
    if (made.code == 0) return;
    remove();
    throw_if_interrupted();
    throw environment_error(format("git worktree failed: {}", one_line(trim(made.output))));
  }
  ~Workshop() { remove(); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  fs::path tree() const { return folder_ / "tree"; }
  fs::path baseline() const { return folder_ / "baseline.yaml"; }

 private:
  void remove() noexcept {
    try {
      run_git({"worktree", "remove", "--force", "--force", tree().string()}, repository_);
      std::error_code ignored;
      fs::remove_all(folder_, ignored);
      run_git({"worktree", "prune"}, repository_);
    } catch (const std::exception&) {
      return;  // a destructor must not throw, and the folder is a temporary one
    }
  }

  fs::path repository_;
  fs::path folder_;
};

// The result of running one commit's program on the suite.
struct Tested {
  std::optional<Baseline> numbers = {};
  std::string refused = {};  // why the commit's own gate failed without numbers: a regression
  std::string skipped = {};  // why it cannot be tested
};

std::string last_line(std::string_view text) {
  const std::string_view whole = trim(text);
  return one_line(trim(whole.substr(whole.find_last_of('\n') + 1)));
}

// The checked-out commit's version of the suite, if it has one, else the user's.
std::string suite_in(const fs::path& tree, const fs::path& repository, const std::string& suite) {
  std::error_code failed;
  const fs::path own = fs::weakly_canonical(suite, failed);
  if (failed || !fs::exists(own)) return suite;  // the name of a preset suite
  const fs::path below = own.lexically_relative(repository);
  const bool is_inside = !below.empty() && *below.begin() != "..";
  return is_inside && fs::exists(tree / below) ? (tree / below).string() : own.string();
}

// True if each commit builds the program in its worktree; false for one program for all commits.
bool is_built(const GateBisectOptions& options) {
  return fs::path(options.program).is_relative();
}

Tested test_commit(const GateBisectOptions& options, const fs::path& repository,
                   const Workshop& workshop) {
  const fs::path program = workshop.tree() / options.program;
  std::error_code ignored;
  // Files of an earlier commit must not be taken for this commit's.
  if (is_built(options)) fs::remove(program, ignored);
  fs::remove(workshop.baseline(), ignored);
  const ChildEnd built = run_child(options.build, workshop.tree(), ChildOutput::Shown);
  throw_if_interrupted();
  if (built.code != 0) return {{}, {}, format("does not build: exit code {}", built.code)};
  if (!fs::exists(program)) {
    return {{}, {}, format("the build command did not make {}", options.program)};
  }
  std::vector<std::string> words = {
      program.string(), "gate",       suite_in(workshop.tree(), repository, options.suite),
      "--mode",         "static",     "--device",
      options.device,   "--baseline", workshop.baseline().string(),
      "--update"};
  for (const std::string& name : options.cases) words.insert(words.end(), {"--case", name});
  const ChildEnd ran = run_child(words, workshop.tree(), ChildOutput::Captured);
  throw_if_interrupted();
  if (ran.code == static_cast<int>(ExitCode::No)) {
    return {{}, "its own gate fails: " + last_line(ran.output), {}};
  }
  const std::string ended =
      format("its gate ends with exit code {}: {}", ran.code, last_line(ran.output));
  if (ran.code != 0) return {{}, {}, ended};
  try {
    return {load_baseline(workshop.baseline()), {}, {}};
  } catch (const Error& error) {
    return {{}, {}, error.what()};
  }
}

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
std::vector<CaseVerdict> worse_cases(const Baseline& good, const Tested& tested,
                                     const Suite& suite) {
  if (!tested.refused.empty()) return {early_verdict("suite", Verdict::Regression, tested.refused)};
  require_comparable(good, GateMode::Static, tested.numbers->device);
  std::vector<CaseVerdict> worse;
  for (const CaseNumbers& before : good.cases) {
    CaseVerdict verdict = judge_recorded(before, *tested.numbers, suite);
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

class Bisector {
 public:
  Bisector(const GateBisectOptions& options, const fs::path& repository, const Commit& first,
           Console& console)
      : options_(options),
        repository_(repository),
        console_(console),
        suite_(load_suite(options.suite, options.cases)),
        workshop_(repository, first) {}

  // Empty if `bad` is no worse than `good`.
  std::optional<Bisection> run(const Commit& good, const Commit& bad) {
    const Tested first = tested(good);
    if (!first.numbers) {
      throw usage_error(
          format("GOOD, {}, gives no answer: {}{}", good.text(), first.refused, first.skipped));
    }
    good_ = *first.numbers;
    git_does({"checkout", "--quiet", "--force", "--detach", bad.hash}, workshop_.tree());
    const Tested last = tested(bad);
    if (!last.skipped.empty()) {
      throw usage_error(format("BAD, {}, gives no answer: {}", bad.text(), last.skipped));
    }
    found_.worse = worse_cases(good_, last, suite_);
    if (found_.worse.empty()) return std::nullopt;
    ChildEnd said = git({"bisect", "start", bad.hash, good.hash});
    for (;;) {
      found_.suspects = named_suspects(said, workshop_.tree());
      if (!found_.suspects.empty()) return std::move(found_);
      said = git({"bisect", answer(commit_of("HEAD", workshop_.tree()))});
    }
  }

 private:
  Tested tested(const Commit& commit) {
    console_.note(format("{}: building", commit.text()));
    return test_commit(options_, repository_, workshop_);
  }

  // "good", "bad" or "skip" for the checked-out commit.
  std::string answer(const Commit& commit) {
    const Tested now = tested(commit);
    std::string word = "skip";
    if (now.skipped.empty()) {
      std::vector<CaseVerdict> worse = worse_cases(good_, now, suite_);
      word = worse.empty() ? "good" : "bad";
      if (!worse.empty()) found_.worse = std::move(worse);
    } else {
      found_.skipped.push_back({commit, now.skipped});
    }
    console_.note(format("{}: {}", commit.text(), now.skipped.empty() ? word : now.skipped));
    return word;
  }

  // The reset removes changes of the build in tracked files, which would stop the next checkout.
  ChildEnd git(const std::vector<std::string>& words) {
    git_does({"reset", "--quiet", "--hard"}, workshop_.tree());
    ChildEnd said = run_git(words, workshop_.tree());
    throw_if_interrupted();
    return said;
  }

  const GateBisectOptions& options_;
  const fs::path& repository_;
  Console& console_;
  Suite suite_;
  Workshop workshop_;
  Baseline good_;
  Bisection found_;
};

Document to_document(const Commit& commit) {
  return {{"commit", commit.hash}, {"subject", commit.subject}};
}

Document to_document(const Bisection& found) {
  Document suspects = Document::array();
  for (const Commit& commit : found.suspects) suspects.push_back(to_document(commit));
  Document worse = Document::array();
  for (const CaseVerdict& verdict : found.worse) {
    worse.push_back(
        {{"case", verdict.name}, {"numbers", verdict.worse}, {"findings", verdict.findings}});
  }
  Document skipped = Document::array();
  for (const Skip& skip : found.skipped) {
    skipped.push_back(to_document(skip.commit));
    skipped.back()["reason"] = skip.why;
  }
  return {{"first_worse", suspects}, {"cases", worse}, {"skipped", skipped}};
}

void print(const Bisection& found, Console& console) {
  if (found.suspects.size() == 1) {
    console.out << format("first worse: {}\n", found.suspects.front().text());
  } else {
    console.out
        << "the first worse commit is one of these; the commits between them cannot be tested:\n";
    for (const Commit& commit : found.suspects) console.out << "  " << commit.text() << "\n";
  }
  for (const CaseVerdict& verdict : found.worse) {
    for (const std::string& finding : verdict.findings) {
      console.out << format("  {}: {}\n", one_line(verdict.name), finding);
    }
  }
  for (const Skip& skip : found.skipped) {
    console.out << format("skipped: {}: {}\n", skip.commit.text(), skip.why);
  }
}

}  // namespace

ExitCode run_gate_bisect(const GateBisectOptions& options, Console& console) {
  const fs::path program = fs::path(options.program).lexically_normal();
  if (is_built(options) && (program.empty() || *program.begin() == "..")) {
    throw usage_error(format("--program '{}' is outside of the worktree", options.program));
  }
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
    console.out << format("{} is no worse than {}\n", bad.text(), good.text());
    return ExitCode::No;
  }
  if (options.format == Format::Json) {
    console.out << to_json(to_document(*found));
  } else {
    print(*found, console);
  }
  return found->suspects.size() == 1 ? ExitCode::Good : ExitCode::Inconclusive;
}

}  // namespace tilewright
