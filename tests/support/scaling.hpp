// The factors of A B and of C, which sweeps of the kernels' tests vary.
#pragma once

#include "tile/workload/product_kind.hpp"

namespace tilewright {

struct Scaling {
  float alpha = 1;
  float beta = 0;
  bool operator==(const Scaling&) const = default;
};

namespace testing {

/// The problem or workload with these factors in its epilogue.
template <class Work>
Work scaled(Work work, Scaling scaling) {
  work.kind.epilogue.alpha = scaling.alpha;
  work.kind.epilogue.beta = scaling.beta;
  return work;
}

}  // namespace testing
}  // namespace tilewright
