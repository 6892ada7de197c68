// What the kernels run of groups: packed rows by the sm90 family.

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "tile/plan/legality_rules.hpp"

namespace tilewright {
namespace {

// Lines of packed operands, and units of a launch.
constexpr int64_t kMostCounted = std::numeric_limits<int32_t>::max() / 4;
// What compiles free of spills beside what a thread knows of its unit's problem.
constexpr int kMostAccumulators = 128;

// The product with the most rows stands for all: they share everything else.
Problem largest_product(const Workload& w) {
  const auto fewer_rows = [](const GemmShape& a, const GemmShape& b) { return a.m < b.m; };
  const auto largest = std::max_element(w.shapes.begin(), w.shapes.end(), fewer_rows);
  return problem_of(w, static_cast<size_t>(largest - w.shapes.begin()));
}

std::string why_not_packed(const Workload& w) {
  const GemmShape& first = w.shapes.front();
  for (const GemmShape& shape : w.shapes) {
    if (shape.n == first.n && shape.k == first.k) continue;
    return format(
        "kernels run groups whose products differ in M alone, packed row behind row; {} "
        "and {} differ in more",
        to_string(first), to_string(shape));
  }
  if (first.n == 0 || first.k == 0) return "kernels run groups of at least one column and k";
  if (total_rows(w) == 0) return "no product of the group has a row";
  if (w.layout != MatrixLayout::TN) {
    return format("kernels run groups of layout tn, not {}", to_string(w.layout));
  }
  if (w.bias) return "kernels run groups without a bias";
  const int64_t lines = std::max(total_rows(w), static_cast<int64_t>(w.shapes.size()) * first.n);
  if (lines > kMostCounted) {
    return format("{} packed rows are more than the kernel counts", lines);
  }
  return "";
}

std::string why_not_grouped(const Problem& product, const TileConfig& c) {
  if (c.family != Family::Sm90) {
    return format("the {} family runs one product a launch; sm90 runs groups", to_string(c.family));
  }
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return format("{}: kernels run whole tiles of groups, data-parallel",
                  to_string(c.decomposition));
  }
  if (c.group_schedule == GroupSchedule::Dynamic) {
    return "no kernel runs group_schedule=dynamic yet; device-only and host-precompute have one";
  }
  if (c.group_schedule == GroupSchedule::DeviceOnly && c.problem_order != ProblemOrder::Given) {
    return format(
        "problem_order={}: the device finds problems in the given order; "
        "host-precompute sorts them",
        to_string(c.problem_order));
  }
  if (repacked_operands(product) != Repacked{}) {
    return format("k = {}: rows of packed operands are a multiple of 16 bytes", product.shape.k);
  }
  return "";
}

std::optional<Rejection> reject_group_config(const Workload& workload, TileConfig config,
                                             const DeviceSpec& device) {
  const Problem product = largest_product(workload);
  const std::string reason = why_not_grouped(product, config);
  if (!reason.empty()) return Rejection{"group", reason};
  const int accumulators = sm90_params(config, product).accumulator_registers();
  if (accumulators > kMostAccumulators) {
    return Rejection{"registers", format("cta {} ({}) holds {} accumulators a thread; the search "
                                         "for a group's products leaves room for {}",
                                         to_string(config.cta), to_string(config.schedule),
                                         accumulators, kMostAccumulators)};
  }
  config.group_schedule = {};
  config.problem_order = {};
  if (auto rejection = reject_config(product, config, device)) return rejection;
  const int64_t units = make_plan(workload, config, device).units;
  if (units <= kMostCounted) return {};
  return Rejection{"wave", format("{} slots are more than the kernel counts", units)};
}

}  // namespace

std::optional<Rejection> reject_group(const Workload& workload) {
  if (is_triangular(workload)) return reject_triangle(workload);
  if (!is_group(workload)) return {};
  const std::string reason = why_not_packed(workload);
  if (!reason.empty()) return Rejection{"group", reason};
  return {};
}

std::optional<Rejection> reject_workload(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device) {
  if (auto rejection = reject_group(workload)) return rejection;
  if (is_triangular(workload)) return reject_triangle_config(workload, config, device);
  if (is_group(workload)) return reject_group_config(workload, config, device);
  return reject_config(problem_of(workload, 0), config, device);
}

}  // namespace tilewright
