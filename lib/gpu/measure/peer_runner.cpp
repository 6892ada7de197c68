#include "gpu/measure/peer_runner.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/peer_meeting.hpp"
#include "gpu/contenders/peer_product.hpp"
#include "gpu/contenders/peer_reference.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "gpu/measure/activity_timer.hpp"
#include "gpu/measure/verifier.hpp"

namespace tilewright {
namespace {

// One stream on each GPU.
class PeerStreams {
 public:
  explicit PeerStreams(const PeerGroup& group) : group_(group) {
    for (int rank = 0; rank < group.size(); ++rank) {
      const DeviceGuard guard(group.device(rank));
      TW_CHECK(cudaFree(nullptr));  // creates the context
      TW_CHECK(cudaStreamCreateWithFlags(&streams_.emplace_back(), cudaStreamNonBlocking));
    }
  }
  PeerStreams(const PeerStreams&) = delete;
  PeerStreams& operator=(const PeerStreams&) = delete;
  ~PeerStreams() {
    for (int rank = 0; rank < group_.size(); ++rank) {
      const DeviceGuard guard(group_.device(rank));
      cudaStreamDestroy(streams_[static_cast<size_t>(rank)]);
    }
  }
  const std::vector<cudaStream_t>& all() const { return streams_; }
  void synchronize() const {
    for (int rank = 0; rank < group_.size(); ++rank) {
      const DeviceGuard guard(group_.device(rank));
      TW_CHECK(cudaDeviceSynchronize());
    }
  }

 private:
  const PeerGroup& group_;
  std::vector<cudaStream_t> streams_;
};

// What is made for one workload.
struct PreparedPeers {
  PreparedPeers(const PeerGroup& group, const Workload& shared, int64_t least_bytes, uint64_t seed,
                const DeviceKernels& kernels, const std::string& architecture,
                const CubinCache& cache)
      : workload(shared),
        operands(group, workload, least_bytes, seed, kernels),
        verifier(whole_product(workload), operands.whole(0), seed, kernels),
        reference(group, workload, architecture, cache) {}

  Workload workload;
  PeerOperands operands;
  WorkloadVerifier verifier;  // of the whole product, on the first GPU
  PeerReference reference;
  std::map<std::string, std::unique_ptr<PeerProduct>> products;  // by config
};

class PeerRunner : public Runner {
 public:
  PeerRunner(std::vector<int> devices, const DeviceSpec& spec, const CubinCache& cache,
             uint64_t seed)
      : spec_(spec),
        cache_(cache),
        seed_(seed),
        group_(std::move(devices)),
        streams_(group_),
        meeting_(group_, build_cubin({.file = "tools/meet.cu", .config_header = ""},
                                     architecture(spec), cache)) {
    TW_CHECK(cudaSetDevice(group_.device(0)));
    for (int rank = 0; rank < group_.size(); ++rank) {
      stores_.emplace_back(architecture(spec), cache);
    }
  }

  ~PeerRunner() override {
    prepared_.reset();
    for (int rank = group_.size() - 1; rank > 0; --rank) {
      const DeviceGuard guard(group_.device(rank));
      stores_.pop_back();
    }
  }

  const DeviceSpec& device() const override { return spec_; }

  void prepare(const Workload& workload) override {
    prepared_.reset();  // its memory first
    const DataType output = output_type(workload.kind);
    const std::pair key(workload.kind.dtype, output);
    const DeviceKernels& kernels =
        kernels_.try_emplace(key, key.first, output, architecture(spec_), cache_).first->second;
    constexpr int64_t kRotations = 2;  // of L2, by each GPU's shares
    const int64_t least = kRotations * group_.size() * spec_.l2_bytes;
    prepared_.emplace(group_, workload, least, seed_, kernels, architecture(spec_), cache_);
  }

  MeasuringMethod method() const override {
    const double bytes = prepared_ ? static_cast<double>(prepared_->operands.total_bytes()) : 0;
    return {
        .timer = "cupti-activity",
        .regime = format("one launch a round on {} GPUs, which begin together, rotating over {} "
                         "of operands; the time of the slowest",
                         group_.size(), human_bytes(bytes)),
        .data = format("uniform [-1, 1), seed {}", seed_),
        .reference = prepared_ ? prepared_->reference.version() : ""};
  }

  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    std::vector<Plan> plans;
    for (const TileConfig& config : configs) {
      plans.push_back(make_plan(prepared().workload, config, spec_));
    }
    return stores_.front().build(plans);
  }

  std::vector<Contender> reference_contenders() override {
    std::vector<Contender> contenders;
    for (const std::string& name : prepared().reference.names()) {
      contenders.push_back({.name = name,
                            .config = std::nullopt,
                            .reference_algorithm = static_cast<int>(contenders.size())});
    }
    return contenders;
  }

  Verification verify(const Contender& contender) override { return verified({&contender, 1}); }

