#include "model/join.hpp"

namespace tilewright {

Meeting meeting_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Serial:
    case Reduction::SerialTma:
    case Reduction::InPlace: return Meeting::Turn;
    case Reduction::Atomic:
    case Reduction::AtomicTma: return Meeting::Last;
    case Reduction::ReduceScatter:
    case Reduction::Cluster: return Meeting::All;
    case Reduction::Workspace: return Meeting::None;
  }
  return Meeting::None;
}

double partial_tile_bytes(const TileShape& cta) {
  return 4.0 * cta.m * cta.n;
}

PartCost part_cost(Reduction reduction, const TileShape& cta, const JoinRates& rates,
                   const PartRole& role) {
  const double bytes = partial_tile_bytes(cta);
  const double move_us = bytes / rates.part_bytes_per_us;
  // All that are at it share what the device's L2 takes.
  const double all_bytes = bytes * static_cast<double>(role.active);
  const double turn_us = role.first ? 0 : rates.sm90_turn_us;
  switch (reduction) {
    case Reduction::Serial:
    case Reduction::SerialTma: return {0, turn_us + move_us, role.last};
    // The first part stores D, the others add to it in half as many bytes.
    case Reduction::InPlace: return {0, role.first ? 0 : turn_us + move_us / 2, role.first};
    case Reduction::Atomic:
    case Reduction::AtomicTma:
      return {all_bytes / rates.atomic_bytes_per_us, rates.meet_us + move_us, true};
    case Reduction::Workspace: return {all_bytes / rates.workspace_bytes_per_us, 0, true};
    case Reduction::ReduceScatter: {
      const double pass_us = all_bytes / rates.workspace_bytes_per_us;
      return {pass_us, rates.share_us + pass_us, true};
    }
    case Reduction::Cluster: {
      const auto parts = static_cast<double>(role.parts);
      const double share = (parts - 1) / parts;
      return {0, rates.cluster_meet_us + bytes * share / rates.cluster_bytes_per_us, true};
    }
  }
  return {};
}

double second_kernel_us(Reduction reduction, int64_t parts, const TileShape& cta,
                        const JoinRates& rates) {
  if (reduction != Reduction::Workspace || parts == 0) return 0;
  return rates.second_kernel_us +
         static_cast<double>(parts) * partial_tile_bytes(cta) / rates.workspace_bytes_per_us;
}

}  // namespace tilewright
