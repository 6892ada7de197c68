#include "harness_grid.hpp"

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "harness_files.hpp"
#include "search/admission.hpp"
#include "store/harness_json.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {
namespace {

// Runs a library for host memory on the host, even if the host has a GPU.
std::unique_ptr<Runner> open_for(const HarnessRequest& request) {
  std::unique_ptr<Runner> host = open_harness_runner(resolve_harness_device("host"));
  if (read_harness(host->describe(request.file), request.file).on_host) return host;
  return open_harness_runner(resolve_harness_device("auto"));
}

}  // namespace

HarnessGrid harness_grid(const GridOptions& options) {
  if (!options.raster.empty() || options.cluster != "1x1" || !options.cta.empty()) {
    throw usage_error(
        "--from-harness defines the tiles and their order: omit --raster, --cluster and --cta");
  }
  const HarnessRequest request = parse_harness_request(options.harness);
  require_file(request);
  const Workload workload = workload_of(Problem{.shape = parse_shape(options.grid),
                                                .kind = {.dtype = parse_data_type(options.dtype)}});
  const std::unique_ptr<Runner> runner = open_for(request);
  const Contender contender = contender_of(chosen_config(*runner, request, workload));
  runner->prepare(workload);
  const BuildResult built = runner->build_foreign({&contender, 1}).front();
  const ForeignMapping mapping = built.ok() ? runner->mapping_of(contender)
                                            : ForeignMapping{.tiles = {}, .why_not = built.reason};
  if (!mapping.why_not.empty()) {
    throw usage_error(format("{}: {}", contender.name, mapping.why_not));
  }
  const GemmShape& shape = workload.shapes.front();
  HarnessGrid grid{.options = options, .order = {.name = contender.name, .tiles = mapping.tiles}};
  grid.options.harness.clear();
  grid.options.grid =
      format("{}x{}", ceil_div(shape.m, mapping.tile_m), ceil_div(shape.n, mapping.tile_n));
  if (!options.device.empty()) {
    constexpr int kStep = 64;  // elements of K; the replay takes longer steps
    grid.options.cta = format("{}x{}x{}", mapping.tile_m, mapping.tile_n, kStep);
    grid.options.k = shape.k;
  }
  return grid;
}

}  // namespace tilewright
