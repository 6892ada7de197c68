#include "request/harness_grid.hpp"

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "harness/cubin_plan.hpp"
#include "harness/harness_file.hpp"
#include "host/harness_files.hpp"
#include "search/admission.hpp"
#include "store/cubin_manifest_file.hpp"
#include "store/harness_json.hpp"
#include "tile/workload/workload.hpp"

namespace tilewright {
namespace {

// A library for host memory runs on the host, even if the host has a GPU.
std::unique_ptr<Runner> open_for(const HarnessRequest& request) {
  std::unique_ptr<Runner> host = open_harness_runner(resolve_harness_device("host"));
  if (read_harness(host->describe(request.file), request.file).on_host) return host;
  return open_harness_runner(resolve_harness_device("auto"));
}

// The mapping of the config `name`.
struct NamedMapping {
  std::string name;
  ForeignMapping mapping;
};

// A mapping does not depend on scales: they are those that the harness needs.
Workload with_needs(const HarnessDescription& harness, Workload workload) {
  workload.kind.epilogue = scales_among(harness.takes.needs);
  return workload;
}

NamedMapping mapping_of_library(const HarnessRequest& request, const Workload& given) {
  const std::unique_ptr<Runner> runner = open_for(request);
  const HarnessDescription harness = describe_harness(*runner, request);
  const Workload workload = with_needs(harness, given);
  const Contender contender = contender_of(chosen_config(harness, request, workload));
  runner->prepare(workload);
  const BuildResult built = runner->build_foreign({&contender, 1}).front();
  return {contender.name, built.ok() ? runner->mapping_of(contender)
                                     : ForeignMapping{.tiles = {}, .why_not = built.reason}};
}

// A manifest maps its slots by expressions, for which nothing runs.
NamedMapping mapping_of_manifest(const HarnessRequest& request, const Workload& given) {
  const CubinManifest manifest = load_cubin_manifest(request.file);
  const Workload workload = with_needs(manifest.description, given);
  const ForeignConfig config = chosen_config(manifest.description, request, workload);
  return {to_string(config), mapping_of(manifest, workload, config.values)};
}

}  // namespace

HarnessGrid harness_grid(const GridOptions& options) {
  if (!options.raster.empty() || options.cluster != "1x1" || !options.cta.empty()) {
    throw usage_error(
        "--from-harness defines the tiles and their order: omit --raster, --cluster and --cta");
  }
  const HarnessRequest request = parse_harness_request(options.harness);
  require_file(request);
  const Workload workload =
      workload_of(Problem{.shape = parse_shape(options.grid), .kind = {.dtype = options.dtype}});
  const NamedMapping found = is_manifest(request.file) ? mapping_of_manifest(request, workload)
                                                       : mapping_of_library(request, workload);
  const ForeignMapping& mapping = found.mapping;
  if (!mapping.why_not.empty()) throw usage_error(format("{}: {}", found.name, mapping.why_not));
  const GemmShape& shape = workload.shapes.front();
  return {.tiles = {static_cast<int>(ceil_div(shape.m, mapping.tile_m)),
                    static_cast<int>(ceil_div(shape.n, mapping.tile_n))},
          .order = {.name = found.name, .tiles = mapping.tiles},
          .tile_m = mapping.tile_m,
          .tile_n = mapping.tile_n,
          .k = shape.k};
}

}  // namespace tilewright
