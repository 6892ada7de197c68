// The families of kernels: one record each; no other code names a family.
//
//   config.family -> record: keys, kernel constants, rules, residency, partial sums
//                            (lib/tile/family, one file per family)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "skinny/params.cuh"
#include "sm80/params.cuh"
#include "sm90/params.cuh"
#include "tile/config/kernel_source.hpp"
#include "tile/workload/device_spec.hpp"
#include "tile/workload/operand_places.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

struct PartialStore;
struct Plan;
struct Rejection;
struct TileConfig;

enum class Family {
  Sm90,    // TMA and wgmma: compute capability 9.0
  Sm80,    // cp.async and mma.sync: 8.0 and up, any size and alignment
  Skinny,  // up to 16 rows, at the speed of memory: 8.0 and up
};

/// Compile-time constants of a kernel, by the config's family.
using KernelParams = std::variant<tw::Sm90Params, tw::Sm80Params, tw::SkinnyParams>;

/// Warps that compute one tile together.
struct TileWarps {
  int count = 0;
  int group_rows = 0;  // output rows of the warps that share rows: a warpgroup's, or one warp's
};

/// The rule by which a config of a group or of a rank-k update is rejected, if any; `largest` has
/// the largest extents of all its products.
using RejectWorkload = std::optional<Rejection> (*)(const Workload& workload,
                                                    const Problem& largest,
                                                    const TileConfig& config,
                                                    const DeviceSpec& device);

/// The properties and functions of a family, except its cost (lib/model), its search space
/// (lib/search), its launch and its kernels.
struct FamilyRecord {
  Family family;
  std::string_view name;                   // as configs spell it
  std::span<const std::string_view> keys;  // of its configs
  bool persistent;        // launches only the CTAs that run at once; others launch one CTA per unit
  bool loads_by_tma;      // operands that TMA cannot address are copied first
  bool rereads_operands;  // its tiles read operands again, so the contents of L2 matter
  bool runs_across_gpus;  // has kernels for products that GPUs share
  /// The constants of the kernel for the workload's first problem, with its matrices at `places`.
  KernelParams (*params)(const Workload& workload, const TileConfig& config,
                         const OperandPlaces& places);
  /// The programs of a plan's kernel: the product's first, then those that run before or after it.
  /// Throws a usage error for extras that the family does not support.
  std::vector<KernelSource> (*sources)(const Plan& plan, const KernelExtras& extras);
  /// Why the family has no kernel for operands placed as in the plan; empty where it has one.
  std::string (*why_no_kernel_for_places)(const Plan& plan);
  /// CTAs that fit a multiprocessor by threads, registers and shared memory, at least 1.
  int (*ctas_per_sm)(const KernelParams& params, const DeviceSpec& device);
  /// Dynamic shared memory of a launch, bytes.
  int (*dynamic_smem_bytes)(const KernelParams& params);
  /// The first rule that the config of a single product breaks, if any.
  std::optional<Rejection> (*reject)(const Problem& problem, const TileConfig& config,
                                     const DeviceSpec& device);
  RejectWorkload reject_group;   // null: the family has no kernels for groups
  RejectWorkload reject_update;  // null: the family has none for rank-k updates
  /// The workspace for partial sums; for plans that divide some tiles.
  PartialStore (*partial_store)(const Plan& plan);
  TileWarps (*warps)(const KernelParams& params);
};

const FamilyRecord& record_of(Family family);

/// Every family, in the order of the artefact's documentation.
std::vector<Family> all_families();

/// "sm90", "sm80" or "skinny".
std::string to_string(Family family);
/// Throws a usage error.
Family parse_family(std::string_view text);

/// True where configs of the family have the key.
bool has_key(Family family, std::string_view key);

/// True where one launch of the family can run a group, or a rank-k update.
bool runs_groups(Family family);

}  // namespace tilewright
