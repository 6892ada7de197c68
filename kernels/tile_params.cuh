// Every constant of a kernel of the sm_90a family, in one struct: the kernel is specialised on it,
// the legality rules and the launcher read the same functions.
#pragma once

#include "raster.cuh"

namespace tw {

enum class ElementType : int { BF16, F16, F32 };

/// How two or more consumer warpgroups share a CTA's work.
enum class KernelSchedule : int {
  Cooperative,  // each computes its own rows of every tile
  PingPong,     // they take whole tiles in turn: one's epilogue hides under the other's main loop
};

struct TileParams {
  int cta_m = 128;  // output rows of a CTA
  int cta_n = 128;  // output columns of a CTA
  int cta_k = 64;   // depth of a stage, elements: 128 bytes, the span of the shared-memory swizzle
  int stages = 4;
  int cluster_m = 1;  // CTAs of a cluster along m: they share B by multicast
  int cluster_n = 1;  // along n: they share A
  KernelSchedule schedule = KernelSchedule::Cooperative;
  ElementType element = ElementType::BF16;
  RasterFamily rasters = RasterFamily::Factors;
  bool source = false;  // read C: kernels without it save the registers
  bool trace = false;   // record who computed which tile when
  bool operator==(const TileParams&) const = default;

  static constexpr int kElementBytes = 2;
  static constexpr int kWarpgroupThreads = 128;
  static constexpr int kMmaM = 64;  // rows of one wgmma
  static constexpr int kSmemAlignment = 1024;

  constexpr bool ping_pong() const { return schedule == KernelSchedule::PingPong; }
  /// Warpgroups that multiply; one more warpgroup loads.
  constexpr int consumer_warpgroups() const {
    if (ping_pong()) return 2;
    return cta_m == 64 ? 1 : cta_m == 192 ? 3 : 2;
  }
  /// Warpgroups that multiply one tile, and so drain one stage.
  constexpr int warpgroups_per_tile() const { return ping_pong() ? 1 : consumer_warpgroups(); }
  constexpr int threads() const { return kWarpgroupThreads * (1 + consumer_warpgroups()); }
  /// wgmma row blocks of one consumer warpgroup.
  constexpr int mma_rows() const { return cta_m / (kMmaM * warpgroups_per_tile()); }
  /// Output rows of one consumer warpgroup in a tile.
  constexpr int warpgroup_rows() const { return mma_rows() * kMmaM; }
  /// fp32 accumulators a consumer thread holds.
  constexpr int accumulator_registers() const { return mma_rows() * cta_n / 2; }
  /// Registers a thread has at launch, before the warpgroups trade: the register file's even share.
  constexpr int launch_registers() const {
    constexpr int kRegisterFile = 65536;
    const int share = kRegisterFile / threads() / 8 * 8;
    return share > 255 ? 255 : share;
  }

  constexpr int cluster_size() const { return cluster_m * cluster_n; }

  /// setmaxnreg budgets: the pool is 65536 registers; 0 leaves the launch's even share.
  constexpr int producer_registers() const {
    if (consumer_warpgroups() == 1) return 0;
    return consumer_warpgroups() == 3 ? 56 : 40;
  }
  constexpr int consumer_registers() const {
    if (consumer_warpgroups() == 1) return 255;
    return consumer_warpgroups() == 3 ? 152 : 232;
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
