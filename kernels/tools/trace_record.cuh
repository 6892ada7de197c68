// The record that a kernel's trace build writes.
#pragma once

namespace tw {

/// One unit in the kernel's trace build: which CTA took it, where and when. A second kernel, which
/// sums parts, has one record: `cta` 0, from its first CTA's start to its last one's end.
struct TraceRecord {
  int cta = -1;  // -1: an unused record
  int sm = 0;
  int slot = 0;  // of the raster, in clusters
  int m = 0;     // the CTA's own output tile; outside the grid for overhang
  int n = 0;
  int inside = 0;
  int k_begin = 0;  // k-steps of the unit
  int k_end = 0;
  unsigned long long start_ns = 0;
  unsigned long long end_ns = 0;
  int problem = 0;  // in a group
};

}  // namespace tw
