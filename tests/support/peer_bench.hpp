// A product that ranks share, all on one GPU: each rank's launch has its share of the CTAs.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "gpu/contenders/peer_product.hpp"
#include "support/gpu_bench.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright::testing {

/// Ranks with memory, flags and streams of their own, as on several GPUs. Only the links between
/// them are missing.
class PeerBench {
 public:
  explicit PeerBench(const Workload& workload)
      : workload_(workload),
        group_(std::vector<int>(static_cast<size_t>(workload.parallel.gpus), 0)),
        kernels_(workload.kind.dtype, output_type(workload.kind), architecture(h200()),
                 test_cache()),
        operands_(group_, workload, 0, kSeed, kernels_),
        verifier_(whole_product(workload), operands_.whole(0), kSeed, kernels_) {
    for (int rank = 0; rank < group_.size(); ++rank) {
      stores_.emplace_back(architecture(h200()), test_cache());
      TW_CHECK(cudaStreamCreateWithFlags(&streams_.emplace_back(), cudaStreamNonBlocking));
    }
  }
  PeerBench(const PeerBench&) = delete;
  PeerBench& operator=(const PeerBench&) = delete;
  ~PeerBench() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
  }

  const DeviceSpec& device() const { return device_; }

  std::vector<Plan> plans_of(const TileConfig& config) const {
    const int64_t resident = make_plan(workload_, config, device_).resident;
    const int64_t unit = launch_cluster_size(config);
    return plans_of_ranks(workload_, config, device_,
                          {.ctas = resident / group_.size() / unit * unit});
  }

  /// Launches `count` times, one behind the other, and compares what the last one wrote.
  Verification run(const TileConfig& config, int count = 1, KernelExtras extras = {}) {
    PeerProduct product(group_, plans_of(config), stores_, extras);
    poison();
    for (int i = 0; i < count; ++i) product.launch(operands_, 0, streams_);
    return checked(product, config);
  }

  /// The same, all launches of one rank before those of the next one: each runs ahead as far as it
  /// can. The operands change after every two launches, so that each half changes with every use.
  /// Compares the last launch but one: the last one must not touch its data.
  Verification run_ahead(const TileConfig& config, int rounds, KernelExtras extras) {
    PeerProduct product(group_, plans_of(config), stores_, extras);
    poison();
    for (int rank = 0; rank < group_.size(); ++rank) {
      const auto launch = [&](size_t set) {
        product.launch_rank(operands_, set, rank, streams_[static_cast<size_t>(rank)]);
      };
      for (int round = 0; round < rounds; ++round) {
        for (const size_t set : {size_t{1}, size_t{1}, size_t{0}, size_t{0}}) launch(set);
      }
      launch(1);
    }
    return checked(product, config);
  }

  /// Launches on all ranks but one, and returns what the others report.
  std::string run_without(int rank, const TileConfig& config) {
    PeerProduct product(group_, plans_of(config), stores_);
    for (int other = 0; other < group_.size(); ++other) {
      if (other == rank) continue;
      product.launch_rank(operands_, 0, other, streams_[static_cast<size_t>(other)]);
    }
    TW_CHECK(cudaDeviceSynchronize());
    return product.why_lost();
  }

  /// The bytes of D on all GPUs, after a run.
  std::vector<unsigned char> output() const {
    const Workload whole = whole_product(workload_);
    const GemmShape& shape = whole.shapes.front();
    std::vector<unsigned char> bytes(static_cast<size_t>(
        shape.m * output_columns(whole.kind, shape.n) * bytes_of(output_type(whole.kind))));
    copy_to_host(bytes.data(), operands_.whole(0).d, bytes.size());
    return bytes;
  }

 private:
  static constexpr uint64_t kSeed = 7;

  void poison() {
    verifier_.poison();
    operands_.spread_output(0);
  }

  Verification checked(const PeerProduct& product, const TileConfig& config) {
    TW_CHECK(cudaDeviceSynchronize());
    operands_.collect_output(0);
    Verification verification = verifier_.check(
        workload_.kind.epilogue, config.peers.parts == DataType::F32 ? 1 : group_.size());
    for (const std::string& fault :
         {product.why_lost(), product.find_stray_write(), operands_.find_stray_write(0)}) {
      if (!fault.empty()) verification = {.ok = false, .rel_error = 0, .detail = fault};
    }
    return verification;
  }

  static DeviceSpec host() {
    DeviceSpec host = h200();
    host.gpus = tw::kMaxGpus;
    return host;
  }

  DeviceSpec device_ = host();
  Workload workload_;
  PeerGroup group_;
  DeviceKernels kernels_;
  PeerOperands operands_;
  WorkloadVerifier verifier_;
  std::vector<KernelStore> stores_;
  std::vector<cudaStream_t> streams_;
};

/// A workload of this collective over `gpus` GPUs.
inline Workload shared_product(Collective collective, int gpus, const GemmShape& whole,
                               ProductKind kind = {}) {
  Workload workload;
  workload.kind = kind;
  workload.parallel = {collective, gpus};
  return with_shapes(workload, {whole});
}

}  // namespace tilewright::testing
