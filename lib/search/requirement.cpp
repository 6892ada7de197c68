#include "search/requirement.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kDeterministic = "deterministic";
constexpr std::string_view kInvariant = "batch-invariant";
constexpr std::string_view kExport = "export:";

InvariantSums parse_sums(std::string_view text) {
  const ConfigRequest request = parse_config(text);
  for (const std::string& key : request.named) {
    if (key == "family" || key == "decomposition") continue;
    throw usage_error(
        format("--require {}:{}: only family and decomposition decide the order of sums: omit {}",
               kInvariant, text, key));
  }
  const InvariantSums sums{names_key(request, "family") ? request.values.family : Family::Sm90,
                           request.values.decomposition};
  const auto* const split = std::get_if<SplitK>(&sums.decomposition);
  const bool in_turn =
      split != nullptr && tw::wait_mode_of(split->reduction) == tw::WaitMode::Previous;
  if (!in_turn && !std::holds_alternative<DataParallel>(sums.decomposition)) {
    throw usage_error(format(
        "--require {}: {} joins parts in an order that depends on M or on the tile; data-parallel "
        "does not, nor do split-k:S:serial, serial-tma and in-place",
        kInvariant, to_string(sums.decomposition)));
  }
  if (sums.family == Family::Skinny || (sums.family != Family::Sm90 && split != nullptr)) {
    throw usage_error(format("--require {}: kernels of {} with {} do not serve every M", kInvariant,
                             to_string(sums.family), to_string(sums.decomposition)));
  }
  return sums;
}

std::string sums_text(const InvariantSums& sums) {
  if (sums == InvariantSums{}) return std::string(kInvariant);
  return format("{}:family={},decomposition={}", kInvariant, to_string(sums.family),
                to_string(sums.decomposition));
}

// Why the config adds in another order; empty if it adds in this one.
std::string why_other_order(const InvariantSums& sums, const Workload& workload,
                            const TileConfig& config) {
  if (workload.op != MatrixOp::Gemm) return "the sums of an update depend on its tiles";
  if (adds_like(workload, config, sums.family, sums.decomposition)) return "";
  return format(
      "family={},decomposition={} does not add in the order of family={},"
      "decomposition={}",
      to_string(config.family), to_string(config.decomposition), to_string(sums.family),
      to_string(sums.decomposition));
}

}  // namespace

std::vector<std::string> requirement_names() {
  std::vector<std::string> names = {std::string(kDeterministic), std::string(kInvariant)};
  names.reserve(names.size() + std::size(kStacks));
  for (const Stack stack : kStacks) names.push_back(to_string(Requirement{.stack = stack}));
  return names;
}

Requirement parse_requirement(std::string_view text) {
  if (text.empty()) return {};
  if (text == kDeterministic) return {.deterministic = true};
  if (text == kInvariant) return {.invariant = InvariantSums{}};
  if (text.starts_with(format("{}:", kInvariant))) {
    return {.invariant = parse_sums(text.substr(kInvariant.size() + 1))};
  }
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
  if (requirement.invariant) return sums_text(*requirement.invariant);
  return requirement.deterministic ? std::string(kDeterministic) : "";
}

std::string why_requirement_fails(const Requirement& requirement, const Workload& workload,
                                  const TileConfig& config) {
  if (requirement.deterministic && determinism_of(config.decomposition) != "bitwise") {
    return format("decomposition={} sums in the order of arrival", to_string(config.decomposition));
  }
  if (requirement.invariant) return why_other_order(*requirement.invariant, workload, config);
  return requirement.stack ? why_unsupported(*requirement.stack, workload, config) : "";
}

std::vector<SearchSpace> spaces_for(const Requirement& requirement,
                                    std::vector<SearchSpace> spaces) {
  if (requirement.invariant) {
    const InvariantSums& sums = *requirement.invariant;
    std::erase_if(spaces, [&](const SearchSpace& space) { return space.family != sums.family; });
    for (SearchSpace& space : spaces) {
      // A division that the user names stays, and is refused by its order.
      if (names_key(space.named, "decomposition")) continue;
      ConfigRequest division = space.named;
      name_key(division, "decomposition", to_string(sums.decomposition));
      space = restricted(std::move(space), division);
    }
  }
  return requirement.stack ? spaces_supported_by(*requirement.stack, std::move(spaces)) : spaces;
}

Enumeration enumerate_required(const Requirement& requirement, const Workload& workload,
                               const std::vector<SearchSpace>& spaces, const DeviceSpec& device) {
  Enumeration found = enumerate(workload, spaces, device);
  if (found.kernels.empty() || requirement == Requirement{}) return found;
  const std::string rule = requirement.stack       ? "export"
                           : requirement.invariant ? "batch-invariance"
                                                   : "determinism";
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
