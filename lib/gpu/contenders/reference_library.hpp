// cuBLASLt as the reference: every algorithm that its heuristic returns for a problem.
#pragma once

#include <cublasLt.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/contenders/elementwise_pass.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/operands.hpp"
#include "gpu/launch/library_product.hpp"
#include "search/library_pin.hpp"

namespace tilewright {

/// The algorithms for one problem and its epilogue, with fp32 accumulation.
class ReferenceLibrary {
 public:
  /// `workspace` has kReferenceWorkspaceBytes; if it is null, the object allocates its own. With a
  /// batch, each launch computes all of it.
  explicit ReferenceLibrary(const Problem& problem,
                            std::shared_ptr<const DeviceBuffer> workspace = nullptr,
                            const LibraryBatch& batch = {});
  ReferenceLibrary(const ReferenceLibrary&) = delete;
  ReferenceLibrary& operator=(const ReferenceLibrary&) = delete;
  ~ReferenceLibrary();

  /// One name per algorithm, the heuristic's first choice first: "cublasLt/0 algo=66 tile=...", for
  /// a batch "cublasLt/strided batch/0 algo=66 tile=...".
  const std::vector<std::string>& names() const { return names_; }
  /// The algorithms themselves, in that order.
  LibraryAlgorithms algorithms() const;
  /// D = alpha * A B + beta * D with the problem's bias and activation. `workspace` has
  /// kReferenceWorkspaceBytes; null: the object's own. Launches on several streams need one each.
  void launch(int algorithm, const OperandSet& operands, cudaStream_t stream,
              const EpilogueScalars& scalars = {1, 0},
              const DeviceBuffer* workspace = nullptr) const;
  static std::string version();

 private:
  cublasLtHandle_t handle_ = nullptr;
  std::optional<LibraryProduct> product_;  // empty if cuBLASLt lacks the epilogue
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
  std::vector<std::string> names_;
  std::shared_ptr<const DeviceBuffer> workspace_;
};

class GroupReference;

/// The same for a workload. For a group: the ways of GroupReference, each product by the
/// heuristic's first choice. For a rank-k update: the products that add up to its whole square, all
/// by one algorithm. Where cuBLASLt lacks the epilogue: each of these and an ElementwisePass, named
/// "cublasLt/0 algo=66 ... + elementwise".
class WorkloadReference {
 public:
  WorkloadReference(const Workload& workload, const std::string& architecture,
                    const CubinCache& cache);
  WorkloadReference(const WorkloadReference&) = delete;
  WorkloadReference& operator=(const WorkloadReference&) = delete;
  ~WorkloadReference();
  const std::vector<std::string>& names() const { return names_; }
  /// ReferenceLibrary::algorithms() for a workload of one product, if cuBLASLt has its epilogue;
  /// empty for any other.
  LibraryAlgorithms algorithms() const;
  /// How often a launch rounds an element of D or, before it, its sum.
  int roundings() const;
  void launch(int algorithm, const OperandSet& operands, cudaStream_t stream) const;

 private:
  using Sizes = std::tuple<int64_t, int64_t, int64_t>;

  void add_products();
  void launch_product(int algorithm, const OperandSet& operands, cudaStream_t stream) const;
  void launch_phases(size_t product, int algorithm, const OperandSet& operands, cudaStream_t stream,
                     const DeviceBuffer* workspace = nullptr) const;
  static Sizes sizes_of(const GemmShape& shape) { return {shape.m, shape.n, shape.k}; }

  Workload workload_;  // what the library computes
  std::optional<ElementwisePass> rest_;
  std::map<Sizes, ReferenceLibrary> by_sizes_;  // of products with elements and depth
  std::unique_ptr<GroupReference> group_;
  std::vector<std::string> names_;
};

}  // namespace tilewright
