#include "model/fixup.hpp"

namespace tilewright {

double partial_tile_bytes(const TileShape& cta) {
  return 4.0 * cta.m * cta.n;
}

FixupCost fixup_cost(Reduction reduction, const TileShape& cta, const FixupRates& rates,
                     const FixupRole& role) {
  const double bytes = partial_tile_bytes(cta);
  const double move_us = bytes / rates.part_bytes_per_us;
  // All active CTAs share the device's L2 bandwidth.
  const double all_bytes = bytes * static_cast<double>(role.active);
  const double turn_us = role.first ? 0 : rates.sm90_turn_us;
  // As much with two parts as with four, so once for a launch: before the wait, where all parts are
  // at the same time.
  const double bulk_us = tw::record_of(reduction).bulk_copies ? rates.bulk_us : 0;
  switch (tw::wait_mode_of(reduction)) {
    case WaitMode::Previous:
      if (tw::partial_storage_of(reduction) == tw::PartialStorage::OneTile) {
        return {bulk_us, turn_us + move_us, role.last, 1, turn_us};
      }
      // The first part stores D, the others add to it in half as many bytes.
      return {bulk_us, role.first ? 0 : turn_us + move_us / 2, role.first, 1, turn_us};
    case WaitMode::LastArrives:
      return {bulk_us + all_bytes / rates.atomic_bytes_per_us, rates.meet_us + move_us, true, 1,
              rates.meet_us};
    // The second kernel finishes the sums.
    case WaitMode::None: return {all_bytes / rates.workspace_bytes_per_us, 0, true, 0};
    case WaitMode::All: break;
  }
  const auto parts = static_cast<double>(role.parts);
  if (tw::waits_for_all_in_memory(reduction)) {
    const double pass_us = all_bytes / rates.workspace_bytes_per_us;
    return {pass_us, rates.share_us + pass_us, true, 1 / parts, rates.share_us};
  }
  const double share = (parts - 1) / parts;
  return {0, rates.cluster_meet_us + bytes * share / rates.cluster_bytes_per_us, true, 1 / parts,
          rates.cluster_meet_us};
}

double second_kernel_us(Reduction reduction, int64_t parts, const TileShape& cta,
                        const FixupRates& rates) {
  if (!tw::sums_later(reduction) || parts == 0) return 0;
  return rates.second_kernel_us +
         static_cast<double>(parts) * partial_tile_bytes(cta) / rates.workspace_bytes_per_us;
}

}  // namespace tilewright
