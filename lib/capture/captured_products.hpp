// Calls of cuBLAS as the workloads that tune takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/call_table.hpp"
#include "tile/workload/counted_workload.hpp"

namespace tilewright {

/// The workload of a call, or why the project has none.
struct CapturedProduct {
  Workload workload = {};
  std::string why_not = {};
};

/// Swaps operands where cuBLAS stores D by columns: its D is then the transpose of a row-major one.
CapturedProduct captured_product(const BlasCall& call);

/// Calls of one reason for which they are left out.
struct SkippedCalls {
  std::string reason;
  int64_t calls = 0;
};

/// What a table holds, each workload and each reason once, those with the most calls first.
struct CapturedProducts {
  std::vector<CountedWorkload> products;
  std::vector<SkippedCalls> skipped;
  int64_t pitched_calls = 0;  // of products: their rows are not tight
  int64_t on_device_calls =
      0;  // of products: alpha and beta lie on the device and count as 1 and 0
};

CapturedProducts captured_products(const CallTable& table);

}  // namespace tilewright
