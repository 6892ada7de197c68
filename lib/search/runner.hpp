// The interfaces between the search and the machine: one compiles kernels, one runs them.
//
// lib/gpu implements both on CUDA; the tests implement them with made-up numbers. The search, the
// gate and the benches use a GPU only through them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/foreign_config.hpp"
#include "search/library_pin.hpp"
#include "search/measuring_method.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The compiler's result for one config. `reason` is empty if the kernel may run.
struct BuildResult {
  std::string reason;  // "spills 16 bytes", "C7510: ..."; such a kernel is never run
  int registers = 0;   // per thread, at launch
  int spill_bytes = 0;
  int smem_bytes = 0;  // dynamic, of the launch
  bool cached = false;
  bool ok() const { return reason.empty(); }
  bool operator==(const BuildResult&) const = default;
};

/// Compiles configs to machine code; needs no GPU.
class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  /// Returns one result per plan, in order; compiles in parallel and through the cache.
  /// `architecture` as in device_spec.hpp.
  virtual std::vector<BuildResult> build(std::span<const Plan> plans,
                                         const std::string& architecture) = 0;
};

/// One thing that can compute the prepared problem: a config of ours or a foreign one, or an
/// algorithm of the reference library.
struct Contender {
  std::string name;                           // unique within a problem; for reports
  std::optional<TileConfig> config;           // ours
  int reference_algorithm = -1;               // else its index in reference_contenders()
  std::optional<ForeignConfig> foreign = {};  // else a foreign one
  bool operator==(const Contender&) const = default;
};

/// True for an algorithm of the reference library.
inline bool is_reference(const Contender& contender) {
  return !contender.config && !contender.foreign;
}

/// What a foreign library reports about itself, or why it reports nothing.
struct HarnessText {
  std::string json;   // in the format of presets/harness/tilewright_harness.h
  std::string build;  // hash of the file's bytes
  bool maps = false;  // it reports which tile a slot computes
  std::string why_not = {};
  bool operator==(const HarnessText&) const = default;
};

/// What a CTA of a foreign config occupies on its multiprocessor.
struct CtaNeeds {
  int threads = 0;           // 0: nothing is known
  int registers = 0;         // of a thread
  int local_bytes = 0;       // of a thread: what does not fit its registers
  int64_t shared_bytes = 0;  // static and dynamic
  bool operator==(const CtaNeeds&) const = default;
};

/// The tiles that a foreign config computes, by slot: in units of tile_m x tile_n elements, -1 and
/// -1 for a slot without a tile; or why they are unknown.
struct ForeignMapping {
  int64_t tile_m = 0;
  int64_t tile_n = 0;
  std::vector<TileCoord> tiles;
  std::string why_not = {};
  CtaNeeds cta = {};
};

/// The comparison with the float64 reference.
struct Verification {
  bool ok = false;
  double rel_error = 0;  // Frobenius norm of the difference over that of the reference
  std::string detail;    // when not ok: what is wrong, and where first
  bool operator==(const Verification&) const = default;
};

/// Hardware counters of one launch, all its kernels together, outside the timed runs. L2 holds no
/// data of the launch before it begins, and no dirty line.
struct Counters {
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;   // until L2 is clean again: later write-backs count
  double l2_hit_pct = 0;         // of the bytes that multiprocessors read, those not from DRAM
  double tensor_active_pct = 0;  // of the cycles in which multiprocessors have work
  double shared_wavefronts = 0;  // of all shared-memory accesses, tensor operands included
  int passes = 0;
  bool operator==(const Counters&) const = default;
};

/// Counters, or why there are none ("not permitted: ...").
struct CounterReading {
  std::optional<Counters> counters;
  std::string why_not;
};

/// The time of one launch, or why it has none: it faulted, hung or ended its process. The clock of
/// the multiprocessors and the power are the device's during the round, 0 if unknown.
struct LaunchTime {
  double us = 0;
  std::string failure = {};  // why; empty if the launch returned
  double sm_mhz = 0;
  double watts = 0;
  bool operator==(const LaunchTime&) const = default;
};

/// Microseconds of a launch that returned; else throws an Error of code WrongResult with `failure`.
double returned_us(const LaunchTime& time);

/// Energy and time of one launch, out of many back to back.
struct Energy {
  double joules = 0;
  double us = 0;
  bool operator==(const Energy&) const = default;
};

/// An energy, or why there is none.
struct EnergyReading {
  std::optional<Energy> energy = {};
  std::string why_not = {};
  bool operator==(const EnergyReading&) const = default;
};

/// What the neighbour of the launches moves, GB/s of reads and writes together: alone, and while
/// each contender's launches run back to back.
struct NeighbourRates {
  double alone_gb_per_s = 0;
  std::vector<double> beside_gb_per_s;  // in the order of the contenders
  std::string why_not = {};             // why there are none
  bool operator==(const NeighbourRates&) const = default;
};

