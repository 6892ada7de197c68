#include "search/requirement.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kDeterministic = "deterministic";
constexpr std::string_view kExport = "export:";

}  // namespace

std::vector<std::string> requirement_names() {
  std::vector<std::string> names = {std::string(kDeterministic)};
  names.reserve(1 + std::size(kStacks));
  for (const Stack stack : kStacks) names.push_back(to_string(Requirement{.stack = stack}));
  return names;
}

Requirement parse_requirement(std::string_view text) {
  if (text.empty()) return {};
  if (text == kDeterministic) return {.deterministic = true};
  if (text.starts_with(kExport)) {
    const std::optional<Stack> stack = stack_of(text.substr(kExport.size()));
    if (stack) return {.stack = stack};
  }
  const std::vector<std::string> names = requirement_names();
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw usage_error(format("--require '{}'{}; it takes {}", text, did_you_mean(text, known),
                           join_words(known, "and")));
}

std::string to_string(const Requirement& requirement) {
  if (requirement.stack) return format("{}{}", kExport, to_string(*requirement.stack));
  return requirement.deterministic ? std::string(kDeterministic) : "";
}

std::string why_requirement_fails(const Requirement& requirement, const Workload& workload,
                                  const TileConfig& config) {
  if (requirement.deterministic && determinism_of(config.decomposition) != "bitwise") {
    return format("decomposition={} sums in the order of arrival", to_string(config.decomposition));
  }
  return requirement.stack ? why_unsupported(*requirement.stack, workload, config) : "";
}

std::vector<SearchSpace> spaces_for(const Requirement& requirement,
                                    std::vector<SearchSpace> spaces) {
  return requirement.stack ? spaces_supported_by(*requirement.stack, std::move(spaces)) : spaces;
}

Enumeration enumerate_required(const Requirement& requirement, const Workload& workload,
                               const std::vector<SearchSpace>& spaces, const DeviceSpec& device) {
  Enumeration found = enumerate(workload, spaces, device);
  if (found.kernels.empty() || requirement == Requirement{}) return found;
  const std::string rule = requirement.stack ? "export" : "determinism";
  const auto is_unwanted = [&](const LegalKernel& kernel) {
    const std::string why = why_requirement_fails(requirement, workload, kernel.config);
    if (why.empty()) return false;
    found.examples.try_emplace(rule, why);
    found.rejected[rule] += kernel.config_count;
    found.legal -= kernel.config_count;
    return true;
  };
  std::erase_if(found.kernels, is_unwanted);
  if (found.kernels.empty()) {
    throw Error(
        ExitCode::No,
        format("{}: no legal config satisfies --require {}; the first does not because of {}",
               to_string(workload), to_string(requirement), found.examples.at(rule)));
  }
  return found;
}

}  // namespace tilewright
