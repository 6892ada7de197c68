// One config of a manifest for one problem: every launch with numbers in place of expressions.
#pragma once

#include <tilewright_harness.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cubin_manifest.hpp"
#include "search/runner.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {

/// The memory of a pointer or a tensor map.
enum class ArgumentMemory { A, B, C, D, Bias, ScaleA, ScaleB, Workspace };

/// A TMA descriptor without its address. Lists begin with the innermost dimension.
struct CubinTensorMap {
  DataType element = DataType::BF16;
  std::vector<uint64_t> extents;  // elements
  std::vector<uint64_t> strides;  // bytes
  std::vector<uint32_t> box;      // elements
  int swizzle_bytes = 0;
  int l2_promotion_bytes = 0;
  bool operator==(const CubinTensorMap&) const = default;
};

struct CubinArgument {
  ArgumentType type = ArgumentType::Pointer;
  int parameter = 0;  // index of the parameter that it is, or is a field of
  int at = 0;         // bytes from the parameter's start
  uint64_t bits = 0;  // of a number, in its lowest bytes
  ArgumentMemory memory = ArgumentMemory::A;
  int64_t offset = 0;        // bytes from the start of the memory
  int64_t divisible_by = 1;  // of the address
  CubinTensorMap map;
  std::string place;
  bool operator==(const CubinArgument&) const = default;
};

/// Extents along x, y and z.
using CubinExtents = std::array<int64_t, 3>;

struct CubinLaunch {
  std::string cubin;  // path
  std::string entry;
  CubinExtents grid = {1, 1, 1};
  CubinExtents block = {1, 1, 1};
  CubinExtents cluster = {1, 1, 1};
  int64_t shared_memory = 0;  // dynamic, bytes
  bool cooperative = false;
  bool programmatic = false;
  CtaNeeds cta;
  std::vector<int> parameter_bytes;
  std::vector<CubinArgument> arguments;
  std::string place;
  bool operator==(const CubinLaunch&) const = default;
};

struct CubinPlan {
  std::vector<CubinLaunch> launches;
  int64_t workspace_bytes = 0;
  int64_t workspace_alignment = 256;
  int workspace_init = TILEWRIGHT_HARNESS_INIT_NONE;
  bool operator==(const CubinPlan&) const = default;
};

/// Plans one config for one product. Throws a usage error with the place in the manifest where the
/// problem breaks a requirement, a number has no value, or no launch could have the extents.
CubinPlan plan_cubins(const CubinManifest& manifest, const Workload& workload,
                      const std::vector<AxisValue>& values);

/// What a CTA occupies where one launch computes the product; nothing is known for several.
CtaNeeds cta_needs(const CubinPlan& plan);

/// The tile of every slot. Throws as plan_cubins().
ForeignMapping mapping_of(const CubinManifest& manifest, const Workload& workload,
                          const std::vector<AxisValue>& values);

/// The address of a pointer argument or of a tensor map's memory; null if the problem has none.
const void* address_of(const CubinArgument& argument, const TilewrightHarnessOperands& operands);

/// A sentence on the first address that is not divisible as the cubins need it; empty if there is
/// none.
std::string misaligned_address(const CubinPlan& plan, const TilewrightHarnessOperands& operands);

}  // namespace tilewright
