#include "gpu/contenders/peer_product.hpp"

#include "base/text.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "tile/plan/peer_store.hpp"

namespace tilewright {
namespace {

constexpr uint64_t kLimitNs = 2'000'000'000;  // of a wait for another GPU

std::vector<LoadedPlan> loaded_on(const PeerGroup& group, const std::vector<Plan>& plans,
                                  std::vector<KernelStore>& stores, KernelExtras extras) {
  std::vector<LoadedPlan> loaded;
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    const auto at = static_cast<size_t>(rank);
    loaded.push_back(stores[at].load(plans[at], extras));
  }
  return loaded;
}

bool gathers(const Plan& plan) {
  return plan.workload.parallel.collective == Collective::AllGather;
}

}  // namespace

PeerProduct::PeerProduct(const PeerGroup& group, const std::vector<Plan>& plans,
                         std::vector<KernelStore>& stores, KernelExtras extras)
    : group_(group),
      stores_(stores),
      loaded_(loaded_on(group, plans, stores, extras)),
      buffers_(group, peer_store(loaded_.front().plan), kLimitNs) {
  if (!gathers(plan())) return;
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    Copies& copies = copies_.emplace_back();
    TW_CHECK(cudaStreamCreateWithFlags(&copies.stream, cudaStreamNonBlocking));
    TW_CHECK(cudaEventCreateWithFlags(&copies.ready, cudaEventDisableTiming));
    TW_CHECK(cudaEventCreateWithFlags(&copies.done, cudaEventDisableTiming));
  }
}

PeerProduct::~PeerProduct() {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    cudaDeviceSynchronize();
    if (copies_.empty()) continue;
    const Copies& copies = copies_[static_cast<size_t>(rank)];
    cudaStreamDestroy(copies.stream);
    cudaEventDestroy(copies.ready);
    cudaEventDestroy(copies.done);
  }
}

void PeerProduct::copy_blocks(const PeerOperands& operands, size_t set, int rank) {
  const Plan& own = loaded_[static_cast<size_t>(rank)].plan;
  const tw::PeerBlocks& blocks = own.problems.front().map.peers;
  const PeerMemory& memory = buffers_.of(rank);
  const cudaStream_t stream = copies_[static_cast<size_t>(rank)].stream;
  const int64_t bytes = bytes_of_rows(own) / blocks.chunks;
  for (int visit = 0; visit < blocks.count(); ++visit) {
    const int block = tw::visited_block(blocks, visit);
    const int owner = tw::owner_of_block(blocks, block);
    if (owner == rank) continue;
    char* const to = static_cast<char*>(memory.gathered) + block * bytes;
    const char* const from =
        static_cast<const char*>(operands.share(set, owner).a) + (block % blocks.chunks) * bytes;
    TW_CHECK(cudaMemcpyPeerAsync(to, group_.device(rank), from, group_.device(owner),
                                 static_cast<size_t>(bytes), stream));
    TW_CHECK(cudaMemcpyAsync(memory.flags[rank] + block, &memory.state->next, sizeof(unsigned),
                             cudaMemcpyDeviceToDevice, stream));
  }
}

// The rows of a GPU may change once all others have copied them.
void PeerProduct::gather(const PeerOperands& operands, size_t set,
                         const std::vector<cudaStream_t>& streams) {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    const auto at = static_cast<size_t>(rank);
    TW_CHECK(cudaEventRecord(copies_[at].ready, streams[at]));
  }
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    const Copies& copies = copies_[static_cast<size_t>(rank)];
    for (const Copies& other : copies_) TW_CHECK(cudaStreamWaitEvent(copies.stream, other.ready));
    copy_blocks(operands, set, rank);
    TW_CHECK(cudaEventRecord(copies.done, copies.stream));
  }
}

void PeerProduct::launch_rank(const PeerOperands& operands, size_t set, int rank,
                              cudaStream_t stream) {
  const DeviceGuard guard(group_.device(rank));
  const auto at = static_cast<size_t>(rank);
  stores_[at].launch(
      loaded_[at],
      {.operands = operands.share(set, rank), .peers = &buffers_.of(rank), .stream = stream});
}

void PeerProduct::launch(const PeerOperands& operands, size_t set,
                         const std::vector<cudaStream_t>& streams) {
  if (!copies_.empty()) gather(operands, set, streams);
  for (int rank = 0; rank < group_.size(); ++rank) {
    launch_rank(operands, set, rank, streams[static_cast<size_t>(rank)]);
  }
  for (size_t rank = 0; rank < copies_.size(); ++rank) {
    const DeviceGuard guard(group_.device(static_cast<int>(rank)));
    for (const Copies& other : copies_) TW_CHECK(cudaStreamWaitEvent(streams[rank], other.done));
  }
}

std::string PeerProduct::why_lost() const {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const int lost = buffers_.lost_by(rank);
    if (lost < 0) continue;
    return format("GPU {} waited {} s for GPU {}, which sent nothing", rank,
                  kLimitNs / 1'000'000'000, lost);
  }
  return "";
}

}  // namespace tilewright
