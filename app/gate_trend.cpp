// tilewright gate trend: finds changes in the gate's history, and their commits.

#include "gate_trend.hpp"

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "git.hpp"
#include "store/document.hpp"
#include "store/gate_history.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

std::string trend_line(const TrendChange& trend) {
  const double change = 100 * (trend.change.after / trend.change.before - 1);
  return format("{}  {} {} {:+.2f} %: {:.6g} -> {:.6g} from {} of {}, known by {}\n",
                trend.is_worse ? "worse " : "better", one_line(trend.case_name), trend.number,
                change, trend.change.before, trend.change.after, commit_text(trend.first),
                day_of(trend.first.time), day_of(trend.detected_at.time));
}

Document to_document(const TrendChange& trend) {
  return {{"case", trend.case_name},
          {"number", trend.number},
          {"worse", trend.is_worse},
          {"before", trend.change.before},
          {"after", trend.change.after},
          {"commit", trend.first.commit},
          {"branch", trend.first.branch},
          {"time", trend.first.time},
          {"known_by_commit", trend.detected_at.commit},
          {"known_by_time", trend.detected_at.time}};
}

}  // namespace

void append_history(const std::string& path, HistoryRun run) {
  run.time = static_cast<int64_t>(std::time(nullptr));
  // Both are empty outside of a repository.
  const std::filesystem::path here = std::filesystem::current_path();
  run.commit = git_answer({"rev-parse", "HEAD"}, here);
  run.branch = git_answer({"rev-parse", "--abbrev-ref", "HEAD"}, here);
  const FileLock lock(path);
  const std::string before = is_missing(path) ? "" : read_file(path);
  write_file(path, before + print_history(run));
}

ExitCode run_gate_trend(const GateTrendOptions& options, Console& console) {
  const std::vector<HistoryRun> runs = parse_history(read_file(options.history), options.history);
  if (options.export_as == "otava") {
    console.out << otava_json(runs);
    return ExitCode::Good;
  }
  if (options.export_as == "bmf") {
    console.out << bencher_json(runs);
    return ExitCode::Good;
  }
  if (!options.export_as.empty()) {
    throw usage_error(format("--export '{}'{}; it takes otava or bmf", options.export_as,
                             did_you_mean(options.export_as, kTrendExports)));
  }
  const std::vector<TrendChange> trends = find_trends(runs);
  if (options.format == Format::Json) {
    Document changes = Document::array();
    for (const TrendChange& trend : trends) changes.push_back(to_document(trend));
    console.out << to_json({{"runs", runs.size()}, {"changes", changes}});
    return ExitCode::Good;
  }
  for (const TrendChange& trend : trends) console.out << trend_line(trend);
  console.out << format("{} change{} in {} run{}\n", trends.size(), trends.size() == 1 ? "" : "s",
                        runs.size(), runs.size() == 1 ? "" : "s");
  return ExitCode::Good;
}

}  // namespace tilewright
