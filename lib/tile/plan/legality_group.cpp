// What the kernels run of groups: packed rows, or products of their own sizes, by the sm90 family.

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
constexpr int kMostOfParts = 112;  // and of where parts of its tile meet

bool has_elements(const GemmShape& shape) {
  return shape.m > 0 && shape.n > 0;
}

std::string why_no_maps(const Workload& w) {
  for (size_t i = 0; i < w.shapes.size(); ++i) {
    const Problem product = problem_of(w, i);
    const GemmShape& s = product.shape;
    if (!has_elements(s) || s.k == 0 || repacked_operands(product) == Repacked{}) continue;
    return format(
        "{}: TMA addresses rows that are a multiple of 16 bytes, and a group's operands are not "
        "copied; pad with zeros",
        to_string(product));
  }
  return "";
}

std::string why_not_group(const Workload& w) {
  if (std::none_of(w.shapes.begin(), w.shapes.end(), has_elements)) {
    return "no product of the group has an element";
  }
  if (w.bias) return "kernels run groups without a bias";
  if (std::string why = why_no_maps(w); !why.empty() || packing_of(w) != Packing::Rows) return why;
  const int64_t lines =
      std::max(total_rows(w), static_cast<int64_t>(w.shapes.size()) * w.shapes.front().n);
  if (lines > kMostCounted) {
    return format("{} packed rows are more than the kernel counts", lines);
  }
  return "";
}

// Parts of tiles are dealt out by the host's table, each problem's into as many as its depth wants.
std::string why_not_divided(Packing packing, const TileConfig& c) {
  if (std::holds_alternative<DataParallel>(c.decomposition)) return "";
  const std::string name = to_string(c.decomposition);
  if (!std::holds_alternative<SplitK>(c.decomposition)) {
    return format("{}: kernels run groups data-parallel, or by split-k from the host's table",
                  name);
  }
  if (c.group_schedule != GroupSchedule::HostPrecompute || packing != Packing::None) {
    return format(
        "{}: parts of a group's tiles want group_schedule=host-precompute and products of "
        "their own sizes",
        name);
  }
  const Reduction reduction = reduction_of(c.decomposition);
  // Bulk copies go through store buffers, which a product whose rows TMA cannot store has not.
  const tw::PartsIn parts_in = tw::parts_in(reduction);
  const bool in_tile = parts_in == tw::PartsIn::OneTile || parts_in == tw::PartsIn::ZeroedTile;
  if (in_tile && !tw::record_of(reduction).bulk_copies) return "";
  return format("{}: parts of a group's tiles are joined by serial or atomic", name);
}

std::string why_not_grouped(Packing packing, const TileConfig& c) {
  if (c.family != Family::Sm90) {
    return format("the {} family runs one product a launch; sm90 runs groups", to_string(c.family));
  }
  if (std::string why = why_not_divided(packing, c); !why.empty()) return why;
  const bool listed = c.group_schedule == GroupSchedule::HostPrecompute || packing != Packing::Rows;
  if (!listed && c.problem_order != ProblemOrder::Given) {
    return format(
        "problem_order={}: the device finds packed products in the given order; "
        "host-precompute sorts them",
        to_string(c.problem_order));
  }
  return "";
}

// Units of the largest product for every product: no fewer than the group has.
bool has_few_units(const Workload& w, const Problem& largest, const TileConfig& c) {
  const int64_t slots = count_problem(w, largest.shape, c).work.slots;
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const int64_t slices = split != nullptr ? split->slices : 1;
  return slots <= kMostCounted / slices / std::ssize(w.shapes);
}

// By the constants of the group's own kernel, whose loading warp takes registers from the others
// where it knows much of its units.
std::string why_no_registers(const Workload& w, const TileConfig& c) {
  constexpr int kBesideAccumulators = 40;
  const auto params = std::get<tw::Sm90Params>(kernel_of(w, c));
  const int held = params.accumulator_registers() + kBesideAccumulators;
  if (held <= params.consumer_registers()) return "";
  return format("cta {} ({}) holds {} accumulators a thread; {} of {} registers", to_string(c.cta),
                to_string(c.schedule), params.accumulator_registers(), held,
                params.consumer_registers());
}

std::optional<Rejection> reject_group_config(const Workload& workload, const Problem& largest,
                                             Packing packing, const TileConfig& config,
                                             const DeviceSpec& device) {
  const std::string reason = why_not_grouped(packing, config);
  if (!reason.empty()) return Rejection{"group", reason};
  const int accumulators = sm90_params(config, largest).accumulator_registers();
  const bool whole = std::holds_alternative<DataParallel>(config.decomposition);
  const int most = whole ? kMostAccumulators : kMostOfParts;
  if (accumulators > most) {
    return Rejection{"registers",
                     format("cta {} ({}) holds {} accumulators a thread; the search "
                            "for a group's products leaves room for {}",
                            to_string(config.cta), to_string(config.schedule), accumulators, most)};
  }
  TileConfig of_product = config;
  of_product.group_schedule = {};
  of_product.problem_order = {};
  // A group may have no depth at all.
  constexpr int64_t kLeastDepth = 128;
  Problem product = largest;
  product.shape.k = std::max(product.shape.k, kLeastDepth);
  if (auto rejection = reject_config(product, of_product, device)) return rejection;
  if (std::string why = why_no_registers(workload, config); !why.empty()) {
    return Rejection{"registers", why};
  }
  if (has_few_units(workload, largest, config)) return {};
  const int64_t units = make_plan(workload, config, device).units;
  if (units <= kMostCounted) return {};
  return Rejection{"wave", format("{} slots are more than the kernel counts", units)};
}

}  // namespace

std::optional<Rejection> reject_group(const Workload& workload) {
  if (is_triangular(workload)) return reject_triangle(workload);
  if (!is_group(workload)) return {};
  const std::string reason = why_not_group(workload);
  if (!reason.empty()) return Rejection{"group", reason};
  return {};
}

Problem largest_product(const Workload& w) {
  Problem largest = problem_of(w, 0);
  GemmShape& most = largest.shape;
  most = {0, 0, 0};
  for (const GemmShape& shape : w.shapes) {
    if (!is_triangular(w) && !has_elements(shape)) continue;
    most = {std::max(most.m, shape.m), std::max(most.n, shape.n), std::max(most.k, shape.k)};
  }
  return largest;
}

WorkloadRules::WorkloadRules(const Workload& workload, const DeviceSpec& device)
    : workload_(workload),
      device_(device),
      always_(reject_group(workload)),
      largest_(largest_product(workload)),
      packing_(packing_of(workload)) {}

std::optional<Rejection> WorkloadRules::reject(const TileConfig& config) const {
  if (always_) return always_;
  if (is_triangular(workload_)) {
    return reject_triangle_config(workload_, largest_, config, device_);
  }
  if (is_group(workload_)) {
    return reject_group_config(workload_, largest_, packing_, config, device_);
  }
  return reject_config(problem_of(workload_, 0), config, device_);
}

std::optional<Rejection> reject_workload(const Workload& workload, const TileConfig& config,
                                         const DeviceSpec& device) {
  return WorkloadRules(workload, device).reject(config);
}

}  // namespace tilewright
