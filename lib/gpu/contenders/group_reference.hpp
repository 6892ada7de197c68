// The ways in which cuBLAS and cuBLASLt compute a group: all of them are references.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/operands.hpp"

namespace tilewright {

class GroupedCublas;
class ReferenceLibrary;

/// A loop over the products, on one stream or spread over several, launched by the host or as a
/// graph; cuBLAS's own grouped product, if its library loads and accepts the group; and, for equal
/// products, cuBLASLt's strided batch by every algorithm of its heuristic.
class GroupReference {
 public:
  /// Launches one product of the group. `workspace`, unless null, is the stream's own.
  using ProductLauncher = std::function<void(size_t product, const OperandSet& operands,
                                             cudaStream_t stream, const DeviceBuffer* workspace)>;

  /// Without a launcher there are neither loops nor batches.
  GroupReference(const Workload& group, ProductLauncher launch_product);
  GroupReference(const GroupReference&) = delete;
  GroupReference& operator=(const GroupReference&) = delete;
  ~GroupReference();

  /// "cublasLt/loop", "cublas/grouped", "cublasLt/strided batch/0 algo=66 ..." and the like.
  std::vector<std::string> names() const;
  /// Launches mode `mode` of names(). Later work in `stream` starts after all of it.
  void launch(size_t mode, const OperandSet& operands, cudaStream_t stream);

 private:
  // One of the streams that work at the same time, with its own workspace.
  struct StreamSlot {
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
    DeviceBuffer workspace;
  };

  // How products are started.
  struct LaunchMode {
    std::string name;
    bool multi_stream = false;  // over several streams
    bool in_graph = false;
    bool grouped = false;  // in one call
    std::optional<int> batch_algorithm = {};
  };

  void add_streams();
  void loop(const OperandSet& operands, cudaStream_t stream) const;
  void loop_over_streams(const OperandSet& operands, cudaStream_t stream) const;
  cudaGraphExec_t graph_of(bool multi_stream, const OperandSet& operands);

  size_t product_count_;
  ProductLauncher launch_product_;
  std::vector<StreamSlot> streams_;
  cudaEvent_t begin_ = nullptr;
  std::map<std::pair<bool, const void*>, cudaGraphExec_t> graphs_;  // key: multi_stream, A
  EpilogueScalars scalars_;
  std::unique_ptr<ReferenceLibrary> batch_;  // of all products, in one call
  std::unique_ptr<GroupedCublas> grouped_;
  std::vector<LaunchMode> modes_;
};

}  // namespace tilewright
