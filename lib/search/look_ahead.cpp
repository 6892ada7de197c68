#include "search/look_ahead.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <utility>
#include <vector>

#include "search/leaders.hpp"
#include "search/predict.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

// Lowers the priority of this thread and of threads that it starts; Linux has it by thread. If the
// system refuses, all threads are equal.
void lower_priority() {
  constexpr int kNiceness = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness);
}

}  // namespace

std::future<Ranking> look_ahead(const Workload& problem, const TunePolicy& policy,
                                const DeviceSpec& device,
                                std::unique_ptr<KernelCompiler> compiler) {
  return std::async(std::launch::async,
                    [problem, policy, device, compiler = std::move(compiler)]() -> Ranking {
                      Ranking ranking = rank_to_tune(problem, policy, device);
                      if (compiler == nullptr || policy.strategy != Strategy::Model) return ranking;
                      std::vector<Plan> plans;
                      const FirstKernels first = first_kernels(ranking, policy);
                      for (const RankedConfig& kernel : first.order) {
                        if (plans.size() == first.count) break;
                        plans.push_back(make_plan(problem, kernel.config, device));
                      }
                      lower_priority();
                      try {
                        compiler->build(plans, architecture(device));
                      } catch (const std::exception&) {
                        // The caller that needs them builds them again, and gets the error.
                      }
                      return ranking;
                    });
}

}  // namespace tilewright
