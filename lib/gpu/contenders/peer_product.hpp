// One config of a product that GPUs share, on all GPUs of a group in this process.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/peer_buffers.hpp"
#include "gpu/contenders/peer_operands.hpp"
#include "gpu/launch/peer_group.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The launches of the plans of all ranks.
///
///   reduce-scatter   stream of each GPU: kernel
///   all-gather       stream of each GPU: event, kernel, wait for the copies of the others' rows
///                    copies of each GPU: wait for the events of all; each block of A, and its flag
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
  /// Enqueues the launch of one GPU. An all-gather's needs launch().
  void launch_rank(const PeerOperands& operands, size_t set, int rank, cudaStream_t stream);
  /// Why the last launches went wrong; empty where every part came. Waits.
  std::string why_lost() const;
  /// What a launch has written behind its memory; empty where nothing. Waits.
  std::string find_stray_write() const { return buffers_.find_stray_write(); }

 private:
  // The copies to one GPU.
  struct Copies {
    cudaStream_t stream = nullptr;
    cudaEvent_t ready = nullptr;  // the GPU's own rows are there, and its launch before has ended
    cudaEvent_t done = nullptr;
  };

  void gather(const PeerOperands& operands, size_t set, const std::vector<cudaStream_t>& streams);
  void copy_blocks(const PeerOperands& operands, size_t set, int rank);

  const PeerGroup& group_;
  std::vector<KernelStore>& stores_;
  std::vector<LoadedPlan> loaded_;
  PeerBuffers buffers_;
  std::vector<Copies> copies_;  // of an all-gather, by rank
};

}  // namespace tilewright
