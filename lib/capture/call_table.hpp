// The table of calls in memory that processes share: the shim of every process counts here, so that
// neither fork nor exec nor a sudden end loses a count.
#pragma once

#include <atomic>
#include <cstdint>

#include "capture/blas_call.hpp"

namespace tilewright {

/// The variable with the path of the table's file, which `record` sets for the shim.
inline constexpr char kCallTableVariable[] = "TILEWRIGHT_RECORD_TABLE";
inline constexpr uint64_t kCallTableMagic = 0x317461626c6c6163;
inline constexpr uint32_t kMaxDistinctCalls = 4096;

enum class SlotState : uint32_t { Empty, Claimed, Ready };

struct CallSlot {
  std::atomic<SlotState> state;
  std::atomic<uint64_t> count;
  BlasCall call;
};

/// A file of zeros but for the magic is an empty table.
struct CallTable {
  uint64_t magic;
  std::atomic<uint64_t> process_count;   // processes that loaded the shim
  std::atomic<uint64_t> overflow_count;  // calls for which no slot was left
  CallSlot slots[kMaxDistinctCalls];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<SlotState>::is_always_lock_free);

/// A hash of the call's bytes.
inline uint64_t hash_of(const BlasCall& call) {
  uint64_t hash = 0xcbf29ce484222325;
  uint64_t word = 0;
  for (uint32_t at = 0; at < sizeof(call); at += sizeof(word)) {
    __builtin_memcpy(&word, reinterpret_cast<const char*>(&call) + at, sizeof(word));
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash;
}

/// True once the slot holds this call: as found, or as claimed and written here. A slot of another
/// process that ended between its claim and the end of its writing is passed by.
inline bool take_slot(CallSlot& slot, const BlasCall& call) {
  constexpr int kMaxLooks = 10000;
  SlotState state = slot.state.load(std::memory_order_acquire);
  if (state == SlotState::Empty &&
      slot.state.compare_exchange_strong(state, SlotState::Claimed, std::memory_order_acquire)) {
    slot.call = call;
    slot.state.store(SlotState::Ready, std::memory_order_release);
    return true;
  }
  for (int looks = 0; state == SlotState::Claimed && looks < kMaxLooks; ++looks) {
    state = slot.state.load(std::memory_order_acquire);
  }
  return state == SlotState::Ready && __builtin_memcmp(&slot.call, &call, sizeof(call)) == 0;
}

/// Counts one call; any thread of any process may do so at any time.
inline void count_call(CallTable& table, const BlasCall& call) {
  const uint64_t first = hash_of(call);
  for (uint32_t probe = 0; probe < kMaxDistinctCalls; ++probe) {
    CallSlot& slot = table.slots[(first + probe) % kMaxDistinctCalls];
    if (!take_slot(slot, call)) continue;
    slot.count.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  table.overflow_count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace tilewright
