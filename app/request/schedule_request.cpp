#include "request/schedule_request.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "host/devices.hpp"
#include "request/job.hpp"
#include "request/sweep_request.hpp"
#include "store/given_mapping.hpp"

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

// The options that the file of --from defines.
constexpr std::array<std::string_view, 8> kSettledByFile = {
    "config", "cluster", "ctas", "raster", "group-schedule", "problem-order", "plain", "emulate"};

bool is_settled_by_file(std::string_view key) {
  return std::find(kSettledByFile.begin(), kSettledByFile.end(), key) != kSettledByFile.end();
}

// All options of a schedule except its problem.
constexpr std::array<std::string_view, 16> kKeys = {
    "config", "cta",           "cluster",        "ctas",
    "raster", "decomposition", "group-schedule", "problem-order",
    "plain",  "device",        "dtype",          "layout",
    "op",     "uplo",          "emulate",        "from"};

// The option of this name where it is text, or null.
std::string* text_option(ScheduleOptions& o, std::string_view key) {
  if (key == "config") return &o.config;
  if (key == "cta") return &o.cta;
  if (key == "cluster") return &o.cluster;
  if (key == "raster") return &o.raster;
  if (key == "decomposition") return &o.decomposition;
  if (key == "device") return &o.device;
  if (key == "dtype") return &o.kind.dtype;
  if (key == "layout") return &o.kind.layout;
  if (key == "op") return &o.kind.op;
  if (key == "uplo") return &o.kind.uplo;
  return key == "from" ? &o.from : nullptr;
}

// The option's value, empty where it has none.
std::string given_value(ScheduleOptions o, std::string_view key) {
  if (const std::string* const text = text_option(o, key)) return *text;
  if (key == "ctas") return o.ctas > 0 ? format("{}", o.ctas) : "";
  if (key == "plain") return o.plain ? "yes" : "";
  if (key == "group-schedule") return o.group_schedule ? to_string(*o.group_schedule) : "";
  if (key == "problem-order") return o.problem_order ? to_string(*o.problem_order) : "";
  return to_string(o.emulation);
}

// The work from --from's file. --decomposition then only selects the reduction of partial tiles.
std::shared_ptr<const ExternalSchedule> external_schedule(const ScheduleOptions& o) {
  for (const std::string_view key : kSettledByFile) {
    if (!given_value(o, key).empty()) {
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

// An empty value takes the change's option away.
void apply(const Change& change, ScheduleOptions& o) {
  const auto& [key, value] = change;
  if (std::string* const text = text_option(o, key)) {
    *text = value;
  } else if (key == "plain") {
    o.plain = parse_yes(value);
  } else if (key == "ctas") {
    o.ctas = parse_ctas(value);
  } else if (key == "group-schedule") {
    o.group_schedule.reset();
    if (!value.empty()) o.group_schedule = parse_group_schedule(value);
  } else if (key == "problem-order") {
    o.problem_order.reset();
    if (!value.empty()) o.problem_order = parse_problem_order(value);
  } else {
    o.emulation = value.empty() ? Emulation::None : parse_emulation(value);
  }
}

std::string value_of(const ScheduleOptions& o, const std::string& key) {
  if (std::string value = given_value(o, key); !value.empty()) return value;
  // The defaults of options that are left out.
  if (key == "plain") return "no";
  if (key == "ctas") return "one for each multiprocessor";
  if (key == "cluster") return to_string(ClusterShape{});
  if (key == "raster") return to_string(Raster{});
  if (key == "decomposition") return to_string(Decomposition{});
  if (key == "group-schedule") return to_string(GroupSchedule::DeviceOnly);
  if (key == "problem-order") return to_string(ProblemOrder::Given);
  return "none";
}

}  // namespace

ScheduleRequest read_schedule_request(const ScheduleOptions& o) {
  require_sweep(o.sweep, "schedule", o.format);
  ScheduleRequest request;
  static_cast<ScheduleSettings&>(request) = o;
  request.workload = read_workload(o.problem, o.kind);
  request.device = resolve_device(o.device).spec;
  require_sms(request.workload, request.device);
  request.config = named(o);
  request.completes = !o.config.empty();
  if (!o.from.empty()) request.external = external_schedule(o);
  return request;
}

DrawScheduleRequest read_draw_schedule_request(const DrawScheduleOptions& o) {
  DrawScheduleRequest request{.schedules = {}, .look = o.look, .picture = o.picture};
  const auto add = [&](const ScheduleOptions& one, const std::string& name) {
    request.schedules.push_back({name, read_schedule_request(one)});
  };
  if (o.versus.empty()) {
    add(o.schedule, "");
    return request;
  }
  const ScheduleOptions other = with_changes(o.schedule, o.versus);
  add(o.schedule, changed_values(o.schedule, o.versus));
  add(other, changed_values(other, o.versus));
  return request;
}

ScheduleOptions with_changes(ScheduleOptions o, const std::string& changes) {
  for (const Change& change : parse_changes(changes)) {
    // The changed schedule is one of ours, compared with the file's.
    if (is_settled_by_file(change.key)) o.from.clear();
    apply(change, o);
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
