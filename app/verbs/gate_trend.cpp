// tilewright gate trend: finds changes in the gate's history, and their commits.

#include "verbs/gate_trend.hpp"

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "host/git.hpp"
#include "record/document.hpp"
#include "store/gate_history.hpp"
#include "verbs/verbs.hpp"

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

Report run_gate_trend(const GateTrendOptions& options) {
  const std::vector<HistoryRun> runs = parse_history(read_file(options.history), options.history);
  if (options.export_as) {
    std::string document =
        *options.export_as == TrendExport::Otava ? otava_json(runs) : bencher_json(runs);
    return {.text = {document}, .json = [document] { return document; }};
  }
  const std::vector<TrendChange> trends = find_trends(runs);
  std::string text;
  Document changes = Document::array();
  for (const TrendChange& trend : trends) {
    text += trend_line(trend);
    changes.push_back(to_document(trend));
  }
  text += format("{} change{} in {} run{}\n", trends.size(), trends.size() == 1 ? "" : "s",
                 runs.size(), runs.size() == 1 ? "" : "s");
  return {.text = {text},
          .json = [document = Document{{"runs", runs.size()}, {"changes", changes}}] {
            return to_json(document);
          }};
}

}  // namespace tilewright
