// Computes the cost of one warp instruction in shared memory: its phases, and for each the bank
// that has the most distinct words to serve.
//
// Measured on an H200. A phase has 32 lanes of up to 4 bytes, 16 of 8 or 8 of 16; a matrix
// instruction has one phase for each 8 rows. Loads of 8 and 16 bytes have twice the lanes a phase
// if, over the whole warp, neighbours (i, i^1) or next neighbours (i, i^2) read the same address.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "layout/smem/access_op.hpp"

namespace tilewright {

inline constexpr int kWarpLanes = 32;
inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;
inline constexpr int64_t kBankRowBytes = int64_t{kBanks} * kBankBytes;  // of all banks together
inline constexpr int64_t kInactive = -1;

/// Byte addresses by lane, kInactive for lanes that are predicated off.
using LaneAddresses = std::array<int64_t, kWarpLanes>;

/// One warp instruction.
struct WarpAccess {
  AccessOp op;
  LaneAddresses addresses{};
  bool operator==(const WarpAccess&) const = default;
};

/// Lanes that shared memory serves together. The phase takes one wavefront for each distinct 4-byte
/// word in its busiest bank.
struct AccessPhase {
  std::vector<int> lanes;                 // active lanes
  int bank = 0;                           // the busiest, the lowest among equals
  int words = 0;                          // distinct words in that bank: wavefronts of the phase
  std::vector<int> bank_lanes;            // lanes that touch that bank
  std::array<int, kBanks> words_by_bank;  // distinct words
  bool operator==(const AccessPhase&) const = default;
};

/// Phases without active lanes cost nothing and are left out.
struct Wavefronts {
  int64_t wavefronts = 0;
  int64_t ideal = 0;      // one a phase: 1, 2 or 4 for a full warp of distinct 4, 8 or 16 bytes
  int64_t conflicts = 0;  // the difference
  std::vector<AccessPhase> phases;
  bool operator==(const Wavefronts&) const = default;
};

/// Throws a usage error for an address that is not aligned to the width, and for an inactive lane
/// if the matrix instruction needs its address.
void require_aligned(const WarpAccess& access);

/// Exact cost of one instruction in shared memory. Throws like require_aligned.
Wavefronts count_wavefronts(const WarpAccess& access);

/// Only the cost, without phases and without a check of the alignment; for searches.
struct WavefrontCount {
  int64_t wavefronts = 0;
  int64_t ideal = 0;
  bool operator==(const WavefrontCount&) const = default;
};
WavefrontCount wavefront_count(const WarpAccess& access);

/// Distinct 4-byte words that one active lane touches: the first one and their number.
struct WordRange {
  int64_t first = 0;
  int count = 0;
  bool operator==(const WordRange&) const = default;
};
WordRange words_of(const AccessOp& op, int64_t address);

/// The lanes [first, end) of each phase, including inactive ones.
struct LaneRange {
  int first = 0;
  int end = 0;
  bool operator==(const LaneRange&) const = default;
};
std::vector<LaneRange> phase_lanes(const WarpAccess& access);

/// Parses "0,4,8,...,-1": one byte address a lane, decimal, -1 for an inactive lane. Matrix
/// instructions ignore the addresses of some lanes, which may be left out. Throws a usage error
/// that names the lane, also for misaligned addresses.
WarpAccess parse_access(const AccessOp& op, std::string_view text);

/// Parses one access a line; empty lines and lines that begin with '#' are skipped. Throws a usage
/// error that begins with `name` and the line's number, and one for a text without accesses.
std::vector<WarpAccess> parse_access_lines(const AccessOp& op, std::string_view text,
                                           std::string_view name);

}  // namespace tilewright
