// Ctrl-C, as long loops see it.
//
// A signal belongs to the whole process, and so does this flag: main's handler sets it, every loop
// that can take longer than a moment polls it. It is the one state that no argument carries, for
// it would have to pass through every signature of models and search without meaning a thing there.
#pragma once

#include <atomic>

namespace tilewright {

namespace detail {
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
inline std::atomic<bool> own_interruption{false};
inline const std::atomic<bool>* interruption = &own_interruption;
[[noreturn]] void throw_interrupted();
}  // namespace detail

/// Asks the loops of this process to end; a signal handler may call it.
inline void request_interruption() {
  detail::own_interruption.store(true, std::memory_order_relaxed);
}

/// Takes the request back, for who goes on after an interruption.
inline void forget_interruption() {
  detail::own_interruption.store(false, std::memory_order_relaxed);
}

/// The flag, and whose flag a module that was loaded with a copy of this code polls.
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

/// Throws an Error of code Interrupted once an interruption is requested: a load and a branch, so
/// that inner loops can afford it.
inline void throw_if_interrupted() {
  if (is_interrupted()) [[unlikely]] {
    detail::throw_interrupted();
  }
}

}  // namespace tilewright
