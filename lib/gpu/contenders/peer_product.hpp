// One config of a product that GPUs share, on all GPUs of a group in this process.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/peer_buffers.hpp"
#include "gpu/contenders/peer_operands.hpp"
#include "gpu/launch/peer_copies.hpp"
#include "gpu/launch/peer_group.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The launches of the plans of all ranks.
class PeerProduct {
 public:
  /// `plans` and `stores` are those of the ranks in order; the stores outlive the product. Loads
  /// the kernels: a kernel that is loaded while another GPU waits for its part might block.
  PeerProduct(const PeerGroup& group, const std::vector<Plan>& plans,
              std::vector<KernelStore>& stores, KernelExtras extras = {});
  PeerProduct(const PeerProduct&) = delete;
  PeerProduct& operator=(const PeerProduct&) = delete;
  ~PeerProduct();

  const Plan& plan() const { return loaded_.front().plan; }
  /// Enqueues one launch on every GPU's stream, with the operands of a set.
  void launch(const PeerOperands& operands, size_t set, const std::vector<cudaStream_t>& streams);
  /// Enqueues the launch of one GPU.
  void launch_rank(const PeerOperands& operands, size_t set, int rank, cudaStream_t stream);
  /// Why the last launches went wrong; empty where every part came. Waits.
  std::string why_lost() const;
  /// What a launch has written behind its memory; empty where nothing. Waits.
  std::string find_stray_write() const { return buffers_.find_stray_write(); }

 private:
  const PeerGroup& group_;
  std::vector<KernelStore>& stores_;
  std::vector<LoadedPlan> loaded_;
  PeerBuffers buffers_;
  // What GPUs send by copy engines, if they do.
  struct Sender {
    SentRows sent;
    std::unique_ptr<PeerCopies> copies;
    unsigned launches = 0;  // that have begun
  };
  std::vector<Sender> senders_;  // by rank
};

}  // namespace tilewright
