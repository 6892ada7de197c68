#include "harness/harness_plans.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "harness/harness_library.hpp"

namespace tilewright {

Error no_workspace(const TilewrightHarnessPlan& plan, const std::string& why) {
  return environment_error(
      format("out of memory: its plan asks for a workspace of {} bytes ({}), aligned to {}: {}",
             plan.workspace_bytes, human_bytes(static_cast<double>(plan.workspace_bytes)),
             std::max(plan.workspace_alignment, kUsualWorkspaceAlignment), why));
}

const HarnessFile& HarnessPlans::opened(const std::string& file) {
  std::unique_ptr<HarnessFile>& known = files_[file];
  if (known) return *known;
  if (!is_manifest(file)) {
    known = std::make_unique<HarnessLibrary>(file);
  } else if (open_manifest_) {
    known = open_manifest_(file);
  } else {
    throw usage_error("is a manifest of cubins, which run on a GPU");
  }
  return *known;
}

HarnessText HarnessPlans::describe(const std::string& file) {
  try {
    return opened(file).describe();
  } catch (const Error& error) {
    return {.json = {}, .build = {}, .why_not = error.what()};
  }
}

void HarnessPlans::begin(const Workload& workload) {
  for (const auto& known : plans_) known.second.file->release(known.second.plan.state);
  plans_.clear();
  workload_ = workload;
}

const HarnessPlan& HarnessPlans::plan_of(const Contender& contender) {
  if (!contender.foreign)
    throw internal_error("a config that is not a harness's reached the harness");
  const auto known = plans_.find(contender.name);
  if (known != plans_.end()) return known->second;
  HarnessPlan planned{.file = &opened(contender.foreign->file)};
  planned.plan = planned.file->prepare(workload_, *contender.foreign);
  return plans_.emplace(contender.name, planned).first->second;
}

std::vector<BuildResult> HarnessPlans::build(std::span<const Contender> contenders,
                                             const std::function<void(const Contender&)>& reserve) {
  std::vector<BuildResult> results;
  results.reserve(contenders.size());
  for (const Contender& contender : contenders) {
    BuildResult result;
    try {
      plan_of(contender);
      reserve(contender);
    } catch (const Error& error) {
      result.reason = error.what();
    }
    results.push_back(std::move(result));
  }
  return results;
}

ForeignMapping HarnessPlans::mapping_of(const Contender& contender) {
  const HarnessPlan& planned = plan_of(contender);
  return planned.file->mapping_of(planned.plan);
}

}  // namespace tilewright
