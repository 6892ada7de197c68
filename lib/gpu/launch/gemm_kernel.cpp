#include "gpu/launch/gemm_kernel.hpp"

#include "base/error.hpp"
#include "gpu/launch/skinny_kernel.hpp"
#include "gpu/launch/sm80_kernel.hpp"
#include "gpu/launch/sm90_kernel.hpp"

namespace tilewright {

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
