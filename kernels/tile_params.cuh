// Every constant of a kernel of the sm_90a family, in one struct: the kernel is specialised on it,
// the legality rules and the launcher read the same functions. It includes nothing.
#pragma once

namespace tw {

enum class ElementType : int { BF16, F16 };

struct TileParams {
  int cta_m = 128;  // output rows of a CTA
  int cta_n = 128;  // output columns of a CTA
  int cta_k = 64;   // depth of a stage, elements: 128 bytes, the span of the shared-memory swizzle
  int stages = 4;
  int cluster_m = 1;  // CTAs of a cluster along m: they share B by multicast
  int cluster_n = 1;  // along n: they share A
  ElementType element = ElementType::BF16;
  bool trace = false;  // record who computed which tile when
  bool operator==(const TileParams&) const = default;

  static constexpr int kElementBytes = 2;
  static constexpr int kWarpgroupThreads = 128;
  static constexpr int kMmaM = 64;  // rows of one wgmma
  static constexpr int kSmemAlignment = 1024;

  /// Warpgroups that multiply; one more warpgroup loads.
  constexpr int consumer_warpgroups() const { return cta_m == 64 ? 1 : cta_m == 192 ? 3 : 2; }
  constexpr int threads() const { return kWarpgroupThreads * (1 + consumer_warpgroups()); }
  /// wgmma row blocks of one consumer warpgroup.
  constexpr int mma_rows() const { return cta_m / (kMmaM * consumer_warpgroups()); }
  /// fp32 accumulators a consumer thread holds.
  constexpr int accumulator_registers() const { return mma_rows() * cta_n / 2; }

  constexpr int cluster_size() const { return cluster_m * cluster_n; }

  /// setmaxnreg budgets: the pool is 65536 registers; 0 leaves the launch's even share.
  constexpr int producer_registers() const {
    if (consumer_warpgroups() == 1) return 0;
    if (consumer_warpgroups() == 3) return 32;
    return accumulator_registers() > 160 ? 24 : 40;
  }
  constexpr int consumer_registers() const {
    if (consumer_warpgroups() == 1) return 255;
    if (consumer_warpgroups() == 3) return 160;
    return accumulator_registers() > 160 ? 240 : 232;
  }

  constexpr int a_stage_bytes() const { return cta_m * cta_k * kElementBytes; }
  constexpr int b_stage_bytes() const { return cta_n * cta_k * kElementBytes; }
  constexpr int stage_bytes() const { return a_stage_bytes() + b_stage_bytes(); }

  /// Columns of one TMA store: the widest swizzle span that divides the tile.
  constexpr int store_columns() const { return cta_n % 64 == 0 ? 64 : cta_n % 32 == 0 ? 32 : 16; }
  constexpr int store_bytes() const { return kMmaM * store_columns() * kElementBytes; }
  /// Store buffers of a warpgroup: one is filled while the other drains.
  static constexpr int kStoreBuffers = 2;
  constexpr int epilogue_bytes() const {
    return consumer_warpgroups() * kStoreBuffers * store_bytes();
  }
  constexpr int barrier_bytes() const { return 2 * stages * 8; }

  /// Dynamic shared memory of the launch, with the slack that aligns its base.
  constexpr int smem_bytes() const {
    return kSmemAlignment + stages * stage_bytes() + epilogue_bytes() + barrier_bytes();
  }
};

}  // namespace tw
