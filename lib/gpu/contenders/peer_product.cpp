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

}  // namespace

PeerProduct::PeerProduct(const PeerGroup& group, const std::vector<Plan>& plans,
                         std::vector<KernelStore>& stores, KernelExtras extras)
    : group_(group),
      stores_(stores),
      loaded_(loaded_on(group, plans, stores, extras)),
      buffers_(group, peer_store(loaded_.front().plan), kLimitNs) {
  for (int rank = 0; rank < group.size(); ++rank) {
    const DeviceGuard guard(group.device(rank));
    Sender& sender = senders_.emplace_back();
    sender.sent = sent_rows(loaded_[static_cast<size_t>(rank)].plan);
    if (sender.sent.blocks.empty()) continue;
    sender.copies = std::make_unique<PeerCopies>(buffers_.of(rank));
  }
}

PeerProduct::~PeerProduct() {
  for (int rank = 0; rank < group_.size(); ++rank) {
    const DeviceGuard guard(group_.device(rank));
    cudaDeviceSynchronize();
  }
}

void PeerProduct::launch_rank(const PeerOperands& operands, size_t set, int rank,
                              cudaStream_t stream) {
  const DeviceGuard guard(group_.device(rank));
  const auto at = static_cast<size_t>(rank);
  const OperandSet& share = operands.share(set, rank);
  Sender& sender = senders_[at];
  ++sender.launches;
  if (sender.copies) sender.copies->begin(sender.sent, share.a, sender.launches, stream);
  stores_[at].launch(loaded_[at],
                     {.operands = share, .peers = &buffers_.of(rank), .stream = stream});
  if (sender.copies) sender.copies->join(stream);
}

void PeerProduct::launch(const PeerOperands& operands, size_t set,
                         const std::vector<cudaStream_t>& streams) {
  for (int rank = 0; rank < group_.size(); ++rank) {
    launch_rank(operands, set, rank, streams[static_cast<size_t>(rank)]);
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
