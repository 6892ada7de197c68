// Legality of groups in the sm90 family: packed rows, or products with sizes of their own.

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "tile/family/sm90.hpp"

namespace tilewright {
namespace {

// Limit of the units of a launch.
constexpr int64_t kMaxCounted = std::numeric_limits<int32_t>::max() / 4;
// Accumulators per thread that compile without spills beside the state of the unit's problem.
constexpr int kMaxAccumulators = 128;
constexpr int kMaxOfParts = 112;       // the same beside the state of a divided tile
constexpr int kMaxOfPackedParts = 96;  // of packed rows, where threads store D: at 104 ptxas spills

// The host's table assigns parts of tiles; each problem has as many parts as its depth allows.
std::string why_not_divided(const TileConfig& c) {
  if (std::holds_alternative<DataParallel>(c.decomposition)) return "";
  const std::string name = to_string(c.decomposition);
  if (!std::holds_alternative<SplitK>(c.decomposition)) {
    return format(
        "{}: kernels run groups data-parallel, or by split-k, whose parts the host's table lists",
        name);
  }
  if (c.group_schedule != GroupSchedule::HostPrecompute) {
    return format("{}: to divide a group's tiles, use group_schedule=host-precompute", name);
  }
  const Reduction reduction = reduction_of(c.decomposition);
  // Bulk copies need store buffers, which do not exist where TMA cannot store the product's rows.
  const tw::PartialStorage partial_storage_of = tw::partial_storage_of(reduction);
  const bool in_tile = partial_storage_of == tw::PartialStorage::OneTile ||
                       partial_storage_of == tw::PartialStorage::ZeroedTile;
  if (in_tile && !tw::record_of(reduction).bulk_copies) return "";
  return format("{}: for the parts of a group's tiles, use the reduction serial or atomic", name);
}

std::string why_not_grouped(Packing packing, const TileConfig& c) {
  if (std::string why = why_not_divided(c); !why.empty()) return why;
  const bool listed = c.group_schedule == GroupSchedule::HostPrecompute || packing != Packing::Rows;
  if (!listed && c.problem_order != ProblemOrder::Given) {
    return format(
        "problem_order={}: the device finds packed products only in the given order; use "
        "host-precompute, which sorts them",
        to_string(c.problem_order));
  }
  return "";
}

// An upper bound: every product counted with the units of the largest one.
bool has_few_units(const Workload& w, const Problem& largest, const TileConfig& c) {
  const int64_t slots = count_problem(w, largest.shape, c).work.slots;
  const auto* const split = std::get_if<SplitK>(&c.decomposition);
  const int64_t slices = split != nullptr ? split->slices : 1;
  return slots <= kMaxCounted / slices / std::ssize(w.shapes);
}

int most_accumulators(const tw::Sm90Params& kernel) {
  if (kernel.division == tw::Division::None) return kMaxAccumulators;
  return kernel.lists_divided_slots() && kernel.direct_store ? kMaxOfPackedParts : kMaxOfParts;
}

}  // namespace

std::optional<Rejection> reject_sm90_group(const Workload& workload, const Problem& largest,
                                           const TileConfig& config, const DeviceSpec& device) {
  const std::string reason = why_not_grouped(packing_of(workload), config);
  if (!reason.empty()) return Rejection{"group", reason};
  const auto kernel = std::get<tw::Sm90Params>(kSm90Family.params(workload, config, {}));
  const int accumulators = kernel.accumulator_registers();
  const int most = most_accumulators(kernel);
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
  constexpr int64_t kMinDepth = 128;
  Problem product = largest;
  product.shape.k = std::max(product.shape.k, kMinDepth);
  if (auto rejection = reject_sm90(product, of_product, device, kernel)) return rejection;
  if (has_few_units(workload, largest, config)) return {};
  const int64_t units = make_plan(workload, config, device).units;
  if (units <= kMaxCounted) return {};
  return Rejection{"wave", format("{} slots are more than the kernel counts", units)};
}

}  // namespace tilewright
