#include "schedule_subject.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "devices.hpp"
#include "job.hpp"
#include "search/complete.hpp"
#include "search/enumerate.hpp"
#include "store/given_mapping.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Options that are also keys of a config.
constexpr std::pair<std::string_view, std::string ScheduleOptions::*> kConfigOptions[] = {
    {"cta", &ScheduleOptions::cta},
    {"cluster", &ScheduleOptions::cluster},
    {"raster", &ScheduleOptions::raster},
    {"decomposition", &ScheduleOptions::decomposition}};

// The config keys from the options: from --config, or from one option per key.
ConfigRequest named(const ScheduleOptions& o) {
  if (o.config.empty() && o.cta.empty()) {
    throw usage_error("a schedule needs a tile: add --cta 128x256x64, or --config key=value,...");
  }
  ConfigRequest request;
  for (const auto& [key, option] : kConfigOptions) {
    const std::string& value = o.*option;
    if (value.empty()) continue;
    if (!o.config.empty()) {
      throw usage_error(
          format("--{} and --config give the same key: write {}={} in --config", key, key, value));
    }
    name_key(request, key, value);
  }
  return o.config.empty() ? request : parse_config(o.config);
}

// As named(), and the options for keys of the workload's launches.
ConfigRequest requested(const ScheduleOptions& o, const Workload& workload) {
  ConfigRequest request = named(o);
  if (!runs_groups(families_of(request).front())) return request;
  if (is_group(workload)) {
    if (!o.group_schedule.empty()) name_key(request, "group_schedule", o.group_schedule);
    if (!o.problem_order.empty()) name_key(request, "problem_order", o.problem_order);
  }
  if (is_triangular(workload) && o.plain) name_key(request, "visitor", to_string(Visitor::Plain));
  return request;
}

// Completes the keys that `--config` leaves open as bench does, where a kernel runs the workload.
TileConfig completed(const ConfigRequest& request, const Workload& workload,
                     const DeviceSpec& device) {
  const Completion completion = complete(request, workload, device);
  if (completion.config) return *completion.config;
  const bool has_tile = names_key(request, "cta");
  if (is_product(workload) || (!has_tile && completion.runs_somehow)) {
    throw usage_error(completion.why_not);
  }
  TileConfig config = config_of(request);
  const auto require = [](bool is_named, std::string_view key) {
    if (is_named) return;
    throw usage_error(format(
        "no kernel runs such a schedule, so tilewright cannot choose a value: give {} in --config",
        key));
  };
  require(has_tile, "cta");
  for (const std::string_view key : {"warps", "k_warps"}) {
    require(!has_key(config.family, key) || names_key(request, key), key);
  }
  return config;
}

TileConfig config_of(const ScheduleOptions& o, const Workload& workload, const DeviceSpec& device) {
  const ConfigRequest request = requested(o, workload);
  TileConfig config = o.config.empty() ? config_of(request) : completed(request, workload, device);
  if (!o.group_schedule.empty()) config.group_schedule = parse_group_schedule(o.group_schedule);
  if (!o.problem_order.empty()) config.problem_order = parse_problem_order(o.problem_order);
  if (o.plain) config.visitor = Visitor::Plain;
  if (config.stages == 0) {
    config.stages = max_stages(config, problem_of(workload, 0), device);
  }
  return config;
}

// The options that the file of --from defines.
constexpr std::array<std::string_view, 8> kSettledByFile = {
    "config", "cluster", "ctas", "raster", "group-schedule", "problem-order", "plain", "emulate"};

// The text option of this name, or null.
std::string* text_option(ScheduleOptions& o, std::string_view key) {
  if (key == "config") return &o.config;
  if (key == "cta") return &o.cta;
  if (key == "cluster") return &o.cluster;
  if (key == "raster") return &o.raster;
  if (key == "decomposition") return &o.decomposition;
  if (key == "group-schedule") return &o.group_schedule;
  if (key == "problem-order") return &o.problem_order;
  if (key == "device") return &o.device;
  if (key == "dtype") return &o.dtype;
  if (key == "layout") return &o.layout;
  if (key == "op") return &o.op;
  if (key == "uplo") return &o.uplo;
  if (key == "from") return &o.from;
  return key == "emulate" ? &o.emulate : nullptr;
}

bool is_settled_by_file(std::string_view key) {
  return std::find(kSettledByFile.begin(), kSettledByFile.end(), key) != kSettledByFile.end();
}

bool is_named(ScheduleOptions o, std::string_view key) {
  if (key == "plain") return o.plain;
  if (key == "ctas") return o.ctas > 0;
  return !text_option(o, key)->empty();
}

// The work from --from's file. --decomposition then only selects the reduction of partial tiles.
std::shared_ptr<const ExternalSchedule> external_schedule(const ScheduleOptions& o) {
  for (const std::string_view key : kSettledByFile) {
    if (is_named(o, key)) {
      throw usage_error(format("--from defines which CTA computes which work: omit --{}", key));
    }
  }
  if (!o.decomposition.empty() && o.decomposition.rfind("stream-k", 0) != 0) {
    throw usage_error(
        "with --from, --decomposition gives only the reduction of the tiles' parts: write "
        "stream-k:REDUCTION, such as --decomposition stream-k:atomic");
  }
  return std::make_shared<ExternalSchedule>(parse_external_schedule(read_file(o.from), o.from));
}

PlanOptions options_of(const ScheduleOptions& o) {
  PlanOptions options{.ctas = o.ctas};
  if (!o.from.empty()) options.external = external_schedule(o);
  if (!o.emulate.empty()) options.emulation = parse_emulation(o.emulate);
  return options;
}

