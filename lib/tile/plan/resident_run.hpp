// CTAs on a device that holds some of them at once, each run as far as it can go.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interruption.hpp"

namespace tilewright {

/// Starts CTAs in order of their number as long as fewer than `resident` run (0: all do).
/// advance(cta, ready) runs one until it waits (false) or ends and leaves its place (true), and
/// appends to `ready` the CTAs that it wakes. The order in which the woken go on does not matter to
/// waits of which what has come free stays free.
template <class Advance>
void run_resident(int64_t ctas, int64_t resident, const Advance& advance) {
  std::vector<int64_t> ready;
  int64_t started = 0;
  int64_t free = resident > 0 ? resident : ctas;
  while (!ready.empty() || (free > 0 && started < ctas)) {
    throw_if_interrupted();
    if (ready.empty()) {
      --free;
      ready.push_back(started++);
    }
    const int64_t cta = ready.back();
    ready.pop_back();
    if (advance(cta, ready)) ++free;
  }
}

}  // namespace tilewright
