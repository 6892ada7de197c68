// The ways in which cuBLAS and cuBLASLt compute a group: all of them are references.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/operands.hpp"

namespace tilewright {

class GroupedCublas;

/// A loop over the products on one stream or dealt to several, launched by the host or from a
/// graph; and cuBLAS's own grouped product, where its library opens and takes the group.
class GroupReference {
 public:
  /// Starts a product of the group, in a workspace of the stream's own where one is given.
  using ProductLauncher = std::function<void(size_t product, const OperandSet& operands,
                                             cudaStream_t stream, const DeviceBuffer* workspace)>;

  /// Without a launcher there are no loops.
  GroupReference(const Workload& group, ProductLauncher launch_product);
  GroupReference(const GroupReference&) = delete;
  GroupReference& operator=(const GroupReference&) = delete;
  ~GroupReference();

  /// "cublasLt/loop", "cublas/grouped" and the like.
  std::vector<std::string> names() const;
  /// Way `way` of names(). What it starts is over when `stream` goes on.
  void launch(size_t way, const OperandSet& operands, cudaStream_t stream);

 private:
  // Streams that work at the same time, each with a workspace of its own.
  struct Lane {
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
    DeviceBuffer workspace;
  };

  // How products are started.
  struct Way {
    std::string name;
    bool by_lanes = false;  // over several streams
    bool in_graph = false;
    bool grouped = false;  // in one call
  };

  void add_lanes();
  void loop(const OperandSet& operands, cudaStream_t stream) const;
  void loop_over_lanes(const OperandSet& operands, cudaStream_t stream) const;
  cudaGraphExec_t graph_of(bool by_lanes, const OperandSet& operands);

  size_t product_count_;
  ProductLauncher launch_product_;
  std::vector<Lane> lanes_;
  cudaEvent_t begin_ = nullptr;
  std::map<std::pair<bool, const void*>, cudaGraphExec_t> graphs_;  // by lanes, and D
  std::unique_ptr<GroupedCublas> grouped_;
  std::vector<Way> ways_;
};

}  // namespace tilewright
