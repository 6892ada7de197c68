#include "request/device_request.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/device_preset.hpp"

namespace tilewright {
namespace {

std::optional<DeviceAction> action_named(const std::string& word) {
  if (word == kDeviceActions[0]) return DeviceAction::Calibrate;
  if (word == kDeviceActions[1]) return DeviceAction::Doctor;
  return std::nullopt;
}

// Explains that "device doktor" means the action "doctor", not a device of that name.
void explain_misspelt_action(const std::string& name) {
  const std::string meant = did_you_mean(name, kDeviceActions);
  const std::vector<std::string> presets = device_preset_names();
  const std::vector<std::string_view> views(presets.begin(), presets.end());
  if (meant.empty() || !did_you_mean(name, views).empty()) return;
  throw usage_error(format("unknown device or action '{}'{}", name, meant));
}

// The GPU index in `name`; 0 for "auto" and "cuda".
int64_t gpu_asked_for(const std::string& name) {
  if (name == "auto" || name == "cuda") return 0;
  if (name.rfind("cuda:", 0) != 0) {
    load_device_preset(name);  // throws for a misspelt name, as other verbs do
    throw usage_error(
        format("device doctor checks a GPU of this host, not the preset '{}': give cuda:N, or omit "
               "the name",
               name));
  }
  const auto index = parse_count(std::string_view(name).substr(5));
  if (!index) throw usage_error(format("device '{}': write cuda:N with N from 0", name));
  return *index;
}

// The action and the device; the user may leave out NAME before the action.
DeviceRequest asked(const DeviceOptions& o) {
  if (o.action.empty()) {
    if (const auto alone = action_named(o.name)) return {.action = *alone};
    const bool is_list = o.name == "list" && o.output.empty();
    return {.action = is_list ? DeviceAction::List : DeviceAction::Show, .name = o.name};
  }
  const std::optional<DeviceAction> action = action_named(o.action);
  if (action) return {.action = *action, .name = o.name};
  throw usage_error(format("unknown action '{}'{}; the actions are calibrate and doctor", o.action,
                           did_you_mean(o.action, kDeviceActions)));
}

}  // namespace

DeviceRequest read_device(const DeviceOptions& o) {
  DeviceRequest request = asked(o);
  if (o.links && request.action != DeviceAction::Calibrate) {
    throw usage_error("only device calibrate measures links: omit --links");
  }
  if (request.action == DeviceAction::List) return request;
  if (is_of_tables(o.format)) {
    throw usage_error(
        format("only device list prints a table: omit --format {}", to_string(o.format)));
  }
  if (!o.output.empty() && request.action != DeviceAction::Calibrate) {
    throw usage_error("only device calibrate writes a file: omit -o");
  }
  request.output = o.output;
  request.of_links = o.links;
  if (request.action == DeviceAction::Doctor) request.gpu = gpu_asked_for(request.name);
  if (request.action == DeviceAction::Show) explain_misspelt_action(request.name);
  return request;
}

}  // namespace tilewright
