#include "gpu/measure/cuda_runner.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/contenders/device_kernels.hpp"
#include "gpu/contenders/kernel_store.hpp"
#include "gpu/contenders/reference_library.hpp"
#include "gpu/launch/check.hpp"
#include "gpu/measure/activity_timer.hpp"
#include "gpu/measure/energy.hpp"
#include "gpu/measure/foreign_check.hpp"
#include "gpu/measure/l2_sweep.hpp"
#include "gpu/measure/launch_loop.hpp"
#include "gpu/measure/launch_metrics.hpp"
#include "gpu/measure/neighbour.hpp"
#include "gpu/measure/nvml.hpp"
#include "gpu/measure/prepared_launches.hpp"
#include "gpu/measure/range_profiler.hpp"
#include "stats/sample.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// In the form that regime_of() parses.
std::string regime_text(Regime regime, const std::string& bytes) {
  if (regime == Regime::Hot) {
    return format("hot: one launch a round behind one like it on the same operands, {} of sets",
                  bytes);
  }
  if (regime == Regime::Cold) {
    return format("cold: one launch a round behind a sweep of L2, rotating over {} of operands",
                  bytes);
  }
  return format("one launch a round, rotating over {} of operands", bytes);
}

constexpr const char* kAllAlgorithms = "best of all heuristic algorithms";

// The library's ways to compute the workload that are timed.
const char* references_text(const Workload& workload) {
  if (!is_group(workload)) return kAllAlgorithms;
  return is_batch(workload)
             ? "best of cublas/grouped, loops by the heuristic's choice and strided batches"
             : "best of cublas/grouped and of loops by the heuristic's choice";
}

// Samples clock and power while the device works, at most once in 5 ms.
class ClockSampler {
 public:
  explicit ClockSampler(const std::string& uuid) : monitor_(uuid) {}

  void sample() {
    constexpr std::chrono::milliseconds kFresh{5};
    const auto now = std::chrono::steady_clock::now();
    if (now - sampled_ < kFresh) return;
    sampled_ = now;
    sm_mhz_ = monitor_.sm_mhz();
    watts_ = monitor_.watts();
  }
  const GpuMonitor& monitor() const { return monitor_; }
  double sm_mhz() const { return sm_mhz_; }
  double watts() const { return watts_; }

 private:
  GpuMonitor monitor_;
  std::chrono::steady_clock::time_point sampled_;
  double sm_mhz_ = 0;
  double watts_ = 0;
};

class CudaRunner : public Runner {
 public:
  CudaRunner(int index, const DeviceSpec& spec, const CubinCache& cache, uint64_t seed,
             Regime regime, OpenHarnessFile open_manifest, std::optional<Beside> beside)
      : index_(index),
        spec_(spec),
        cache_(cache),
        seed_(seed),
        regime_(regime),
        beside_(beside),
        kernels_(architecture(spec), cache),
        foreign_(std::move(open_manifest)),
        sampler_(uuid_of_device(index)) {
    TW_CHECK(cudaSetDevice(index));
    TW_CHECK(cudaFree(nullptr));  // creates the context
  }

  const DeviceSpec& device() const override { return spec_; }

  void prepare(const Workload& workload) override {
    check_.reset();
    prepared_.reset();  // its memory first
    foreign_.begin(workload);
    const DataType output = output_type(workload.kind);
    const LaunchTools tools{
        spec_, kernels_, foreign_, cache_, [this]() -> const L2Sweep& { return sweep(); }, regime_};
    const DeviceKernels& device_kernels = this->device_kernels(workload.kind.dtype, output);
    prepared_.emplace(workload, tools, seed_, device_kernels);
    check_.emplace(prepared_->workload(), prepared_->operands(), prepared_->verifier(), seed_,
                   device_kernels, foreign_);
    prepare_neighbour(workload);
  }

  MeasuringMethod method() const override {
    const std::string bytes =
        prepared_ ? human_bytes(static_cast<double>(prepared_->operands().total_bytes())) : "no";
    return {
        .timer = "cupti-activity",
        .regime = regime_text(regime_, bytes),
        .data = format("uniform [-1, 1), seed {}", seed_),
        .reference = format("{}, 64 MiB workspace, {}", ReferenceLibrary::version(),
                            prepared_ ? references_text(prepared_->workload()) : kAllAlgorithms)};
  }

