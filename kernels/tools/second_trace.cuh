// How the kernel that sums parts writes down when it ran: by the first thread of each CTA.
#pragma once

#include "ptx/special_registers.cuh"
#include "tools/trace_record.cuh"

namespace tw {

/// Where the CTA starts to sum. The hardware starts the first CTA first.
__device__ inline void trace_start(TraceRecord& record) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  record.cta = 0;
  record.start_ns = ptx::global_time_ns();
}

/// Where the CTA has summed.
__device__ inline void trace_end(TraceRecord& record) {
  if (threadIdx.x == 0) atomicMax(&record.end_ns, ptx::global_time_ns());
}

}  // namespace tw
