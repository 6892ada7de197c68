#include "gpu/launch/gemm_kernel.hpp"

#include "base/error.hpp"
#include "gpu/launch/skinny_kernel.hpp"
#include "gpu/launch/sm80_kernel.hpp"
#include "gpu/launch/sm90_kernel.hpp"
#include "tile/plan/partial_store.hpp"

namespace tilewright {

LaunchMemory launch_memory(const Plan& plan) {
  if (plan.config.family == Family::Sm90) return sm90_memory(plan);
  const PartialStore store = partial_store(plan);
  return {.zeroed = store.ticket_bytes(), .scratch = store.bytes};
}

std::vector<LaunchStep> launch_steps(const Plan& plan) {
  switch (plan.config.family) {
    case Family::Sm80: return sm80_steps(plan);
    case Family::Skinny: return skinny_steps(plan);
    case Family::Sm90: return sm90_steps(plan);
  }
  throw internal_error("a family without kernels");
}

std::unique_ptr<GemmKernel> load_gemm_kernel(std::span<const std::string> cubins, const Plan& plan,
                                             KernelExtras extras) {
  switch (plan.config.family) {
    case Family::Sm80: return load_sm80_kernel(cubins, plan, extras);
    case Family::Skinny: return load_skinny_kernel(cubins, plan, extras);
    case Family::Sm90: return load_sm90_kernel(cubins, plan, extras);
  }
  throw internal_error("a family without kernels");
}

}  // namespace tilewright