// All options of a schedule except its problem.
constexpr std::array<std::string_view, 16> kKeys = {
    "config", "cta",           "cluster",        "ctas",
    "raster", "decomposition", "group-schedule", "problem-order",
    "plain",  "device",        "dtype",          "layout",
    "op",     "uplo",          "emulate",        "from"};

struct Change {
  std::string key;
  std::string value;
};

std::vector<Change> parse_changes(const std::string& text) {
  std::vector<Change> changes;
  for (const std::string& part : split_assignments(text)) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
      throw usage_error(
          format("--versus '{}': '{}' is not key=value, such as raster=hilbert", text, part));
    }
    const std::string key(trim(std::string_view(part).substr(0, equals)));
    const bool known = std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
    if (!known) {
      throw usage_error(format("--versus: unknown key '{}'{}; the keys are {}", key,
                               did_you_mean(key, kKeys),
                               join(std::vector<std::string>(kKeys.begin(), kKeys.end()), ", ")));
    }
    const auto same = [&](const Change& change) { return change.key == key; };
    if (std::any_of(changes.begin(), changes.end(), same)) {
      throw usage_error(format("--versus '{}' gives '{}' twice: omit one", text, key));
    }
    changes.push_back({key, std::string(trim(std::string_view(part).substr(equals + 1)))});
  }
  return changes;
}

bool parse_yes(const std::string& value) {
  if (value == "yes" || value == "no") return value == "yes";
  throw usage_error(format("--versus: plain is yes or no, not '{}'", value));
}

int64_t parse_ctas(const std::string& value) {
  const std::optional<int64_t> count = parse_count(value);
  if (!count || *count < 1 || *count > kMaxCtas) {
    throw usage_error(
        format("--versus: ctas {} is not a whole number from 1 to {}", value, kMaxCtas));
  }
  return *count;
}

std::string value_of(ScheduleOptions o, const std::string& key) {
  if (key == "plain") return o.plain ? "yes" : "no";
  if (key == "ctas") return o.ctas > 0 ? format("{}", o.ctas) : "one for each multiprocessor";
  if (key == "emulate" && o.emulate.empty()) return "none";
  const std::string& value = *text_option(o, key);
  if (!value.empty()) return value;
  // The defaults of options that are left out.
  if (key == "cluster") return "1x1";
  if (key == "raster") return "row";
  if (key == "decomposition") return "data-parallel";
  if (key == "group-schedule") return to_string(GroupSchedule::DeviceOnly);
  if (key == "problem-order") return to_string(ProblemOrder::Given);
  return "none";
}

// The keys of a launch that have no option and keep their defaults.
std::string defaults_text(const ScheduleOptions& o) {
  std::vector<std::string> defaults;
  for (const auto& [key, option] : kConfigOptions) {
    if ((o.*option).empty())
      defaults.push_back(format("{}={}", key, value_of(o, std::string(key))));
  }
  return join(defaults, ",");
}

// Where only a tile is given, any family may run it.
std::string why_not_runnable(const ScheduleOptions& o, const ScheduleSubject& s) {
  const Workload& w = s.plan.workload;
  const bool open = o.config.empty() && w.shapes.size() == 1 && !is_triangular(w) &&
                    s.plan.options.emulation == Emulation::None;
  if (!open && s.plan.options.external) return "";
  const auto rejection =
      open ? reject_tile(problem_of(w, 0), s.plan.config.cta, s.plan.config.cluster, s.device)
           : reject_plan(s.plan, s.device);
  return rejection ? rejection->reason : "";
}

}  // namespace

ScheduleSubject read_schedule(const ScheduleOptions& o) {
  ScheduleSubject subject;
  const KindOptions kind{.dtype = o.dtype,
                         .out_dtype = {},
                         .layout = o.layout,
                         .scale_a = o.scale_a,
                         .scale_b = o.scale_b,
                         .accumulate = o.accumulate,
                         .op = o.op,
                         .uplo = o.uplo};
  const Workload workload = read_workload(o.problem, kind);
  subject.device = resolve_device(o.device).spec;
  subject.plan =
      make_plan(workload, config_of(o, workload, subject.device), subject.device, options_of(o));
  subject.not_runnable = why_not_runnable(o, subject);
  if (o.config.empty() && o.from.empty()) subject.defaults = defaults_text(o);
  return subject;
}

ScheduleNumbers report_schedule(const ScheduleSubject& s, std::vector<WorkSpan>* spans) {
  ScheduleNumbers numbers;
  numbers.report = report_schedule(s.plan);
  numbers.report.device = s.device.name;
  numbers.timeline = predict_timeline(s.plan, s.device, spans);
  if (numbers.timeline.completed) numbers.report.predicted_us = numbers.timeline.us;
  numbers.report.not_runnable = s.not_runnable;
  return numbers;
}

ScheduleOptions with_changes(ScheduleOptions o, const std::string& changes) {
  for (const Change& change : parse_changes(changes)) {
    // The changed schedule is one of ours, compared with the file's.
    if (is_settled_by_file(change.key)) o.from.clear();
    if (change.key == "plain") {
      o.plain = parse_yes(change.value);
    } else if (change.key == "ctas") {
      o.ctas = parse_ctas(change.value);
    } else {
      *text_option(o, change.key) = change.value;
    }
  }
  return o;
}

std::string changed_values(const ScheduleOptions& options, const std::string& changes) {
  std::vector<std::string> values;
  for (const Change& change : parse_changes(changes)) {
    const bool by_file = !options.from.empty() && is_settled_by_file(change.key);
    const std::string key = by_file ? "from" : change.key;
    values.push_back(format("{}={}", key, value_of(options, key)));
    if (std::count(values.begin(), values.end(), values.back()) > 1) values.pop_back();
  }
  return join(values, ", ");
}

}  // namespace tilewright