/// One CTA's work on one unit, as the kernel itself recorded it.
struct TraceRecord {
  int cta = 0;
  int sm = 0;
  int slot = 0;  // of the raster: the cluster's
  int m = 0;     // the CTA's own tile
  int n = 0;
  bool inside = false;  // false: overhang, nothing computed
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  int k_begin = 0;  // k-steps of the unit
  int k_end = 0;
  int problem = 0;  // of a group
  bool operator==(const TraceRecord&) const = default;
};

/// When a kernel ran that follows another one, from its first CTA's start to its last one's end.
struct KernelTimes {
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  bool operator==(const KernelTimes&) const = default;
};

/// All records of one launch, in order for each CTA.
struct KernelTrace {
  std::vector<TraceRecord> records;
  std::optional<KernelTimes> second = std::nullopt;  // the kernel that sums parts
  bool operator==(const KernelTrace&) const = default;
};

/// What a timed launch finds in L2. Times of different regimes are never compared.
enum class Regime {
  Rotate,  // remains of earlier launches: operands rotate through more bytes than L2 holds
  Hot,     // its own operands, as the launch before left them
  Cold,    // clean lines of other data: L2 is swept before each launch
};

inline constexpr std::string_view kRegimes[] = {"rotate", "hot", "cold"};

/// Throws a usage error.
Regime parse_regime(std::string_view text);

/// By the beginning of the method's `regime`: "hot: ", "cold: ", or anything else.
Regime regime_of(const MeasuringMethod& method);

/// Runs contenders on one device, one problem at a time.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual const DeviceSpec& device() const = 0;
  /// Allocates and fills the operands of a workload and computes its reference values; replaces the
  /// previous workload. Throws a usage error if the operands do not fit the device's memory.
  virtual void prepare(const Workload& workload) = 0;
  void prepare(const Problem& problem) { prepare(workload_of(problem)); }
  virtual MeasuringMethod method() const = 0;
  /// Like KernelCompiler::build for the prepared problem and this device.
  virtual std::vector<BuildResult> build(std::span<const TileConfig> configs) = 0;
  /// Loads a foreign library; needs no prepared problem.
  virtual HarnessText describe(const std::string& file) {
    static_cast<void>(file);
    return {.json = {}, .build = {}, .why_not = "this runner loads no libraries"};
  }
  /// Lets each foreign contender prepare the problem.
  virtual std::vector<BuildResult> build_foreign(std::span<const Contender> contenders) {
    return std::vector<BuildResult>(contenders.size(),
                                    {.reason = "this runner loads no libraries"});
  }
  /// The tiles of a foreign contender that was built.
  virtual ForeignMapping mapping_of(const Contender& contender) {
    static_cast<void>(contender);
    return {.tiles = {}, .why_not = "this runner loads no libraries"};
  }
  /// All algorithms that the reference library's heuristic returns, its first choice first.
  virtual std::vector<Contender> reference_contenders() = 0;
  /// How the reference library calls the algorithms of one product again, in the order of
  /// reference_contenders(); empty for other workloads.
  virtual LibraryAlgorithms library_algorithms() { return {}; }
  /// Poisons the output, runs once, compares. Configs must have been built.
  virtual Verification verify(const Contender& contender) = 0;
  /// Launches each contender once, in the given order, on rotating buffers; times by the activity
  /// records, in the same order.
  virtual std::vector<LaunchTime> time_round(std::span<const Contender> contenders) = 0;
  /// Launches like time_round(), and compares what the last launch wrote.
  virtual Verification verify_in_round(std::span<const Contender> contenders) {
    return verify(contenders.back());
  }
  /// Launches the contender for about `seconds`, on rotating buffers, and reads the device's energy
  /// counter before and after.
  virtual EnergyReading measure_energy(const Contender& contender, double seconds) {
    static_cast<void>(contender);
    static_cast<void>(seconds);
    return {.why_not = "this device has no energy counter"};
  }
  /// Runs each contender's launches beside the neighbour that the runner was opened with, outside
  /// the timed runs.
  virtual NeighbourRates measure_neighbour(std::span<const Contender> contenders) {
    static_cast<void>(contenders);
    return {.beside_gb_per_s = {}, .why_not = "nothing runs beside the launches of this runner"};
  }
  /// Profiles one launch of each contender; returns one reading per contender, in order. The first
  /// call costs most.
  virtual std::vector<CounterReading> count(std::span<const Contender> contenders) = 0;
  CounterReading count(const Contender& contender) { return count({&contender, 1}).front(); }
  /// Launches one of our configs once, compiled to record its own trace.
  virtual KernelTrace trace(const Contender& contender) = 0;
  /// False once the device no longer responds in this process.
  virtual bool is_usable() { return true; }
  /// One line that compares the timer with a second one on a known kernel; measured once.
  virtual std::string timer_check() = 0;
};

}  // namespace tilewright
