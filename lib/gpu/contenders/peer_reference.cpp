#include "gpu/contenders/peer_reference.hpp"

#include "base/text.hpp"
#include "gpu/launch/device_guard.hpp"

namespace tilewright {
namespace {

// The product of one GPU by itself.
Workload product_of_gpu(const Workload& workload) {
  Workload own = workload;
  own.parallel = {};
  return own;
}

}  // namespace

PeerReference::PeerReference(const PeerGroup& group, const Workload& workload,
                             const std::string& architecture, const CubinCache& cache)
    : group_(group), workload_(workload) {
  if (!gathers() && !is_plain(workload.kind.epilogue)) {
    why_not_ = "cuBLASLt would apply the epilogue to each GPU's part of the sums";
    return;
  }
  nccl_ = Nccl::open(group, why_not_);
  if (nccl_ == nullptr) return;
  const Workload own = product_of_gpu(workload);
  const GemmShape& shape = own.shapes.front();
  const int64_t bytes = gathers() ? shape.m * shape.k * bytes_of(own.kind.dtype)
                                  : shape.m * shape.n * bytes_of(output_type(own.kind));
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    Own& made = own_.emplace_back();
    made.between = DeviceBuffer(static_cast<size_t>(bytes));
    made.product = std::make_unique<WorkloadReference>(own, architecture, cache);
  }
  for (const std::string& name : own_.front().product->names()) {
    names_.push_back(gathers() ? format("NCCL, then {}", name) : format("{}, then NCCL", name));
  }
}

std::string PeerReference::version() const {
  return nccl_ ? format("{} and {}", ReferenceLibrary::version(), nccl_->version()) : why_not_;
}

void PeerReference::multiply(int algorithm, const PeerOperands& operands, size_t set,
                             const std::vector<cudaStream_t>& streams) const {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    const auto at = static_cast<size_t>(rank);
    OperandSet own = operands.share(set, rank);
    if (gathers()) {
      own.a = own_[at].between.get();
    } else {
      own.d = own_[at].between.get();
    }
    own_[at].product->launch(algorithm, own, streams[at]);
  }
}

void PeerReference::exchange(const PeerOperands& operands, size_t set,
                             const std::vector<cudaStream_t>& streams) const {
  const GemmShape& shape = workload_.shapes.front();
  const int gpus = workload_.parallel.gpus;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int rank = 0; rank < group_.size(); ++rank) {
    const OperandSet& own = operands.share(set, rank);
    void* const between = own_[static_cast<size_t>(rank)].between.get();
    from.push_back(gathers() ? own.a : between);
    to.push_back(gathers() ? between : own.d);
  }
  const Collective collective = workload_.parallel.collective;
  const bool divides = collective != Collective::AllReduce;
  const int64_t rows = divides ? shape.m / gpus : shape.m;
  const DataType type = gathers() ? workload_.kind.dtype : output_type(workload_.kind);
  nccl_->enqueue(collective, type, rows * (gathers() ? shape.k : shape.n), from, to, streams);
}

void PeerReference::launch(int algorithm, const PeerOperands& operands, size_t set,
                           const std::vector<cudaStream_t>& streams) const {
  if (gathers()) exchange(operands, set, streams);
  multiply(algorithm, operands, set, streams);
  if (!gathers()) exchange(operands, set, streams);
}

}  // namespace tilewright
