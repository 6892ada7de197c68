// A workload, and how often a program runs it.
#pragma once

#include <cstdint>

#include "tile/workload/workload.hpp"

namespace tilewright {

struct CountedWorkload {
  Workload workload;
  int64_t calls = 0;  // 0: not known
  bool operator==(const CountedWorkload&) const = default;
};

}  // namespace tilewright
