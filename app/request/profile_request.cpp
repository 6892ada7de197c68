#include "request/profile_request.hpp"

#include <string_view>

#include "base/error.hpp"
#include "host/output_files.hpp"
#include "request/job.hpp"

namespace tilewright {
namespace {

void require_picture(const ProfileOptions& o) {
  if (o.picture.look == PictureLook{} || is_picture(o.trace)) return;
  throw usage_error(
      "--title, --size, --theme and --no-legend change a picture: add --trace FILE.svg");
}

// A trace of another tool is not replaced.
void require_own_trace(const std::string& path) {
  if (path.empty() || path == "-") return;
  if (is_picture(path)) return require_own_picture(path);
  require_own({"--trace", path}, "a trace that profile wrote", [](std::string_view text) {
    return text.find("\"slots\":") != std::string_view::npos &&
           text.find("\"records\":") != std::string_view::npos;
  });
}

void require_foreign(const ProfileOptions& o) {
  if (!o.config.empty()) {
    throw usage_error("--config is a config of tilewright's kernels; --harness FILE:axis=value");
  }
  if (!o.trace.empty()) {
    throw usage_error(
        "--trace draws what tilewright's kernels record of themselves; a foreign kernel records "
        "nothing. draw grid --from-harness draws the order of its tiles");
  }
}

}  // namespace

ProfileRequest read_profile(const ProfileOptions& o) {
  if (o.problem.empty()) {
    throw usage_error("PROBLEM is required: profile MxNxK, or profile access --op OP");
  }
  require_picture(o);
  require_own_trace(o.trace);
  ProfileRequest request;
  static_cast<ProfileSettings&>(request) = o;
  const ProblemArgument argument = read_problem_argument(o.problem);
  const std::string harness = harness_for(o.harness, {argument});
  if (harness.empty()) {
    request.workload = read_runnable_one(argument, o.kind);
    if (!o.config.empty()) request.config = parse_config(o.config);
    request.requested = o.config;
  } else {
    request.workload = read_workload(argument, o.kind);
    require_one_gpu({&request.workload, 1}, "--harness");
    require_foreign(o);
    request.harness = parse_harness_request(harness);
    require_file(*request.harness);
    request.requested = harness;
  }
  return request;
}

}  // namespace tilewright
