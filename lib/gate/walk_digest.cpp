#include "gate/walk_digest.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/estimate.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/external_schedule.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

// Adds a unit to a CTA's digest; hashing the digest with the unit needs only 8 bytes per CTA.
uint64_t hash_unit(uint64_t so_far, const ScheduledUnit& unit) {
  const WorkTile& w = unit.work;
  return hash_number(format("{} {} {} {} {} {} {}", so_far, w.problem, w.m, w.n, w.k_begin, w.k_end,
                            static_cast<int>(unit.kind)));
}

struct StoredWalk {
  const char* problem;
  const char* dtype;
  const char* config;
  int64_t ctas;
  int band;    // rows of tiles in a band; a band's columns are walked from top to bottom
  int stride;  // step through the tiles in that order; coprime to their count
  int parts;   // of a tile along k
};

// Grids that fit in L2 and that do not, long and short K, whole and divided tiles.
constexpr StoredWalk kStoredWalks[] = {
    {"3072x4096x4096", "bf16", "family=sm90,cta=128x256x64,stages=4,raster=row", 132, 1, 1, 1},
    {"3072x4096x4096", "bf16", "family=sm90,cta=128x256x64,stages=4,raster=row", 132, 8, 1, 1},
    {"9216x8192x1024", "bf16", "family=sm90,cta=128x256x64,stages=4,raster=row", 132, 1, 1, 1},
    {"9216x8192x1024", "bf16", "family=sm90,cta=128x256x64,stages=4,raster=row", 132, 72, 101, 1},
    {"1000x1000x520", "bf16", "family=sm90,cta=128x128x64,stages=3,raster=row", 48, 2, 3, 1},
    {"1024x1024x8192", "bf16",
     "family=sm90,cta=128x128x64,stages=4,raster=row,decomposition=stream-k", 128, 1, 1, 2},
    {"2048x2048x4096", "e4m3", "family=sm90,cta=128x128x128,stages=4,raster=row", 132, 4, 1, 1},
    {"2048x2048x2048", "bf16", "family=sm80,cta=128x128x32,warps=2x2,stages=4,raster=row", 108, 4,
     1, 1},
    {"8x4096x4096", "bf16", "family=skinny,cta=8x16x128,k_warps=8,stages=2", 132, 1, 1, 1}};

std::vector<TileCoord> order_of(TileCoord tiles, const StoredWalk& walk) {
  std::vector<TileCoord> banded;
  banded.reserve(static_cast<size_t>(tiles.m) * static_cast<size_t>(tiles.n));
  for (int top = 0; top < tiles.m; top += walk.band) {
    for (int n = 0; n < tiles.n; ++n) {
      for (int m = top; m < std::min(top + walk.band, tiles.m); ++m) banded.push_back({m, n});
    }
  }
  std::vector<TileCoord> order;
  order.reserve(banded.size());
  for (size_t i = 0; i < banded.size(); ++i) {
    order.push_back(banded[i * static_cast<size_t>(walk.stride) % banded.size()]);
  }
  return order;
}

// Parts of a tile go to neighbouring CTAs, in the order of their k ranges.
std::shared_ptr<const ExternalSchedule> work_of(const PlannedProblem& problem,
                                                const StoredWalk& walk) {
  auto work = std::make_shared<ExternalSchedule>();
  work->of_cta.resize(static_cast<size_t>(walk.ctas));
  const int32_t steps = problem.work.k_steps;
  size_t dealt = 0;
  for (const TileCoord tile : order_of(problem.tiles, walk)) {
    for (int part = 0; part < walk.parts; ++part) {
      const WorkTile piece{0, tile.m, tile.n, steps * part / walk.parts,
                           steps * (part + 1) / walk.parts};
      work->of_cta[dealt++ % work->of_cta.size()].push_back(piece);
    }
  }
  return work;
}

// Empty if the device cannot run the walk.
std::string price_text(const StoredWalk& walk, const DeviceSpec& device) {
  Workload workload = workload_of({parse_shape(walk.problem)});
  workload.kind.dtype = parse_data_type(walk.dtype);
  const TileConfig config = parse_config(walk.config).values;
  if (reject_workload(workload, config, device)) return "";
  PlanOptions options;
  options.external = work_of(count_problem(workload, workload.shapes.front(), config), walk);
  const Estimate price = estimate(make_plan(workload, config, device, options), device);
  return format("{:.9g} {:.9g} {:.9g}\n", price.us, price.dram_read_bytes, price.dram_write_bytes);
}

}  // namespace

std::string walk_digest(const Plan& plan) {
  std::map<int64_t, uint64_t> of_cta;
  for_each_unit(plan, [&of_cta](const ScheduledUnit& unit) {
    uint64_t& so_far = of_cta[unit.cta];
    so_far = hash_unit(so_far, unit);
  });
  std::string text;
  for (const auto& [cta, digest] : of_cta) text += format("{} {}\n", cta, digest);
  return hash_text(text);
}

std::string price_digest(const DeviceSpec& device) {
  std::string text;
  for (const StoredWalk& walk : kStoredWalks) text += price_text(walk, device);
  return hash_text(text);
}

}  // namespace tilewright
