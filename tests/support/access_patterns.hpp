// Makes warp accesses of many kinds, to compare the wavefront rule with a GPU or an oracle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "layout/smem/wavefronts.hpp"
#include "stats/random.hpp"

namespace tilewright::testing {

/// Every access operation.
inline std::vector<AccessOp> all_access_ops() {
  std::vector<AccessOp> ops;
  for (const char* const name : {"ld.u8",
                                 "ld.u16",
                                 "ld.b32",
                                 "ld.v2",
                                 "ld.v4",
                                 "st.u8",
                                 "st.u16",
                                 "st.b32",
                                 "st.v2",
                                 "st.v4",
                                 "ldmatrix.x1",
                                 "ldmatrix.x2",
                                 "ldmatrix.x4",
                                 "ldmatrix.x1.trans",
                                 "ldmatrix.x2.trans",
                                 "ldmatrix.x4.trans",
                                 "stmatrix.x1",
                                 "stmatrix.x2",
                                 "stmatrix.x4",
                                 "stmatrix.x1.trans",
                                 "stmatrix.x2.trans",
                                 "stmatrix.x4.trans"}) {
    ops.push_back(parse_access_op(name));
  }
  return ops;
}

/// The ways to make the addresses of a pattern.
inline constexpr std::array<const char*, 8> kPatternFamilies = {
    "dense random", "sparse random", "strided",  "equal i^1",
    "equal i^2",    "half pairs",    "swizzled", "broadcast"};

/// Makes one access of `family`, within 32 KiB. About half of them start at a base that need not be
/// a multiple of 128 bytes; about a third of those of ld and st have inactive lanes.
class PatternMaker {
 public:
  PatternMaker(const AccessOp& op, uint64_t seed) : op_(op), random_(seed) {}

  WarpAccess make(size_t family) {
    WarpAccess access{.op = op_, .addresses = addresses(family)};
    const int64_t base = random_.below(2) == 0 ? 0 : int64_t{random_.below(64)} * op_.bytes;
    for (int64_t& address : access.addresses) address += base;
    if (!is_matrix(op_) && random_.below(3) == 0) switch_lanes_off(access);
    return access;
  }

 private:
  static constexpr uint32_t kBytes = 16384;

  uint32_t unit() const { return static_cast<uint32_t>(op_.bytes); }
  int64_t any_address(uint32_t range) {
    return int64_t{random_.below(std::max(1U, range / unit()))} * unit();
  }

  LaneAddresses addresses(size_t family) {
    switch (family) {
      case 0: return random_lanes(512);
      case 1: return random_lanes(kBytes);
      case 2: return strided();
      case 3: return paired(random_lanes(uint32_t{256} << random_.below(5)), 1, 0);
      case 4: return paired(random_lanes(uint32_t{256} << random_.below(5)), 2, 0);
      case 5: return half_paired();
      case 6: return swizzled();
      default: return broadcast();
    }
  }

  LaneAddresses random_lanes(uint32_t range) {
    LaneAddresses lanes{};
    for (int64_t& address : lanes) address = any_address(range);
    return lanes;
  }

  LaneAddresses strided() {
    const uint32_t step = 1 + random_.below(random_.below(2) == 0 ? 4 : 32);
    const uint32_t group = uint32_t{1} << random_.below(6);  // lanes a row
    const uint32_t row = random_.below(33);
    LaneAddresses lanes{};
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      lanes[lane] = int64_t{(lane % group) * step + lane / group * row} * unit();
    }
    return lanes;
  }

  // From lane `first` on, lane i reads the address of lane i & ~distance.
  static LaneAddresses paired(LaneAddresses lanes, size_t distance, size_t first) {
    for (size_t lane = first; lane < kWarpLanes; ++lane) lanes[lane] = lanes[lane & ~distance];
    return lanes;
  }

  // The merge condition holds for only a part of the warp, or one lane breaks it.
  LaneAddresses half_paired() {
    LaneAddresses lanes = random_lanes(1024);
    switch (random_.below(4)) {
      case 0: return paired(lanes, 1, 16);
      case 1: return paired(lanes, 2, 16);
      case 2: {
        const LaneAddresses low = paired(lanes, 1, 0);
        lanes = paired(lanes, 2, 16);
        std::copy(low.begin(), low.begin() + 16, lanes.begin());
        return lanes;
      }
      default:
        lanes = paired(lanes, 1 + random_.below(2), 0);
        lanes[random_.below(kWarpLanes)] = any_address(1024);
        return lanes;
    }
  }

  // A column of vectors of a power-of-two tile under Swizzle<bits, base, shift>, in bytes.
  LaneAddresses swizzled() {
    const uint32_t bits = random_.below(4);
    const uint32_t base = 2 + random_.below(4);
    const uint32_t shift = bits + random_.below(3);
    const int64_t row = int64_t{64} << random_.below(4);
    const int64_t column = any_address(static_cast<uint32_t>(row));
    const int64_t mask = ((int64_t{1} << bits) - 1) << (base + shift);
    LaneAddresses lanes{};
    for (int64_t lane = 0; lane < kWarpLanes; ++lane) {
      const int64_t plain = lane * row + column;
      const int64_t moved = plain ^ ((plain & mask) >> shift);
      lanes[static_cast<size_t>(lane)] = moved / unit() * unit();
    }
    return lanes;
  }

  LaneAddresses broadcast() {
    const uint32_t distinct = 1 + random_.below(8);
    const uint32_t step = 1 + random_.below(64);
    const bool by_blocks = random_.below(2) == 0;
    LaneAddresses lanes{};
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const uint32_t which = by_blocks ? lane * distinct / kWarpLanes : lane % distinct;
      lanes[lane] = int64_t{which * step} * unit();
    }
    return lanes;
  }

  void switch_lanes_off(WarpAccess& access) {
    const uint32_t kind = random_.below(4);
    const uint32_t kept = random_.below(kWarpLanes);
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      const bool off = kind == 0   ? random_.below(4) == 0
                       : kind == 1 ? (lane / 8) % 2 == kept % 2
                       : kind == 2 ? lane % 2 == kept % 2
                                   : lane != kept && lane != kept / 2;
      if (off) access.addresses[lane] = kInactive;
    }
  }

  AccessOp op_;
  Random random_;
};

/// The access in which each lane has the address address(lane).
inline WarpAccess access_of(const char* op, const std::function<int64_t(int)>& address) {
  WarpAccess access{.op = parse_access_op(op), .addresses = {}};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    access.addresses[static_cast<size_t>(lane)] = address(lane);
  }
  return access;
}

}  // namespace tilewright::testing
