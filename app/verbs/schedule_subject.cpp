#include "verbs/schedule_subject.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "search/complete.hpp"
#include "search/enumerate.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// The named keys, and those of the workload's launches that have options.
ConfigRequest requested(const ScheduleRequest& r) {
  ConfigRequest config = r.config;
  if (!runs_groups(families_of(config).front())) return config;
  if (is_group(r.workload)) {
    if (r.group_schedule) name_key(config, "group_schedule", to_string(*r.group_schedule));
    if (r.problem_order) name_key(config, "problem_order", to_string(*r.problem_order));
  }
  if (is_triangular(r.workload) && r.plain) {
    name_key(config, "visitor", to_string(Visitor::Plain));
  }
  return config;
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

TileConfig config_of(const ScheduleRequest& r) {
  const ConfigRequest keys = requested(r);
  TileConfig config = r.completes ? completed(keys, r.workload, r.device) : config_of(keys);
  if (r.group_schedule) config.group_schedule = *r.group_schedule;
  if (r.problem_order) config.problem_order = *r.problem_order;
  if (r.plain) config.visitor = Visitor::Plain;
  if (config.stages == 0) {
    config.stages = max_stages(config, problem_of(r.workload, 0), r.device);
  }
  return config;
}

// The keys with an option of their own that keep their defaults.
std::string defaults_text(const ConfigRequest& request) {
  std::vector<std::string> defaults;
  for (const ConfigKey& key : config_keys(config_of(request))) {
    const bool has_option =
        key.name == "cluster" || key.name == "raster" || key.name == "decomposition";
    if (has_option && !names_key(request, key.name)) {
      defaults.push_back(format("{}={}", key.name, key.value));
    }
  }
  return join(defaults, ",");
}

// Where only a tile is given, any family may run it.
std::string why_not_runnable(const ScheduleSubject& s, bool completes) {
  const Workload& w = s.plan.workload;
  const bool open = !completes && is_product(w) && !is_across_gpus(w) &&
                    s.plan.options.emulation == Emulation::None;
  if (!open && s.plan.options.external) return "";
  const auto rejection =
      open ? reject_tile(problem_of(w, 0), s.plan.config.cta, s.plan.config.cluster, s.device)
           : reject_plan(s.plan, s.device);
  return rejection ? rejection->reason : "";
}

}  // namespace

ScheduleSubject plan_schedule(const ScheduleRequest& r) {
  ScheduleSubject subject;
  subject.device = r.device;
  subject.plan = make_plan(r.workload, config_of(r), r.device,
                           {.ctas = r.ctas, .emulation = r.emulation, .external = r.external});
  subject.not_runnable = why_not_runnable(subject, r.completes);
  if (!r.completes && !r.external) subject.defaults = defaults_text(r.config);
  return subject;
}

ScheduleNumbers report_schedule(const ScheduleSubject& s, std::vector<WorkSpan>* spans) {
  ScheduleNumbers numbers;
  numbers.report = report_schedule(s.plan);
  numbers.report.device = s.device.name;
  const Price price = price_of(s.plan, s.device);
  numbers.links = price.links;
  numbers.timeline = predict_timeline(s.plan, price, spans);
  numbers.report.ends = numbers.timeline.completed;
  numbers.report.predicted_us = believed_us(numbers.timeline);
  numbers.report.not_runnable = s.not_runnable;
  return numbers;
}

}  // namespace tilewright
