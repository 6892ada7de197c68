// What products across GPUs are compared with: cuBLASLt's product and NCCL's collective, one after
// the other.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "gpu/compile/cubin_cache.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/nccl.hpp"
#include "gpu/contenders/peer_operands.hpp"
#include "gpu/contenders/reference_library.hpp"
#include "gpu/launch/peer_group.hpp"

namespace tilewright {

class PeerReference {
 public:
  /// The names are empty where the host has no NCCL, or where cuBLASLt would apply an epilogue to
  /// parts of sums.
  PeerReference(const PeerGroup& group, const Workload& workload, const std::string& architecture,
                const CubinCache& cache);

  /// One name for each algorithm of the product: "cublasLt/0 algo=66 ... then NCCL".
  const std::vector<std::string>& names() const { return names_; }
  /// Of both libraries, or why there are no names.
  std::string version() const;

  /// Enqueues the product and the collective on every GPU's stream.
  void launch(int algorithm, const PeerOperands& operands, size_t set,
              const std::vector<cudaStream_t>& streams) const;

 private:
  // The library's product on one GPU, and its result or the gathered operand.
  struct Own {
    std::unique_ptr<WorkloadReference> product;
    DeviceBuffer between;
  };

  bool gathers() const { return gathers_rows(workload_.parallel); }
  void multiply(int algorithm, const PeerOperands& operands, size_t set,
                const std::vector<cudaStream_t>& streams) const;
  void exchange(const PeerOperands& operands, size_t set,
                const std::vector<cudaStream_t>& streams) const;

  const PeerGroup& group_;
  Workload workload_;
  std::string why_not_;
  std::unique_ptr<Nccl> nccl_;
  std::vector<Own> own_;  // by rank
  std::vector<std::string> names_;
};

}  // namespace tilewright
