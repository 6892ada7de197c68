// cuBLAS's grouped product: all products of a group in one call. libcublas is loaded at run time,
// because nothing else needs it.
#pragma once

#include <cublas_v2.h>

#include <map>
#include <memory>
#include <vector>

#include "gpu/contenders/memory.hpp"
#include "gpu/contenders/operands.hpp"

namespace tilewright {

/// cublasGemmGroupedBatchedEx for one group; products of equal shape are one group of the call.
class GroupedCublas {
 public:
  /// Null when the library does not load or refuses the group, as it does for most types.
  static std::unique_ptr<GroupedCublas> open(const Workload& group);
  GroupedCublas(const GroupedCublas&) = delete;
  GroupedCublas& operator=(const GroupedCublas&) = delete;
  ~GroupedCublas();

  void launch(const OperandSet& operands, cudaStream_t stream);

 private:
  // Device addresses of all products' operands, in the order of the groups.
  struct Addresses {
    std::vector<const void*> a;
    std::vector<const void*> b;
    std::vector<void*> d;
  };

  explicit GroupedCublas(const Workload& group) : group_(group) {}
  bool open_library();
  void build_call_arrays();
  bool try_call();
  DeviceBuffer on_device(const Addresses& addresses) const;
  Addresses addresses_of(const OperandSet& operands) const;
  cublasStatus_t set_stream(cudaStream_t stream) const;
  cublasStatus_t call(const DeviceBuffer& addresses, cudaStream_t stream) const;

  Workload group_;
  void* library_ = nullptr;
  decltype(&cublasDestroy_v2) destroy_ = nullptr;
  decltype(&cublasSetStream_v2) set_stream_ = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace_ = nullptr;
  decltype(&cublasGemmGroupedBatchedEx) multiply_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  DeviceBuffer workspace_;
  std::vector<size_t> products_;  // those with work, sorted by shape
  // One entry per group of the call. The call's first operand is our B, and its n our rows.
  std::vector<int> sizes_;
  std::vector<int> rows_;
  std::vector<int> columns_;
  std::vector<int> depths_;
  std::vector<int> leading_a_;
  std::vector<int> leading_b_;
  std::vector<cublasOperation_t> operations_a_;
  std::vector<cublasOperation_t> operations_b_;
  std::vector<float> alpha_;
  std::vector<float> beta_;
  std::map<const void*, DeviceBuffer> addresses_;  // by A
};

}  // namespace tilewright
