// Runs one shared-memory instruction of one warp with given addresses, for the hardware counters to
// measure. Compiled by NVRTC; kAccess comes from the host.

#include "config.cuh"  // written by the host: inline constexpr tw::ProbedAccess kAccess
#include "ptx/shared_access.cuh"
#include "tools/access_probe_args.cuh"

/// `addresses`: 32 byte offsets into shared memory; lanes with negative ones are predicated off.
/// `sink`: 32 words that keep the loads alive.
extern "C" __global__ void __launch_bounds__(32, 1)
    access_probe(const int* addresses, unsigned* sink) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  const int offset = addresses[threadIdx.x];
  const unsigned active = offset >= 0 ? 1 : 0;
  const unsigned address = base + (active != 0 ? static_cast<unsigned>(offset) : 0);
  unsigned result = threadIdx.x;
  if constexpr (kAccess.kind == tw::ProbedKind::Load) {
    result = tw::ptx::load_shared<kAccess.bytes>(address, active);
  } else if constexpr (kAccess.kind == tw::ProbedKind::Store) {
    tw::ptx::store_shared<kAccess.bytes>(address, active, result);
  } else if constexpr (kAccess.kind == tw::ProbedKind::LoadMatrix) {
    result = tw::ptx::load_matrix<kAccess.matrices, kAccess.transposed>(address);
  } else if constexpr (kAccess.kind == tw::ProbedKind::StoreMatrix) {
    tw::ptx::store_matrix<kAccess.matrices, kAccess.transposed>(address, result);
  }
  sink[threadIdx.x] = result;
}
