// tilewright worker: the process that runs kernels on a GPU for another process.

#include <unistd.h>

#include <memory>

#include "base/error.hpp"
#include "harness/host_runner.hpp"
#include "host/devices.hpp"
#include "store/cubin_manifest_file.hpp"
#include "verbs/verbs.hpp"
#include "worker/serve_runner.hpp"

namespace tilewright {

ExitCode run_worker(const WorkerOptions& options) {
  if (isatty(STDIN_FILENO) != 0) {
    throw usage_error(
        "worker serves another tilewright process on standard input: run tune or bench instead");
  }
  serve_runner([&options]() -> std::unique_ptr<Runner> {
    if (options.device == "host") return make_host_runner(options.seed);
    const ResolvedDevice device = resolve_device(options.device);
    return device.backend->open_runner(device.gpu_index, device.spec,
                                       {.seed = options.seed,
                                        .regime = options.regime,
                                        .beside = options.beside,
                                        .read_manifest = load_cubin_manifest});
  });
  return ExitCode::Good;
}

}  // namespace tilewright
