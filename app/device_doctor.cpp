// tilewright device doctor: what stands between this host and a measurement.

#include <algorithm>

#include "base/text.hpp"
#include "device_parts.hpp"
#include "store/calibration_json.hpp"
#include "store/device_preset.hpp"
#include "store/preset_path.hpp"

namespace tilewright {
namespace {

Finding presets() {
  try {
    return {"presets", Health::Ok,
            format("{}: {}", presets_folder().string(), join(device_preset_names(), ", ")), ""};
  } catch (const std::exception& error) {
    return {"presets", Health::Problem, error.what(),
            "run the program from its own build or bundle, with the presets beside it"};
  }
}

Finding no_gpu(const std::string& why) {
  return {"GPU", Health::Problem, why,
          "analyze, draw and --dry-run need none; a preset such as --device h200 predicts"};
}

// The GPU that `name` asks for, whether or not this host has it: "auto" and "cuda" are the first.
int64_t gpu_asked_for(const std::string& name) {
  if (name == "auto" || name == "cuda") return 0;
  if (name.rfind("cuda:", 0) != 0) {
    load_device_preset(name);  // a misspelt name is answered as everywhere
    throw usage_error(
        format("device doctor looks at a GPU of this host, not at the preset '{}': "
               "write cuda:N or leave it out",
               name));
  }
  const auto index = parse_count(std::string_view(name).substr(5));
  if (!index) throw usage_error(format("device '{}': write cuda:N with N from 0", name));
  return *index;
}

// Its index; -1 with a finding where it is not there.
int gpu_index(int64_t asked, Backend& backend, std::vector<Finding>& findings) {
  const int count = backend.device_count();
  if (asked < count) return static_cast<int>(asked);
  findings.push_back(no_gpu(
      count == 0 ? backend.why_no_device()
                 : format("cuda:{} is not there: this host has {}, from cuda:0 on", asked, count)));
  return -1;
}

}  // namespace

ExitCode diagnose_host(const DeviceOptions& options, Console& console, const BackendLoader& load) {
  const int64_t asked = gpu_asked_for(options.name);
  std::vector<Finding> findings{presets()};
  const BackendOrReason loaded = load();
  if (!loaded.backend) {
    findings.push_back(no_gpu(loaded.why_not));
  } else {
    const int index = gpu_index(asked, *loaded.backend, findings);
    for (Finding& f : loaded.backend->diagnose(index)) findings.push_back(std::move(f));
  }
  const bool healthy = std::none_of(findings.begin(), findings.end(),
                                    [](const Finding& f) { return f.health == Health::Problem; });
  if (options.format == Format::Json) {
    console.out << diagnosis_json(findings, healthy);
  } else {
    for (const Finding& f : findings) {
      console.out << format("{:<9}{:<15}{}\n", to_string(f.health), f.subject, f.detail);
      if (!f.advice.empty()) console.out << format("{:<24}-> {}\n", "", f.advice);
    }
  }
  return healthy ? ExitCode::Good : ExitCode::Environment;
}

}  // namespace tilewright