  Verification verify_in_round(std::span<const Contender> contenders) override {
    return verified(contenders);
  }

  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    for (const Contender& contender : contenders) load(contender);
    timer().take();
    for (const Contender& contender : contenders) {
      meeting_.enqueue(streams_.all());
      launch(contender, next_set());
      meeting_.release();
    }
    streams_.synchronize();
    return times_of(contenders, timer().take());
  }

  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    return std::vector<CounterReading>(
        contenders.size(), {std::nullopt, "counters of launches across GPUs are not read"});
  }

  KernelTrace trace(const Contender&) override {
    throw usage_error("launches across GPUs record no trace");
  }

  std::string timer_check() override { return ""; }

 private:
  PreparedPeers& prepared() {
    if (!prepared_) throw internal_error("the runner has no prepared problem");
    return *prepared_;
  }

  ActivityTimer& timer() {
    if (!timer_) timer_.emplace();
    return *timer_;
  }

  size_t next_set() {
    set_ = (set_ + 1) % prepared().operands.set_count();
    return set_;
  }

  PeerProduct& product_of(const TileConfig& config) {
    std::unique_ptr<PeerProduct>& product = prepared().products[to_string(config)];
    if (!product) {
      product = std::make_unique<PeerProduct>(
          group_, plans_of_ranks(prepared().workload, config, spec_), stores_);
    }
    return *product;
  }

  void load(const Contender& contender) {
    if (contender.config) product_of(*contender.config);
  }

  void launch(const Contender& contender, size_t set) {
    PreparedPeers& p = prepared();
    if (contender.config) {
      product_of(*contender.config).launch(p.operands, set, streams_.all());
    } else {
      p.reference.launch(contender.reference_algorithm, p.operands, set, streams_.all());
    }
  }

  // Launches all, and compares what the last one wrote.
  Verification verified(std::span<const Contender> contenders) {
    PreparedPeers& p = prepared();
    for (const Contender& contender : contenders) load(contender);
    p.verifier.poison();
    p.operands.spread_output(0);
    for (size_t i = 0; i + 1 < contenders.size(); ++i) {
      launch(contenders[i], p.operands.set_count() > 1 ? 1 : 0);
    }
    const Contender& last = contenders.back();
    if (contenders.size() > 1 && p.operands.set_count() == 1) {
      streams_.synchronize();
      p.verifier.poison();
      p.operands.spread_output(0);
    }
    launch(last, 0);
    streams_.synchronize();
    p.operands.collect_output(0);
    const int roundings = last.config ? roundings_of(*last.config) : group_.size();
    Verification verification = p.verifier.check(p.workload.kind.epilogue, roundings);
    std::string stray = p.operands.find_stray_write(0);
    if (last.config) {
      const PeerProduct& product = product_of(*last.config);
      if (stray.empty()) stray = product.find_stray_write();
      if (const std::string lost = product.why_lost(); !lost.empty()) stray = lost;
    }
    if (stray.empty()) return verification;
    return {.ok = false, .rel_error = verification.rel_error, .detail = stray};
  }

  // Parts of D's type are rounded on their way.
  int roundings_of(const TileConfig& config) const {
    return config.peers.parts == DataType::F32 ? 1 : group_.size();
  }

  // On each GPU a contender's kernels follow its meeting.
  std::vector<LaunchTime> times_of(std::span<const Contender> contenders,
                                   const std::vector<KernelActivity>& kernels) const {
    std::vector<LaunchTime> times(contenders.size());
    for (int rank = 0; rank < group_.size(); ++rank) {
      size_t met = 0;
      uint64_t begin_ns = 0;
      for (const KernelActivity& kernel : kernels) {
        if (kernel.device != group_.device(rank)) continue;
        if (kernel.name == kMeet) {
          ++met;
          begin_ns = kernel.end_ns;
          continue;
        }
        if (met == 0 || met > times.size()) continue;
        double& us = times[met - 1].us;
        us = std::max(us, static_cast<double>(kernel.end_ns - begin_ns) * 1e-3);
      }
      if (met == times.size()) continue;
      throw environment_error(
          format("CUPTI recorded {} of {} launches on GPU {}", met, times.size(), rank));
    }
    return times;
  }

  DeviceSpec spec_;
  CubinCache cache_;
  uint64_t seed_;
  PeerGroup group_;
  PeerStreams streams_;
  PeerMeeting meeting_;
  std::vector<KernelStore> stores_;                                 // by rank
  std::map<std::pair<DataType, DataType>, DeviceKernels> kernels_;  // of the first GPU
  std::optional<PreparedPeers> prepared_;
  std::optional<ActivityTimer> timer_;
  size_t set_ = 0;
};

}  // namespace

std::unique_ptr<Runner> make_peer_runner(std::vector<int> devices, const DeviceSpec& spec,
                                         const CubinCache& cache, uint64_t seed) {
  return std::make_unique<PeerRunner>(std::move(devices), spec, cache, seed);
}

}  // namespace tilewright
