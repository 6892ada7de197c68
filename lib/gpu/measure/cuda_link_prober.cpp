#include "gpu/measure/cuda_link_prober.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/parallel_compiler.hpp"
#include "gpu/contenders/memory.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/launch/device_guard.hpp"
#include "gpu/launch/loaded_kernel.hpp"
#include "gpu/launch/peer_group.hpp"
#include "stats/sample.hpp"

namespace tilewright {
namespace {

constexpr int kLinkRuns = 7;
constexpr int kMaxLinkRuns = 3 * kLinkRuns;
constexpr int64_t kProbedBytes = int64_t{256} << 20;
constexpr int64_t kCtaBytes = int64_t{32} << 20;  // of one CTA alone
constexpr int64_t kLinkVectorBytes = 16;
constexpr int kVectorThreads = 1024;
constexpr int64_t kLinkPieceBytes = 8192;
constexpr int kPieceThreads = 128;
constexpr size_t kWordsBytes = 1024;  // the flag, then the results of a kernel
constexpr size_t kResultsAt = 512;

using Stream = std::unique_ptr<CUstream_st, decltype(&cudaStreamDestroy)>;
using Event = std::unique_ptr<CUevent_st, decltype(&cudaEventDestroy)>;
using HostWord = std::unique_ptr<unsigned, decltype(&cudaFreeHost)>;

Stream make_stream() {
  cudaStream_t stream = nullptr;
  TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return {stream, cudaStreamDestroy};
}

Event make_event() {
  cudaEvent_t event = nullptr;
  TW_CHECK(cudaEventCreate(&event));
  return {event, cudaEventDestroy};
}

// Host memory that every GPU reads.
HostWord make_word() {
  void* memory = nullptr;
  TW_CHECK(cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped | cudaHostAllocPortable));
  return {static_cast<unsigned*>(memory), cudaFreeHost};
}

// The current device with its buffers, its stream, and the events around what is timed there.
struct Gpu {
  int index = current_device();
  DeviceBuffer target{static_cast<size_t>(kProbedBytes)};
  DeviceBuffer source{static_cast<size_t>(kProbedBytes)};
  DeviceBuffer words{kWordsBytes};
  Stream stream = make_stream();
  Event begin = make_event();
  Event end = make_event();
};

void zero_now(const DeviceBuffer& buffer, size_t bytes) {
  TW_CHECK(cudaMemset(buffer.get(), 0, bytes));
  TW_CHECK(cudaDeviceSynchronize());
}

Gpu open_gpu(int index) {
  const DeviceGuard guard(index);
  TW_CHECK(cudaFree(nullptr));  // creates the context
  Gpu gpu;
  for (const DeviceBuffer* buffer : {&gpu.target, &gpu.source, &gpu.words}) {
    zero_now(*buffer, buffer->bytes());
  }
  return gpu;
}

bool is_by_vectors(LinkAccess access) {
  return access == LinkAccess::VectorStore || access == LinkAccess::VectorLoad;
}

// Microseconds on the GPU of each flow, and on the host from the start of all to the last end.
struct FlowTimes {
  std::vector<double> us;
  double all_us = 0;
};

// True if the flows ran side by side for most of their time. Events of different GPUs have no
// common clock, so that a flow's late start shows in the host's time alone; in brief runs this is
// mostly the host's own.
bool is_side_by_side(const FlowTimes& times) {
  constexpr double kBriefUs = 500;
  constexpr double kMaxShare = 1.5;
  const auto [shortest, longest] = std::minmax_element(times.us.begin(), times.us.end());
  if (*longest < kBriefUs) return true;
  return *shortest * kMaxShare >= *longest && times.all_us <= *longest * kMaxShare;
}

class CudaLinkProber : public LinkProber {
 public:
  CudaLinkProber(std::span<const int> gpus, const DeviceSpec& spec, const std::string& cubin,
                 const std::string& delay_cubin)
      : group_(std::vector<int>(gpus.begin(), gpus.end())),
        sm_count_(spec.sm_count),
        hold_(delay_cubin, "hold"),
        store_vectors_(cubin, "store_vectors"),
        load_vectors_(cubin, "load_vectors"),
        store_pieces_(cubin, "store_pieces"),
        add_pieces_(cubin, "add_pieces"),
        pass_flag_(cubin, "pass_flag") {
    gpus_.reserve(gpus.size());
    for (const int gpu : gpus) gpus_.push_back(open_gpu(gpu));
  }

  double access_bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows) override {
    constexpr int kVectorCtas = 2;  // a multiprocessor
    const int ctas = is_by_vectors(access) ? kVectorCtas * sm_count_ : sm_count_;
    return bytes_per_us(access, flows, ctas, kProbedBytes);
  }

