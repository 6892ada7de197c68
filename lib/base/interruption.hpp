// Interruption by Ctrl-C, for long loops.
//
// A signal concerns the whole process, and so does this flag: main's signal handler sets it, and
// every loop that can take longer than a moment polls it. With each thread's number of works that
// it finishes first, it is the only global state: as an
// argument it would have to pass through every signature of models and search, where it has no
// meaning.
#pragma once

#include <atomic>

namespace tilewright {

namespace detail {
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
inline std::atomic<bool> own_interruption{false};
inline const std::atomic<bool>* interruption = &own_interruption;
void throw_unless_finishing();
}  // namespace detail

/// Requests the loops of this process to end; a signal handler may call it.
inline void request_interruption() {
  detail::own_interruption.store(true, std::memory_order_relaxed);
}

/// Withdraws the request, for callers that continue after an interruption.
inline void clear_interruption() {
  detail::own_interruption.store(false, std::memory_order_relaxed);
}

/// The flag. A module that was loaded with a copy of this code polls the flag that it is given.
inline const std::atomic<bool>& interruption_flag() {
  return *detail::interruption;
}
inline void poll_interruption_of(const std::atomic<bool>& flag) {
  detail::interruption = &flag;
}

/// True once an interruption is requested.
inline bool is_interrupted() {
  return detail::interruption->load(std::memory_order_relaxed);
}

/// Throws an Error of code Interrupted once an interruption is requested, unless this thread has a
/// FinishingWork. It costs a load and a branch, which inner loops can afford.
inline void throw_if_interrupted() {
  if (is_interrupted()) [[unlikely]] {
    detail::throw_unless_finishing();
  }
}

/// While one lives, an interruption does not end the work of its thread: writing a result takes a
/// moment, and must not be given up halfway.
class FinishingWork {
 public:
  FinishingWork();
  ~FinishingWork();
  FinishingWork(const FinishingWork&) = delete;
  FinishingWork& operator=(const FinishingWork&) = delete;
};

}  // namespace tilewright
