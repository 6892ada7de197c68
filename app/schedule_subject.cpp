#include "schedule_subject.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "devices.hpp"
#include "search/enumerate.hpp"

namespace tilewright {
namespace {

ScheduleRequest request_of(const ScheduleOptions& o, const DeviceSpec& device) {
  ScheduleRequest r;
  r.problem = parse_grouped_problem(o.problem, parse_op(o.op), parse_uplo(o.uplo));
  r.cta = parse_tile(o.cta);
  r.cluster = parse_cluster(o.cluster);
  r.raster = parse_raster(o.raster);
  r.decomposition = parse_decomposition(o.decomposition);
  r.group_schedule = parse_group_schedule(o.group_schedule);
  r.problem_order = parse_problem_order(o.problem_order);
  if (!o.emulate.empty()) r.emulation = parse_emulation(o.emulate);
  r.plain = o.plain;
  r.ctas = o.ctas > 0 ? o.ctas : device.sm_count;
  r.resident = device.sm_count;
  return r;
}

// All options of a schedule but its problem.
constexpr std::array<std::string_view, 13> kKeys = {
    "cta",   "cluster", "ctas",  "raster", "decomposition", "group-schedule", "problem-order",
    "plain", "device",  "dtype", "op",     "uplo",          "emulate"};

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
      throw usage_error(format("--versus: unknown key '{}'{}; known are {}", key,
                               did_you_mean(key, kKeys),
                               join(std::vector<std::string>(kKeys.begin(), kKeys.end()), ", ")));
    }
    const auto same = [&](const Change& change) { return change.key == key; };
    if (std::any_of(changes.begin(), changes.end(), same)) {
      throw usage_error(format("--versus '{}' names '{}' twice: leave one out", text, key));
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
  if (!count || *count < 1 || *count > kMostCtas) {
    throw usage_error(
        format("--versus: ctas {} is not a whole number from 1 to {}", value, kMostCtas));
  }
  return *count;
}

// The option that is text and has this name, or null.
std::string* text_option(ScheduleOptions& o, const std::string& key) {
  if (key == "cta") return &o.cta;
  if (key == "cluster") return &o.cluster;
  if (key == "raster") return &o.raster;
  if (key == "decomposition") return &o.decomposition;
  if (key == "group-schedule") return &o.group_schedule;
  if (key == "problem-order") return &o.problem_order;
  if (key == "device") return &o.device;
  if (key == "dtype") return &o.dtype;
  if (key == "op") return &o.op;
  if (key == "uplo") return &o.uplo;
  return key == "emulate" ? &o.emulate : nullptr;
}

std::string value_of(ScheduleOptions o, const std::string& key) {
  if (key == "plain") return o.plain ? "yes" : "no";
  if (key == "ctas") return o.ctas > 0 ? format("{}", o.ctas) : "one a multiprocessor";
  if (key == "emulate" && o.emulate.empty()) return "nobody";
  return *text_option(o, key);
}

// Of the first problem whose tiles no kernel family runs; empty where there is none.
std::string why_not_runnable(const ScheduleSubject& s) {
  const ScheduleRequest& r = s.schedule.request;
  for (const GemmShape& shape : r.problem.shapes) {
    const Problem problem{.shape = shape, .dtype = s.dtype};
    if (const auto rejection = reject_tile(problem, r.cta, r.cluster, s.device)) {
      return rejection->reason;
    }
  }
  return {};
}

}  // namespace

ScheduleSubject read_schedule(const ScheduleOptions& o) {
  ScheduleSubject subject;
  subject.dtype = parse_data_type(o.dtype);
  subject.device = resolve_device(o.device).spec;
  subject.schedule = make_schedule(request_of(o, subject.device));
  return subject;
}

ScheduleNumbers report_schedule(const ScheduleSubject& s, std::vector<WorkSpan>* spans) {
  ScheduleNumbers numbers;
  numbers.report = report_schedule(s.schedule);
  numbers.report.device = s.device.name;
  numbers.timeline = spans == nullptr ? predict_timeline(s.schedule, s.dtype, s.device)
                                      : predict_timeline(s.schedule, s.dtype, s.device, *spans);
  if (numbers.timeline.ends) numbers.report.predicted_us = numbers.timeline.us;
  numbers.report.not_runnable = why_not_runnable(s);
  return numbers;
}

ScheduleOptions with_changes(ScheduleOptions o, const std::string& changes) {
  for (const Change& change : parse_changes(changes)) {
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
    values.push_back(format("{}={}", change.key, value_of(options, change.key)));
  }
  return join(values, ", ");
}

}  // namespace tilewright