  std::vector<BuildResult> build(std::span<const TileConfig> configs) override {
    std::vector<Plan> plans;
    for (const TileConfig& config : configs) plans.push_back(prepared().plan_of(config));
    return kernels_.build(plans);
  }

  HarnessText describe(const std::string& file) override { return foreign_.describe(file); }

  std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) override {
    prepared();
    return foreign_.build(contenders);
  }

  ForeignMapping mapping_of(const Contender& contender) override {
    prepared();
    return foreign_.mapping_of(contender);
  }

  std::vector<Contender> reference_contenders() override {
    std::vector<Contender> contenders;
    for (const std::string& name : prepared().reference().names()) {
      contenders.push_back({.name = name,
                            .config = std::nullopt,
                            .reference_algorithm = static_cast<int>(contenders.size())});
    }
    return contenders;
  }

  LibraryAlgorithms library_algorithms() override { return prepared().reference().algorithms(); }

  Verification verify(const Contender& contender) override {
    PreparedLaunches& p = prepared();
    if (contender.foreign) {
      return spoiling_device([&] { return check_->verify(contender); });
    }
    const Epilogue& epilogue = p.workload().kind.epilogue;
    p.verifier().poison();
    if (!contender.config) {
      p.launch(contender, p.operands().set(0));
      return p.verifier().check(epilogue, p.roundings_of(contender));
    }
    const LoadedPlan& loaded = p.loaded_plan(*contender.config);
    kernels_.fill_red_zones(loaded);
    p.launch(contender, p.operands().set(0));
    TW_CHECK(cudaDeviceSynchronize());
    const std::string stray = kernels_.check_and_clear_red_zones(loaded);
    Verification verification = p.verifier().check(epilogue, output_roundings(loaded.plan));
    if (verification.ok && !stray.empty()) {
      verification.ok = false;
      verification.detail = stray;
    }
    return verification;
  }

  std::vector<LaunchTime> time_round(std::span<const Contender> contenders) override {
    return spoiling_device([&] { return time_launches(contenders); });
  }

  // Launches before the last one use other operands than the verified ones, if there are others.
  Verification verify_in_round(std::span<const Contender> contenders) override {
    return spoiling_device([&] { return verify_among(contenders); });
  }

  EnergyReading measure_energy(const Contender& contender, double seconds) override {
    PreparedLaunches& p = prepared();
    if (is_group(p.workload())) return {.why_not = "the energy of groups is not measured"};
    timer_.reset();  // it would keep a record of every launch
    if (regime_ == Regime::Cold)
      return {.why_not = "the energy counter would include the sweeps of L2"};
    return tilewright::measure_energy(sampler_.monitor(), seconds, [&](cudaStream_t stream) {
      p.launch(contender, p.next_operands(), stream);
    });
  }

  NeighbourRates measure_neighbour(std::span<const Contender> contenders) override {
    if (!neighbour_) return Runner::measure_neighbour(contenders);
    timer_.reset();  // it would keep a record of every launch
    PreparedLaunches& p = prepared();
    NeighbourRates rates;
    const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    rates.alone_gb_per_s = measure_rate(*neighbour_, wait);
    for (const Contender& contender : contenders) {
      const auto launch = [&](cudaStream_t stream) {
        p.launch(contender, p.next_operands(), stream);
      };
      // A group's launch may write tables from host memory, and a foreign one may do anything.
      LaunchLoop loop(launch, !is_group(p.workload()) && !contender.foreign);
      rates.beside_gb_per_s.push_back(measure_rate(*neighbour_, [&loop] { loop.advance(); }));
    }
    return rates;
  }

  std::vector<CounterReading> count(std::span<const Contender> contenders) override {
    timer_.reset();  // records and counters do not mix
    PreparedLaunches& p = prepared();
    const L2Sweep& swept = sweep();
    // Built and loaded, and their workspace allocated, before anything is counted.
    for (const Contender& contender : contenders) p.launch(contender, p.operands().next());
    TW_CHECK(cudaDeviceSynchronize());
    // Each launch follows a sweep of L2, so only the hot regime differs from the others.
    const auto counted_launch = [&](size_t i) { p.launch(contenders[i], p.next_operands()); };
    const LaunchReadings readings =
        read_launches(counter_metrics(), index_, swept, contenders.size(), counted_launch,
                      regime_ == Regime::Hot ? counted_launch : std::function<void(size_t)>());
    if (!readings.why_not.empty()) {
      return std::vector<CounterReading>(contenders.size(), {std::nullopt, readings.why_not});
    }
    std::vector<CounterReading> counted;
    for (const LaunchReading& reading : readings.launches) {
      counted.push_back({counters_of(reading.launch, reading.swept, readings.passes), ""});
    }
    return counted;
  }

  // A fault stays with the context, and so may what a foreign kernel did.
  bool is_usable() override { return !is_spoiled_ && cudaDeviceSynchronize() == cudaSuccess; }

  KernelTrace trace(const Contender& contender) override {
    if (!contender.config) throw internal_error("only tilewright's own kernels record a trace");
    constexpr KernelExtras kTraced{.trace = true};
    PreparedLaunches& p = prepared();
    const OperandSet& operands = p.operands().set(0);
    const LoadedPlan loaded = kernels_.load(p.plan_of(*contender.config), kTraced);
    std::vector<tw::TraceRecord> records(static_cast<size_t>(loaded.launch->trace_record_count()));
    const DeviceBuffer buffer(records.size() * sizeof(tw::TraceRecord));
    copy_to_device(buffer.get(), records.data(), buffer.bytes());
    if (regime_ == Regime::Cold) sweep().open();
    if (regime_ == Regime::Hot) p.launch(contender, operands);
    kernels_.launch(loaded, {.operands = operands, .trace = buffer.as<tw::TraceRecord>()});
    copy_to_host(records.data(), buffer.get(), buffer.bytes());
    KernelTrace trace;
    const tw::TraceRecord second = records.back();
    if (second.cta >= 0) trace.second = {second.start_ns, second.end_ns};
    records.pop_back();
    for (const tw::TraceRecord& r : records) {
      if (r.cta < 0) continue;
      trace.records.push_back({.cta = r.cta,
                               .sm = r.sm,
                               .slot = r.slot,
                               .m = r.m,
                               .n = r.n,
                               .inside = r.inside != 0,
                               .start_ns = r.start_ns,
                               .end_ns = r.end_ns,
                               .k_begin = r.k_begin,
                               .k_end = r.k_end,
                               .problem = r.problem});
    }
    return trace;
  }

  std::string timer_check() override;

 private:
  // What a foreign kernel failed at may be the device's state: whoever started this process then
  // starts another, and asks each contender by itself.
  template <typename Work>
  std::invoke_result_t<Work> spoiling_device(const Work& work) {
    try {
      return work();
    } catch (const Error&) {
      is_spoiled_ = is_spoiled_ || !foreign_.is_idle();
      throw;
    }
  }

  std::vector<LaunchTime> time_launches(std::span<const Contender> contenders) {
    PreparedLaunches& p = prepared();
    p.settle(contenders, timer());
    NeighbourRun beside(neighbour());
    const size_t untimed = beside.kernels() + p.start_round(contenders);
    p.launch_next(contenders.back());
    p.release();
    sampler_.sample();
    beside.end();
    const std::vector<KernelActivity> kernels = timer().take();
    std::vector<LaunchTime> times;
    for (const double us : p.times_of(contenders, kernels, untimed)) {
      times.push_back({.us = us, .sm_mhz = sampler_.sm_mhz(), .watts = sampler_.watts()});
    }
    return times;
  }

  Verification verify_among(std::span<const Contender> contenders) {
    PreparedLaunches& p = prepared();
    const Contender& last = contenders.back();
    const OperandSet& verified = p.operands().set(0);
    p.settle(contenders, timer());
    p.verifier().poison();
    NeighbourRun beside(neighbour());
    p.start_round(contenders, &verified);
    if (p.operands().set_count() == 1) p.verifier().poison();
    p.launch(last, verified);
    p.release();
    beside.end();
    TW_CHECK(cudaDeviceSynchronize());
    timer().take();
    return p.verifier().check(p.workload().kind.epilogue, p.roundings_of(last));
  }

  PreparedLaunches& prepared() {
    if (!prepared_) throw internal_error("the runner has no prepared problem");
    return *prepared_;
  }

  void prepare_neighbour(const Workload& workload) {
    if (!beside_) return;
    const Beside beside = beside_of(*beside_, workload, spec_);
    if (neighbour_ && neighbour_->beside() == beside) return;
    neighbour_.reset();  // its memory first
    neighbour_.emplace(beside, spec_, cache_);
  }

  Neighbour* neighbour() { return neighbour_ ? &*neighbour_ : nullptr; }

  ActivityTimer& timer() {
    if (!timer_) timer_.emplace();
    return *timer_;
  }

  const L2Sweep& sweep() {
    if (!sweep_) sweep_.emplace(spec_, cache_);
    return *sweep_;
  }

  const DeviceKernels& device_kernels(DataType dtype, DataType output) {
    const std::pair key(dtype, output);
    const auto at = device_kernels_.find(key);
    if (at != device_kernels_.end()) return at->second;
    return device_kernels_.try_emplace(key, dtype, output, architecture(spec_), cache_)
        .first->second;
  }

  int index_;
  DeviceSpec spec_;
  CubinCache cache_;
  uint64_t seed_;
  Regime regime_;
  std::optional<Beside> beside_;
  KernelStore kernels_;
  std::map<std::pair<DataType, DataType>, DeviceKernels> device_kernels_;
  ForeignKernels foreign_;
  std::optional<PreparedLaunches> prepared_;
  std::optional<ForeignCheck> check_;  // of what is prepared
  bool is_spoiled_ = false;            // by a foreign kernel: this process is to end
  ClockSampler sampler_;
  std::optional<ActivityTimer> timer_;
  std::optional<L2Sweep> sweep_;
  std::optional<Neighbour> neighbour_;
};