  double cta_bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows) override {
    return bytes_per_us(access, flows, 1, kCtaBytes);
  }

  double copy_us(int64_t bytes, std::span<const LinkFlow> flows) override {
    return slowest_us(flows, [bytes](const Gpu& gpu, const Gpu& peer) {
      TW_CHECK(cudaMemcpyPeerAsync(peer.target.get(), peer.index, gpu.source.get(), gpu.index,
                                   static_cast<size_t>(bytes), gpu.stream.get()));
    });
  }

  double flag_us(LinkFlow pair) override {
    constexpr unsigned kUntimed = 100;
    constexpr unsigned kTrips = 1000;
    pass_flag(pair, 0, 0);  // loads the kernel on both GPUs, so that no load waits for a poll
    std::vector<double> us;
    us.reserve(kLinkRuns);
    for (int run = 0; run < kLinkRuns; ++run) {
      us.push_back(pass_flag(pair, kUntimed, kUntimed + kTrips) * 1e-3 / (2 * kTrips));
    }
    return median(us);
  }

  AddProbe add_at_once(LinkFlow pair) override {
    constexpr int kPieces = 32;
    constexpr int kFromPeer = 16;  // passes over the pieces by each CTA
    constexpr int kFromOwn = 64;   // more of them, because they are faster
    constexpr size_t kSumBytes = kPieces * kLinkPieceBytes;
    const Gpu& owner = gpu(pair.peer);
    for (int run = 0; run < 2; ++run) {  // the first loads the kernel
      const DeviceGuard guard(owner.index);
      zero_now(owner.target, kSumBytes);
      time_flows(std::array{pair, LinkFlow{pair.peer, pair.peer}},
                 [&](const Gpu& own, const Gpu& peer) {
                   const int passes = own.index == peer.index ? kFromOwn : kFromPeer;
                   launch_pieces(add_pieces_, own, peer, sm_count_,
                                 {.pieces = kPieces, .stride = 1, .count = kPieces * passes});
                 });
    }
    std::vector<float> sums(kSumBytes / sizeof(float));
    copy_to_host(sums.data(), owner.target.get(), kSumBytes);
    const int64_t each = int64_t{sm_count_} * (kFromPeer + kFromOwn);  // exact in fp32
    AddProbe probe{.added_count = each * std::ssize(sums), .lost_count = 0};
    for (const float sum : sums) {
      probe.lost_count += std::llabs(each - static_cast<int64_t>(std::llround(sum)));
    }
    return probe;
  }

 private:
  using Launch = std::function<void(const Gpu& gpu, const Gpu& peer)>;

  // What a CTA of store_pieces or add_pieces walks.
  struct PieceWalk {
    int pieces = 0;
    int stride = 0;
    int count = 0;
  };

  const Gpu& gpu(int index) const {
    const auto found = std::find_if(gpus_.begin(), gpus_.end(),
                                    [index](const Gpu& gpu) { return gpu.index == index; });
    if (found == gpus_.end()) throw internal_error(format("cuda:{} is not probed", index));
    return *found;
  }

  // Every GPU's stream waits for one word of the host, so that all flows start together.
  FlowTimes time_flows(std::span<const LinkFlow> flows, const Launch& launch) {
    unsigned long long most_ns = 50'000'000;  // should the host stop before it releases them
    const unsigned* released = released_.get();
    void* arguments[] = {&released, &most_ns};
    std::atomic_ref(*released_).store(0);
    for (const LinkFlow& flow : flows) {
      const Gpu& own = gpu(flow.gpu);
      const DeviceGuard guard(own.index);
      hold_.launch({}, arguments, own.stream.get());
      TW_CHECK(cudaEventRecord(own.begin.get(), own.stream.get()));
      launch(own, gpu(flow.peer));
      TW_CHECK(cudaEventRecord(own.end.get(), own.stream.get()));
    }
    const auto start = std::chrono::steady_clock::now();
    std::atomic_ref(*released_).store(1);
    for (const LinkFlow& flow : flows) {
      TW_CHECK(cudaStreamSynchronize(gpu(flow.gpu).stream.get()));
    }
    const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - start;
    FlowTimes times{.us = {}, .all_us = all.count()};
    for (const LinkFlow& flow : flows) {
      float ms = 0;
      TW_CHECK(cudaEventElapsedTime(&ms, gpu(flow.gpu).begin.get(), gpu(flow.gpu).end.get()));
      times.us.push_back(double{ms} * 1e3);
    }
    return times;
  }

  double slowest_us(std::span<const LinkFlow> flows, const Launch& launch) {
    time_flows(flows, launch);  // loads the kernels, and raises the clocks
    std::vector<double> us;
    for (int run = 0; run < kMaxLinkRuns && us.size() < kLinkRuns; ++run) {
      const FlowTimes times = time_flows(flows, launch);
      if (!is_side_by_side(times)) continue;
      us.push_back(*std::max_element(times.us.begin(), times.us.end()));
    }
    if (us.size() == kLinkRuns) return median(us);
    throw environment_error(
        format("of {} runs on {} GPUs only {} ran side by side: measure again on an idle host",
               kMaxLinkRuns, flows.size(), us.size()));
  }

  double bytes_per_us(LinkAccess access, std::span<const LinkFlow> flows, int ctas, int64_t bytes) {
    if (is_by_vectors(access)) {
      const double us = slowest_us(flows, [&](const Gpu& gpu, const Gpu& peer) {
        access == LinkAccess::VectorStore ? launch_stores(gpu, peer, ctas, bytes)
                                          : launch_loads(gpu, peer, ctas, bytes);
      });
      return static_cast<double>(bytes) / us;
    }
    const auto pieces = static_cast<int>(bytes / kLinkPieceBytes);
    const PieceWalk walk{.pieces = pieces, .stride = ctas, .count = pieces / ctas};
    const LoadedKernel& kernel = access == LinkAccess::BulkAdd ? add_pieces_ : store_pieces_;
    const double us = slowest_us(flows, [&](const Gpu& gpu, const Gpu& peer) {
      launch_pieces(kernel, gpu, peer, ctas, walk);
    });
    return static_cast<double>(int64_t{ctas} * walk.count * kLinkPieceBytes) / us;
  }

  void launch_stores(const Gpu& gpu, const Gpu& peer, int ctas, int64_t bytes) const {
    void* to = peer.target.get();
    auto count = static_cast<long long>(bytes / kLinkVectorBytes);
    void* arguments[] = {&to, &count};
    store_vectors_.launch({.ctas = ctas, .threads = kVectorThreads}, arguments, gpu.stream.get());
  }

  void launch_loads(const Gpu& gpu, const Gpu& peer, int ctas, int64_t bytes) const {
    const void* from = peer.source.get();
    auto count = static_cast<long long>(bytes / kLinkVectorBytes);
    unsigned* sink = gpu.words.as<unsigned>() + kResultsAt / sizeof(unsigned);
    void* arguments[] = {&from, &count, &sink};
    load_vectors_.launch({.ctas = ctas, .threads = kVectorThreads}, arguments, gpu.stream.get());
  }

  static void launch_pieces(const LoadedKernel& kernel, const Gpu& gpu, const Gpu& peer, int ctas,
                            PieceWalk walk) {
    float* to = peer.target.as<float>();
    void* arguments[] = {&to, &walk.pieces, &walk.stride, &walk.count};
    kernel.launch({.ctas = ctas, .threads = kPieceThreads}, arguments, gpu.stream.get());
  }

  // Nanoseconds of the trips after the first `untimed`, on the GPU that begins.
  double pass_flag(LinkFlow pair, unsigned untimed, unsigned trips) {
    const std::array<const Gpu*, 2> both = {&gpu(pair.gpu), &gpu(pair.peer)};
    for (const Gpu* gpu : both) {
      const DeviceGuard guard(gpu->index);
      zero_now(gpu->words, kWordsBytes);
    }
    launch_flag(*both[0], *both[1], true, untimed, trips);
    launch_flag(*both[1], *both[0], false, untimed, trips);
    for (const Gpu* gpu : both) TW_CHECK(cudaStreamSynchronize(gpu->stream.get()));
    std::array<unsigned long long, 2> result{};
    copy_to_host(result.data(), both[0]->words.as<char>() + kResultsAt, sizeof(result));
    if (result[1] != trips) {
      throw environment_error(
          format("the flag between cuda:{} and cuda:{} did not arrive on trip {} of {}", pair.gpu,
                 pair.peer, result[1] + 1, trips));
    }
    return static_cast<double>(result[0]);
  }

  void launch_flag(const Gpu& own, const Gpu& peer, bool is_first, unsigned untimed,
                   unsigned trips) const {
    const DeviceGuard guard(own.index);
    const unsigned* polled = own.words.as<unsigned>();
    unsigned* written = peer.words.as<unsigned>();
    int begins = is_first ? 1 : 0;
    unsigned max_polls = 1U << 22;  // some seconds
    auto* result = reinterpret_cast<unsigned long long*>(own.words.as<char>() + kResultsAt);
    void* arguments[] = {&polled, &written, &begins, &untimed, &trips, &max_polls, &result};
    pass_flag_.launch({}, arguments, own.stream.get());
  }

  PeerGroup group_;  // its memory stays mapped
  int sm_count_;
  LoadedKernel hold_;
  LoadedKernel store_vectors_;
  LoadedKernel load_vectors_;
  LoadedKernel store_pieces_;
  LoadedKernel add_pieces_;
  LoadedKernel pass_flag_;
  std::vector<Gpu> gpus_;
  HostWord released_ = make_word();
};

}  // namespace

std::unique_ptr<LinkProber> make_cuda_link_prober(std::span<const int> gpus, const DeviceSpec& spec,
                                                  const CubinCache& cache) {
  if (spec.compute_major != 9) {
    throw environment_error(
        format("the probes of links need compute capability 9.0, and {} has {}.{}: start from its "
               "preset",
               spec.name, spec.compute_major, spec.compute_minor));
  }
  TW_CHECK(cudaSetDevice(gpus.front()));
  TW_CHECK(cudaFree(nullptr));  // creates the context
  const std::string target = architecture(spec);
  const std::string cubin =
      build_cubin({.file = "tools/links.cu", .config_header = ""}, target, cache);
  const std::string delay =
      build_cubin({.file = "tools/delay.cu", .config_header = ""}, target, cache);
  return std::make_unique<CudaLinkProber>(gpus, spec, cubin, delay);
}

}  // namespace tilewright
