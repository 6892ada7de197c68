#include "request/tune_request.hpp"

#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "host/output_files.hpp"
#include "request/job.hpp"
#include "request/tune_share.hpp"

namespace tilewright {
namespace {

ConfigRequest parse_incumbent(const std::string& text, bool is_whole) {
  if (text.empty()) return {};
  ConfigRequest request = parse_config(text);
  if (!is_whole) return request;
  if (const std::optional<std::string> key = missing_key(request)) {
    throw usage_error(
        format("--incumbent {}: the key '{}' is missing; give a whole config, as tilewright best "
               "prints it",
               text, *key));
  }
  return request;
}

void require_own_places(const TuneOptions& options) {
  const NamedFile outputs[] = {{"-o", options.output}, {"--store", options.store}};
  std::vector<NamedFile> inputs = {
      {"--harness", options.harness.substr(0, options.harness.find(':'))}};
  for (const std::string& problem : options.problems) {
    inputs.push_back({"a PROBLEM", file_of_problem(problem)});
  }
  require_distinct(outputs, inputs);
}

// Only a search has rows for a format of tables.
void require_format(const TuneOptions& options) {
  if (options.output == "-" && options.format != Format::Text) {
    throw usage_error(format("-o - and --format {} both write to standard output: omit one",
                             to_string(options.format)));
  }
  if (!is_of_tables(options.format)) return;
  const std::pair<const char*, bool> others[] = {{"--dry-run", options.dry_run},
                                                 {"--replay", !options.replay.empty()},
                                                 {"--dispatch", !options.dispatch.empty()},
                                                 {"--pin-library", !options.pin_library.empty()}};
  for (const auto& [name, is_given] : others) {
    if (!is_given) continue;
    throw usage_error(
        format("--format {} has no rows of {}: use json", to_string(options.format), name));
  }
}

void require_store(const TuneOptions& options, const Rank& rank) {
  if (options.resume && options.store.empty() && rank.size == 1) {
    throw usage_error("--resume continues a store: add --store FILE.jsonl");
  }
  if (options.store == "-")
    throw usage_error("--store '-': a store must be a file, because tune appends to it");
}

// Options that belong to a search, and ranks.
void require_no_search(const TuneRequest& request, std::string_view option) {
  const std::pair<const char*, bool> others[] = {
      {"--config", !request.config.named.empty()},
      {"--incumbent", !request.incumbent.named.empty()},
      {"--strategy", request.strategy.has_value()},
      {"--budget", request.budget.is_set()},
      {"--race", request.race > 0},
      {"--require", request.require != Requirement{}},
      {"--objective", request.objective != Objective::Time},
      {"--dry-run", request.dry_run}};
  for (const auto& [name, is_given] : others) {
    if (is_given) throw usage_error(format("{} does not search: omit {}", option, name));
  }
  if (request.rank.size > 1) {
    throw usage_error(format("{} runs in one process: start it without ranks", option));
  }
}

void require_for_harness(const TuneRequest& request) {
  const std::pair<bool, const char*> left_out[] = {
      {!request.config.named.empty(), "--config"},
      {request.require != Requirement{}, "--require"},
      {request.rank.source.starts_with("--rank"), "--rank"},
      {!request.replay.empty(), "--replay"},
      {request.race > 0, "--race"},
      {request.objective != Objective::Time, "--objective"},
      {request.dry_run, "--dry-run"}};
  for (const auto& [is_given, name] : left_out) {
    if (is_given) throw usage_error(format("tune --harness takes no {}: omit it", name));
  }
  require_file(*request.harness);
}

// Drops repetitions, and returns how many there were.
size_t keep_each_once(std::vector<Workload>& problems) {
  std::set<std::string> known;
  return std::erase_if(problems, [&known](const Workload& problem) {
    return !known.insert(full_text(problem)).second;
  });
}

// What the request runs decides which options it takes.
void require_consistent(const TuneRequest& request) {
  const std::pair<bool, const char*> of_one_gpu[] = {
      {!request.dispatch.empty(), "--dispatch"},
      {!request.pin_library.empty(), "--pin-library"},
      {request.harness.has_value(), "--harness"},
      {request.rank.size > 1, "a run of several ranks"},
      {request.device == "all", "--device all"}};
  for (const auto& [is_given, name] : of_one_gpu) {
    if (is_given) require_one_gpu(request.problems, name);
  }
  if (!request.dispatch.empty()) return require_no_search(request, "--dispatch");
  if (!request.pin_library.empty()) {
    require_no_search(request, "--pin-library");
    if (request.replay.empty() && request.store.empty()) return;
    throw usage_error("--pin-library continues from -o itself: omit --store and --replay");
  }
  if (request.problems.empty()) {
    throw usage_error("PROBLEM is required; 'tilewright tune --help' lists what it takes");
  }
  if (request.harness) return require_for_harness(request);
  if (!request.replay.empty() && request.budget.is_set()) {
    throw usage_error(
        "--budget has no effect: --replay measures nothing, and shows budgets of 10, 20 and 40 "
        "configs; omit it");
  }
  if (request.dry_run) require_search(request, "--dry-run measures nothing");
  if (request.race == 0) return;
  if (!request.replay.empty())
    throw usage_error("--race runs kernels, and --replay none: omit one");
  if (request.strategy || request.budget.is_set()) {
    throw usage_error("--race runs in place of a search: omit --strategy and --budget");
  }
}

}  // namespace

void require_search(const TuneRequest& request, const std::string& why_not) {
  const std::pair<const char*, bool> search[] = {{"--budget", request.budget.is_set()},
                                                 {"--race", request.race > 0},
                                                 {"--strategy", request.strategy.has_value()}};
  for (const auto& [name, is_given] : search) {
    if (is_given) throw usage_error(format("{} has no effect: {}; omit it", name, why_not));
  }
}

TuneRequest read_tune(const TuneOptions& o) {
  require_format(o);
  TuneRequest request;
  static_cast<TuneSettings&>(request) = o;
  const auto variable = [](const char* name) { return std::getenv(name); };
  request.rank = o.rank.empty() ? launched_rank(variable) : parse_rank(o.rank);
  require_own_places(o);
  const std::vector<ProblemArgument> arguments = read_arguments(o.problems);
  request.problems = read_runnable(arguments, o.kind);
  if (o.dispatch.empty() && o.pin_library.empty()) {
    const std::string harness = harness_for(o.harness, arguments);
    if (!harness.empty()) request.harness = parse_harness_request(harness);
  }
  if (!o.config.empty()) request.config = parse_config(o.config);
  request.incumbent = parse_incumbent(o.incumbent, !request.harness);
  request.spelled = format("{}\n{}", o.config, o.incumbent);
  require_store(o, request.rank);
  request.seed = static_cast<uint64_t>(o.seed);
  if (o.dispatch.empty() && o.pin_library.empty()) {
    request.repeated = keep_each_once(request.problems);
    request.indices = share_of(request.problems, request.rank).indices;
  }
  if (!o.output.empty()) require_writable(file_of_rank(o.output, request.rank));
  require_consistent(request);
  return request;
}

std::string_view strategy_name(const TuneRequest& request) {
  return request.strategy ? kStrategies[static_cast<size_t>(*request.strategy)] : "";
}

TunePolicy policy_of(const TuneRequest& request) {
  TunePolicy policy;
  policy.spaces = spaces_for(request.require, requested_spaces(request.config));
  policy.rounds = request.rounds;
  policy.race = static_cast<int>(request.race);
  policy.seed = request.seed;
  policy.counters = request.counters && request.race == 0;
  if (!request.incumbent.named.empty()) policy.incumbent = config_of(request.incumbent);
  policy.require = request.require;
  if (request.strategy) policy.strategy = *request.strategy;
  policy.objective = request.objective;
  return policy;
}

}  // namespace tilewright
