#include "verbs/commit_build.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "store/baseline.hpp"
#include "store/suite.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::string last_line(std::string_view text) {
  const std::string_view whole = trim(text);
  return one_line(trim(whole.substr(whole.find_last_of('\n') + 1)));
}

// True if a case of the suite names a config of ours; harnesses have no static numbers.
bool has_own_cases(const std::string& path, const std::vector<std::string>& cases) {
  const Suite suite = load_suite(path, cases);
  return std::any_of(suite.cases.begin(), suite.cases.end(),
                     [](const SuiteCase& c) { return c.harness.empty(); });
}

CommitAnswer skipped(std::string why) {
  return {.word = kSkip, .why = std::move(why)};
}

}  // namespace

std::string suite_in(const fs::path& tree, const fs::path& repository, const std::string& suite) {
  std::error_code failed;
  const fs::path own = fs::weakly_canonical(suite, failed);
  if (failed || !fs::exists(own)) return suite;  // the name of a preset suite
  const fs::path below = own.lexically_relative(repository);
  const bool is_inside = !below.empty() && *below.begin() != "..";
  return is_inside && fs::exists(tree / below) ? (tree / below).string() : own.string();
}

bool is_built(const GateBisectOptions& options) {
  return fs::path(options.program).is_relative();
}

CommitAnswer read_commit(const GateBisectOptions& options, const fs::path& repository,
                         const Worktree& worktree, Baseline& numbers) {
  const fs::path tree = worktree.tree();
  const fs::path program = tree / options.program;
  const fs::path baseline = worktree.folder() / "baseline.yaml";
  std::error_code ignored;
  // Files of an earlier commit must not be taken for this commit's.
  if (is_built(options)) fs::remove(program, ignored);
  fs::remove(baseline, ignored);
  const ChildEnd built = run_child(options.build, tree, ChildOutput::Shown);
  throw_if_interrupted();
  if (built.code != 0) return skipped(format("does not build: exit code {}", built.code));
  if (!fs::exists(program)) {
    return skipped(format("the build command left no {}", options.program));
  }
  const std::string suite = suite_in(tree, repository, options.suite);
  numbers = {};
  if (!has_own_cases(suite, options.cases)) return {.word = kGood};
  std::vector<std::string> words = {program.string(),  "gate",     suite,          "--mode",
                                    "static",          "--device", options.device, "--baseline",
                                    baseline.string(), "--update"};
  for (const std::string& name : options.cases) words.insert(words.end(), {"--case", name});
  const ChildEnd ran = run_child(words, tree, ChildOutput::Captured);
  throw_if_interrupted();
  if (ran.code == static_cast<int>(ExitCode::No)) {
    return {.word = kBad,
            .worse = {early_verdict("suite", Verdict::Regression,
                                    "its own gate fails: " + last_line(ran.output))}};
  }
  if (ran.code != 0) {
    return skipped(format("its gate ends in exit code {}: {}", ran.code, last_line(ran.output)));
  }
  try {
    numbers = load_baseline(baseline);
  } catch (const Error& error) {
    if (error.code() == ExitCode::Interrupted) throw;
    return skipped(error.what());
  }
  return {.word = kGood};
}

}  // namespace tilewright
