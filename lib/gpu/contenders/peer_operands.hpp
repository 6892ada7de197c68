// The operands of a product that GPUs share: the whole product on the first GPU, which a result is
// compared on, and each GPU's share of it.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/launch/peer_group.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The whole product of which each GPU computes `workload`, for one GPU.
Workload whole_product(const Workload& workload);

class PeerOperands {
 public:
  /// Sets as Operands has them, of which each GPU gets its rows, columns or part of K. `kernels`
  /// are the first GPU's, which is current. Throws a usage error where the memory does not suffice.
  PeerOperands(const PeerGroup& group, const Workload& workload, int64_t least_bytes, uint64_t seed,
               const DeviceKernels& kernels);

  size_t set_count() const { return whole_.set_count(); }
  const OperandSet& whole(size_t set) const { return whole_.set(set); }
  const OperandSet& share(size_t set, int rank) const {
    return shares_[set][static_cast<size_t>(rank)].operands;
  }
  int64_t total_bytes() const { return total_bytes_; }

  /// Fills the GPUs' D with the bytes of the whole D, and the whole D with theirs; both wait.
  void spread_output(size_t set) const;
  void collect_output(size_t set) const;
  /// What a launch has written around a GPU's D; empty where nothing.
  std::string find_stray_write(size_t set) const;

 private:
  struct Share {
    DeviceBuffer memory;
    OperandSet operands;
  };

  Share share_of_set(size_t set, int rank);
  void move_output(size_t set, bool collect) const;

  const PeerGroup& group_;
  Workload workload_;
  Workload whole_workload_;
  Operands whole_;
  std::vector<std::vector<Share>> shares_;  // by set, then rank
  int64_t total_bytes_ = 0;
};

}  // namespace tilewright
