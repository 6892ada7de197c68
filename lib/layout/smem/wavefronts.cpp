#include "layout/smem/wavefronts.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {

namespace {

constexpr int kMaxWordsInBank = kWarpLanes;

// True if each lane and the lane at `distance` have the same address; a pair with an inactive lane
// counts as equal.
bool pairs_agree(const LaneAddresses& addresses, int distance) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int64_t own = addresses[static_cast<size_t>(lane)];
    const int64_t other = addresses[static_cast<size_t>(lane ^ distance)];
    if (own != kInactive && other != kInactive && own != other) return false;
  }
  return true;
}

int lanes_per_phase(const WarpAccess& access) {
  const AccessOp& op = access.op;
  if (is_matrix(op)) return 8;
  const int plain = std::min(kWarpLanes, kBanks * kBankBytes / op.bytes);
  const bool may_merge = op.kind == AccessKind::Load && op.bytes > kBankBytes;
  if (may_merge && (pairs_agree(access.addresses, 1) || pairs_agree(access.addresses, 2))) {
    return 2 * plain;
  }
  return plain;
}

// The distinct words that each bank serves in one phase.
struct BankWords {
  std::array<std::array<int64_t, kMaxWordsInBank>, kBanks> words;
  std::array<int, kBanks> counts{};

  void add(int64_t word) {
    const auto bank = static_cast<size_t>(word % kBanks);
    const auto begin = words[bank].begin();
    const auto end = begin + counts[bank];
    if (std::find(begin, end, word) == end) {
      words[bank][static_cast<size_t>(counts[bank]++)] = word;
    }
  }
};

BankWords bank_words(const WarpAccess& access, LaneRange lanes) {
  BankWords banks;
  for (int lane = lanes.first; lane < lanes.end; ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address == kInactive) continue;
    const WordRange range = words_of(access.op, address);
    for (int i = 0; i < range.count; ++i) banks.add(range.first + i);
  }
  return banks;
}

bool touches(const AccessOp& op, int64_t address, int bank) {
  const WordRange range = words_of(op, address);
  for (int i = 0; i < range.count; ++i) {
    if ((range.first + i) % kBanks == bank) return true;
  }
  return false;
}

AccessPhase phase_of(const WarpAccess& access, LaneRange lanes) {
  AccessPhase phase;
  phase.words_by_bank = bank_words(access, lanes).counts;
  const auto busiest = std::max_element(phase.words_by_bank.begin(), phase.words_by_bank.end());
  phase.bank = static_cast<int>(busiest - phase.words_by_bank.begin());
  phase.words = *busiest;
  for (int lane = lanes.first; lane < lanes.end; ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address == kInactive) continue;
    phase.lanes.push_back(lane);
    if (touches(access.op, address, phase.bank)) phase.bank_lanes.push_back(lane);
  }
  return phase;
}

// Far above any memory size, and far below an overflow when offsets are added.
constexpr int64_t kMaxAddress = int64_t{1} << 48;

int64_t parse_address(std::string_view text, size_t lane) {
  if (text == "-1") return kInactive;
  const std::optional<int64_t> address = parse_count(text);
  if (!address || *address > kMaxAddress) {
    throw usage_error(
        format("lane {}: '{}' is not a byte address from 0 to {}, or -1 for an inactive lane", lane,
               text, kMaxAddress));
  }
  return *address;
}

}  // namespace

WordRange words_of(const AccessOp& op, int64_t address) {
  return {address / kBankBytes, std::max(1, op.bytes / kBankBytes)};
}

std::vector<LaneRange> phase_lanes(const WarpAccess& access) {
  const int step = lanes_per_phase(access);
  std::vector<LaneRange> phases;
  for (int first = 0; first < address_count(access.op); first += step) {
    phases.push_back({first, first + step});
  }
  return phases;
}

void require_aligned(const WarpAccess& access) {
  const AccessOp& op = access.op;
  for (int lane = 0; lane < address_count(op); ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address == kInactive) {
      if (!is_matrix(op)) continue;
      throw usage_error(format("{} needs the row address of lane {}: it cannot be inactive",
                               to_string(op), lane));
    }
    if (address < 0) throw usage_error(format("lane {}: address {} is negative", lane, address));
    if (address % op.bytes != 0) {
      throw usage_error(format("lane {}: address {} is not a multiple of the {} bytes of {}", lane,
                               address, op.bytes, to_string(op)));
    }
  }
}

WavefrontCount wavefront_count(const WarpAccess& access) {
  const int step = lanes_per_phase(access);
  WavefrontCount total;
  for (int first = 0; first < address_count(access.op); first += step) {
    const std::array<int, kBanks> counts = bank_words(access, {first, first + step}).counts;
    const int most = *std::max_element(counts.begin(), counts.end());
    total.wavefronts += most;
    total.ideal += most > 0 ? 1 : 0;
  }
  return total;
}

Wavefronts count_wavefronts(const WarpAccess& access) {
  require_aligned(access);
  Wavefronts result;
  for (const LaneRange lanes : phase_lanes(access)) {
    AccessPhase phase = phase_of(access, lanes);
    if (phase.lanes.empty()) continue;
    result.wavefronts += phase.words;
    result.ideal += 1;
    result.phases.push_back(std::move(phase));
  }
  result.conflicts = result.wavefronts - result.ideal;
  return result;
}

WarpAccess parse_access(const AccessOp& op, std::string_view text) {
  const std::vector<std::string_view> parts = split(trim(text), ',');
  const auto needed = static_cast<size_t>(address_count(op));
  if (parts.size() != kWarpLanes && parts.size() != needed) {
    throw usage_error(format("{} takes {} byte addresses, one for each lane (-1 inactive), not {}",
                             to_string(op), needed, parts.size()));
  }
  WarpAccess access{.op = op, .addresses = {}};
  access.addresses.fill(kInactive);
  for (size_t lane = 0; lane < parts.size(); ++lane) {
    access.addresses[lane] = parse_address(trim(parts[lane]), lane);
  }
  require_aligned(access);
  return access;
}

std::vector<WarpAccess> parse_access_lines(const AccessOp& op, std::string_view text,
                                           std::string_view name) {
  std::vector<WarpAccess> accesses;
  int number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    if (std::ssize(accesses) == kMaxInstructions) {
      throw usage_error(
          format("{} has more than {} warp instructions, the limit", name, kMaxInstructions));
    }
    try {
      accesses.push_back(parse_access(op, line));
    } catch (const Error& error) {
      throw usage_error(format("{}:{}: {}", name, number, error.what()));
    }
  }
  if (accesses.empty()) {
    throw usage_error(format("{} has no access: write one line of byte addresses for each", name));
  }
  return accesses;
}

}  // namespace tilewright
