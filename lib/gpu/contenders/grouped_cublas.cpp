#include "gpu/contenders/grouped_cublas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "gpu/compile/library_check.hpp"
#include "gpu/contenders/reference_library.hpp"

namespace tilewright {
namespace {

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::unique_ptr<GroupedCublas> GroupedCublas::open(const Workload& group) {
  const bool halves = bytes_of(group.kind.dtype) == 2 && is_plain(group.kind.epilogue) &&
                      !is_triangular(group) && output_type(group.kind) == group.kind.dtype;
  if (!halves) return nullptr;
  std::unique_ptr<GroupedCublas> grouped(new GroupedCublas(group));
  if (!grouped->open_library()) return nullptr;
  grouped->build_call_arrays();
  if (!grouped->try_call()) return nullptr;
  return grouped;
}

GroupedCublas::~GroupedCublas() {
  if (handle_ != nullptr) destroy_(handle_);
  if (library_ != nullptr) dlclose(library_);
}

bool GroupedCublas::open_library() {
  const std::string name = format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return false;
  decltype(&cublasCreate_v2) create = nullptr;
  const bool complete = load(library_, "cublasCreate_v2", create) &&
                        load(library_, "cublasDestroy_v2", destroy_) &&
                        load(library_, "cublasSetStream_v2", set_stream_) &&
                        load(library_, "cublasSetWorkspace_v2", set_workspace_) &&
                        load(library_, "cublasGemmGroupedBatchedEx", multiply_);
  if (!complete || create(&handle_) != CUBLAS_STATUS_SUCCESS) return false;
  workspace_ = DeviceBuffer(kReferenceWorkspaceBytes);
  return set_stream(nullptr) == CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t GroupedCublas::set_stream(cudaStream_t stream) const {
  // cublasSetStream resets the workspace.
  const cublasStatus_t status = set_stream_(handle_, stream);
  return status != CUBLAS_STATUS_SUCCESS
             ? status
             : set_workspace_(handle_, workspace_.get(), workspace_.bytes());
}

// cuBLAS is column-major; library_product.cpp explains the exchange of operands.
void GroupedCublas::build_call_arrays() {
  for (size_t i = 0; i < group_.shapes.size(); ++i) {
    if (flops(problem_of(group_, i)) > 0) products_.push_back(i);
  }
  std::stable_sort(products_.begin(), products_.end(), [this](size_t a, size_t b) {
    const GemmShape& one = group_.shapes[a];
    const GemmShape& other = group_.shapes[b];
    return std::tie(one.m, one.n, one.k) < std::tie(other.m, other.n, other.k);
  });
  const bool k_first_a = is_k_major_a(group_.kind.layout);
  const bool k_first_b = is_k_major_b(group_.kind.layout);
  const GemmShape* last = nullptr;
  for (const size_t product : products_) {
    const GemmShape& shape = group_.shapes[product];
    if (last != nullptr && *last == shape) {
      ++sizes_.back();
      continue;
    }
    last = &shape;
    sizes_.push_back(1);
    rows_.push_back(static_cast<int>(shape.m));
    columns_.push_back(static_cast<int>(shape.n));
    depths_.push_back(static_cast<int>(shape.k));
    leading_a_.push_back(static_cast<int>(k_first_a ? shape.k : shape.m));
    leading_b_.push_back(static_cast<int>(k_first_b ? shape.k : shape.n));
  }
  operations_a_.assign(sizes_.size(), k_first_a ? CUBLAS_OP_N : CUBLAS_OP_T);
  operations_b_.assign(sizes_.size(), k_first_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  alpha_.assign(sizes_.size(), 1);
  beta_.assign(sizes_.size(), 0);
}

// A trial call on scratch memory. All products share its addresses, because the results are not
// used.
bool GroupedCublas::try_call() {
  int64_t a = 0;
  int64_t b = 0;
  int64_t d = 0;
  for (const GemmShape& shape : group_.shapes) {
    a = std::max(a, shape.m * shape.k);
    b = std::max(b, shape.n * shape.k);
    d = std::max(d, shape.m * shape.n);
  }
  const int64_t element = bytes_of(group_.kind.dtype);
  const DeviceBuffer scratch(static_cast<size_t>((a + b + d) * element));
  auto* const begin = static_cast<char*>(scratch.get());
  const DeviceBuffer addresses =
      on_device({.a = std::vector<const void*>(products_.size(), begin),
                 .b = std::vector<const void*>(products_.size(), begin + a * element),
                 .d = std::vector<void*>(products_.size(), begin + (a + b) * element)});
  const bool taken = call(addresses, nullptr) == CUBLAS_STATUS_SUCCESS;
  TW_CHECK(cudaDeviceSynchronize());
  return taken;
}

GroupedCublas::Addresses GroupedCublas::addresses_of(const OperandSet& operands) const {
  Addresses addresses;
  for (const size_t product : products_) {
    const OperandSet own = operands_of(operands, group_, product);
    addresses.a.push_back(own.a);
    addresses.b.push_back(own.b);
    addresses.d.push_back(own.d);
  }
  return addresses;
}

DeviceBuffer GroupedCublas::on_device(const Addresses& addresses) const {
  std::vector<const void*> all = addresses.b;
  all.insert(all.end(), addresses.a.begin(), addresses.a.end());
  all.insert(all.end(), addresses.d.begin(), addresses.d.end());
  DeviceBuffer buffer(all.size() * sizeof(void*));
  copy_to_device(buffer.get(), all.data(), buffer.bytes());
  return buffer;
}

cublasStatus_t GroupedCublas::call(const DeviceBuffer& addresses, cudaStream_t stream) const {
  const cudaDataType_t type = group_.kind.dtype == DataType::BF16 ? CUDA_R_16BF : CUDA_R_16F;
  auto* const b = addresses.as<const void*>();
  const void* const* const a = b + products_.size();
  auto* const d = addresses.as<void*>() + 2 * products_.size();
  if (const cublasStatus_t status = set_stream(stream)) return status;
  return multiply_(handle_, operations_b_.data(), operations_a_.data(), columns_.data(),
                   rows_.data(), depths_.data(), alpha_.data(), b, type, leading_b_.data(), a, type,
                   leading_a_.data(), beta_.data(), d, type, columns_.data(),
                   static_cast<int>(sizes_.size()), sizes_.data(), CUBLAS_COMPUTE_32F);
}

void GroupedCublas::launch(const OperandSet& operands, cudaStream_t stream) {
  auto known = addresses_.find(operands.a);
  if (known == addresses_.end()) {
    known = addresses_.emplace(operands.a, on_device(addresses_of(operands))).first;
  }
  TW_CHECK(call(known->second, stream));
}

}  // namespace tilewright