// The known kernel is the random fill: pure writes, long enough to make an event's resolution
// negligible.
std::string CudaRunner::timer_check() {
  constexpr int kLaunches = 20;
  constexpr int64_t kElements = int64_t{64} << 20;
  constexpr uint64_t kDelayNs = 2'000'000;  // longer than enqueueing all launches
  const DeviceKernels& kernels = device_kernels(DataType::BF16, DataType::BF16);
  const DeviceBuffer buffer(static_cast<size_t>(kElements) * 2);
  const auto launch_all = [&] {
    for (int i = 0; i < kLaunches; ++i) kernels.fill_operand(buffer.get(), kElements, seed_);
  };
  timer_.reset();
  launch_all();
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  TW_CHECK(cudaEventCreate(&start));
  TW_CHECK(cudaEventCreate(&stop));
  kernels.delay(kDelayNs);
  TW_CHECK(cudaEventRecord(start));
  launch_all();
  TW_CHECK(cudaEventRecord(stop));
  TW_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  TW_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  TW_CHECK(cudaEventDestroy(start));
  TW_CHECK(cudaEventDestroy(stop));
  timer_.emplace();
  timer_->take();
  launch_all();
  std::vector<double> times;
  for (const KernelActivity& kernel : timer_->take()) times.push_back(span_us({&kernel, 1}));
  if (times.empty()) throw environment_error("CUPTI records no kernels; timing needs them");
  const double activity_us = median(times);
  const double event_us = static_cast<double>(milliseconds) * 1e3 / kLaunches;
  return format(
      "timer check: CUPTI activity {:.2f} us, CUDA events behind a blocking start {:.2f} us "
      "a launch ({:+.1f} %)",
      activity_us, event_us, 100 * (event_us / activity_us - 1));
}

}  // namespace

std::unique_ptr<Runner> make_cuda_runner(int index, const DeviceSpec& spec, const CubinCache& cache,
                                         uint64_t seed, Regime regime,
                                         OpenHarnessFile open_manifest,
                                         std::optional<Beside> beside) {
  return std::make_unique<CudaRunner>(index, spec, cache, seed, regime, std::move(open_manifest),
                                      beside);
}

}  // namespace tilewright
