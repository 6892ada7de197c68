#include "host/harness_files.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/harness_file.hpp"
#include "harness/host_runner.hpp"
#include "store/cubin_manifest_file.hpp"
#include "store/harness_json.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kHost = "host";

AxisValue parse_axis_value(const std::string& text, std::string_view part) {
  const size_t equals = part.find('=');
  const auto value =
      equals == std::string_view::npos ? std::nullopt : parse_count(trim(part.substr(equals + 1)));
  if (!value) {
    throw usage_error(
        format("--harness '{}': '{}' is not axis=value with a whole number", text, part));
  }
  return {std::string(trim(part.substr(0, equals))), *value};
}

}  // namespace

HarnessRequest parse_harness_request(const std::string& text) {
  HarnessRequest request{.text = text, .file = text, .values = {}};
  const size_t colon = text.rfind(':');
  if (colon != std::string::npos && text.find('=', colon) != std::string::npos) {
    request.file = text.substr(0, colon);
    for (const std::string_view part : split(std::string_view(text).substr(colon + 1), ',')) {
      request.values.push_back(parse_axis_value(text, part));
    }
  }
  if (request.file.empty()) {
    throw usage_error("--harness needs a file: a shared library or a manifest of cubins");
  }
  return request;
}

std::string harness_for(const std::string& given, const std::vector<ProblemArgument>& problems) {
  if (!given.empty()) return given;
  std::optional<std::string> found;
  for (const ProblemArgument& problem : problems) {
    std::string harness = harness_of(problem);
    if (found && *found != harness) {
      throw usage_error(
          format("'{}' and '{}': one command runs one harness; name it with --harness",
                 problems.front().text, problem.text));
    }
    found = std::move(harness);
  }
  return found.value_or("");
}

std::string other_build_of(const std::string& harness_file, const std::string& against) {
  if (!std::filesystem::is_directory(against)) return against;
  const std::filesystem::path file = harness_file;
  return (std::filesystem::path(against) / (file.is_absolute() ? file.filename() : file)).string();
}

ResolvedDevice resolve_harness_device(const std::string& name) {
  if (name != kHost) {
    ResolvedDevice device = resolve_device(name);
    if (device.gpu_index >= 0) return device;
    if (name != "auto") {
      throw environment_error(
          format("--harness runs on a GPU or in host memory, and device {} is a preset: name "
                 "cuda:N or host",
                 device.spec.name));
    }
  }
  return {.spec = host_device(), .gpu_index = -1, .backend = nullptr, .why_no_gpu = {}};
}

bool is_host(const ResolvedDevice& device) {
  return device.gpu_index < 0 && device.spec.name == kHost;
}

std::unique_ptr<Runner> open_harness_runner(const ResolvedDevice& device,
                                            const RunnerOptions& options) {
  if (!is_host(device)) return open_runner(device, options);
  return make_worker_runner({"/proc/self/exe", "worker", "--device", std::string(kHost), "--seed",
                             format("{}", options.seed)},
                            host_device());
}

HarnessRunner::HarnessRunner(const ResolvedDevice& device, std::ostream& err, bool shared,
                             const RunnerOptions& options) {
  if (!is_host(device)) {
    watched_.emplace(device, err, shared, options);
    return;
  }
  host_ = open_harness_runner(device, options);
}

void require_file(const HarnessRequest& request) {
  if (is_missing(request.file)) {
    throw usage_error(format("--harness: '{}' does not exist", request.file));
  }
}

HarnessDescription describe_file(Runner& runner, const std::string& file) {
  if (is_manifest(file)) return load_cubin_manifest(file).description;
  return read_harness(runner.describe(file), file);
}

HarnessDescription describe_harness(Runner& runner, const HarnessRequest& request) {
  HarnessDescription harness = describe_file(runner, request.file);
  const bool device_is_host = runner.device().name == kHost;
  if (harness.on_host != device_is_host) {
    throw usage_error(format("harness {} uses {} memory: {}", request.file,
                             harness.on_host ? "host" : "CUDA",
                             harness.on_host ? "add --device host" : "it needs a GPU"));
  }
  return harness;
}

ForeignConfig chosen_config(Runner& runner, const HarnessRequest& request,
                            const Workload& workload) {
  require_file(request);
  return chosen_config(describe_harness(runner, request), request, workload);
}

ForeignConfig chosen_config(const HarnessDescription& harness, const HarnessRequest& request,
                            const Workload& workload) {
  if (const std::string why = why_not_taken(harness, workload); !why.empty()) {
    throw usage_error(why);
  }
  return first_legal(harness, workload, request.values);
}

}  // namespace tilewright
