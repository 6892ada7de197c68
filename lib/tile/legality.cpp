#include "tile/legality.hpp"

#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/legality_rules.hpp"

namespace tilewright {
namespace {

using Verdict = std::optional<Rejection>;

Verdict check_architecture(const Problem&, const TileConfig&, const DeviceSpec& d) {
  if (d.compute_major == 9) return {};
  return Rejection{"architecture", format("the sm90 family needs compute capability 9.0; {} has "
                                          "{}.{}",
                                          d.name, d.compute_major, d.compute_minor)};
}

Verdict check_tile_shape(const Problem&, const TileConfig& c, const DeviceSpec&) {
  const bool m_ok = c.cta.m >= 64 && c.cta.m <= 256 && c.cta.m % 64 == 0;
  const bool n_ok = c.cta.n >= 64 && c.cta.n <= 256 && c.cta.n % 16 == 0;
  if (c.schedule == KernelSchedule::PingPong && c.cta.m > 192) {
    return Rejection{"tile-shape",
                     format("cta {}: ping-pong tiles have at most 192 rows", to_string(c.cta))};
  }
  if (m_ok && n_ok && c.cta.k == 64) return {};
  return Rejection{"tile-shape",
                   format("cta {}: m is 64, 128, 192 or 256, n a multiple of 16 from 64 to 256, "
                          "k 64",
                          to_string(c.cta))};
}

Verdict check_cluster(const Problem&, const TileConfig& c, const DeviceSpec& d) {
  const int size = c.cluster.m * c.cluster.n;
  const bool known = size == 1 || size == 2;
  if (!known || size > d.max_cluster_size) {
    return Rejection{"cluster",
                     format("cluster {}: 1x1, 2x1 and 1x2 have kernels", to_string(c.cluster))};
  }
  // A CTA loads one part of the shared operand for all of its cluster; parts are whole swizzle
  // atoms.
  if ((c.cta.n / c.cluster.m) % 8 != 0 || (c.cta.m / c.cluster.n) % 8 != 0) {
    return Rejection{"cluster", format("cluster {}: its share of cta {} is no multiple of 8 rows",
                                       to_string(c.cluster), to_string(c.cta))};
  }
  return {};
}

Verdict check_shared_memory(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  const int bytes = kernel_params(c, p).smem_bytes();
  if (c.stages >= 2 && bytes <= d.smem_per_cta_bytes) return {};
  if (c.stages < 2) return Rejection{"shared-memory", "a pipeline needs at least 2 stages"};
  return Rejection{"shared-memory", format("{} stages of cta {} take {} bytes, {} has {}", c.stages,
                                           to_string(c.cta), bytes, d.name, d.smem_per_cta_bytes)};
}

Verdict check_registers(const Problem& p, const TileConfig& c, const DeviceSpec& d) {
  const tw::TileParams params = kernel_params(c, p);
  // Beside the accumulators: addresses and the epilogue over a thread's life; operands of one wgmma
  // at launch, when the warpgroups have not traded registers yet.
  constexpr int kBesideAccumulators = 40;
  constexpr int kBesideInstruction = 26;
  const int held = params.accumulator_registers() + kBesideAccumulators;
  const int budget = std::min(params.consumer_registers(), 255);
  if (held > budget) {
    return Rejection{
        "registers",
        format("cta {} ({}) holds {} accumulators a thread; {} of {} registers", to_string(c.cta),
               to_string(c.schedule), params.accumulator_registers(), held, budget)};
  }
  const int at_once = params.cta_n / 2 + kBesideInstruction;
  if (at_once > params.launch_registers() || params.threads() * 24 > d.registers_per_sm) {
    return Rejection{
        "registers",
        format("one wgmma of cta {} takes {} registers, a thread of {} has {}", to_string(c.cta),
               at_once, params.threads(), params.launch_registers())};
  }
  return {};
}

Verdict check_alignment(const Problem& p, const TileConfig&, const DeviceSpec&) {
  return reject_problem(p);
}

Verdict check_decomposition(const Problem& p, const TileConfig& c, const DeviceSpec&) {
  if (!std::holds_alternative<DataParallel>(c.decomposition)) {
    return Rejection{"decomposition",
                     format("{} has no kernel: use data-parallel", to_string(c.decomposition))};
  }
  if (c.swap_ab || p.layout != MatrixLayout::TN || p.out_dtype || p.bias) {
    return Rejection{"operands", format("{} has no kernel", to_string(p))};
  }
  return {};
}

}  // namespace

std::optional<Rejection> reject_problem(const Problem& p) {
  const int64_t unit = 16 / element_bytes(p.dtype);
  struct Row {
    char name;
    int64_t size;
    const char* operands;
  };
  for (const Row row : {Row{'K', p.shape.k, "A and B"}, Row{'N', p.shape.n, "D"}}) {
    if (row.size % unit == 0) continue;
    const int64_t below = row.size / unit * unit;
    const std::string smaller = below > 0 ? format("{} or ", below) : "";
    return Rejection{
        "alignment",
        format("{} = {}: rows of {} are {} bytes, and TMA addresses rows of a multiple of 16 bytes "
               "only; {} = {}{} (padded with zeros) works",
               row.name, row.size, row.operands, row.size * element_bytes(p.dtype), row.name,
               smaller, round_up(row.size, unit))};
  }
  return {};
}

std::optional<Rejection> reject_config(const Problem& problem, const TileConfig& config,
                                       const DeviceSpec& device) {
  if (config.family == Family::Sm80) return reject_sm80(problem, config, device);
  if (config.family == Family::Skinny) return reject_skinny(problem, config, device);
  for (const auto check :
       {check_architecture, check_tile_shape, check_cluster, check_shared_memory, check_registers,
        check_alignment, reject_wave, reject_raster, check_decomposition}) {
    if (Verdict verdict = check(problem, config, device)) return verdict;
  }
  return {};
}

}  // namespace tilewright
