#include "gpu/measure/verifier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "base/math.hpp"
#include "base/text.hpp"
#include "gpu/launch/check.hpp"

namespace tilewright {
namespace {

// Up to this many multiply-adds, all of D is compared: that takes some milliseconds in float64.
constexpr double kFullReferenceMacs = 4e9;
constexpr int kSampledLines = 48;

std::vector<int> every_line(int64_t extent) {
  std::vector<int> lines(static_cast<size_t>(extent));
  std::iota(lines.begin(), lines.end(), 0);
  return lines;
}

// The first, the last, the neighbours of tile edges, and random ones.
std::vector<int> sampled_lines(int64_t extent, uint64_t seed) {
  if (extent <= kSampledLines) return every_line(extent);
  std::set<int> lines;
  for (const int64_t line : {int64_t{0}, int64_t{63}, int64_t{64}, int64_t{127}, int64_t{128},
                             extent / 2, extent - 65, extent - 2, extent - 1}) {
    if (line >= 0 && line < extent) lines.insert(static_cast<int>(line));
  }
  std::mt19937_64 random(seed);
  while (lines.size() < kSampledLines) {
    lines.insert(static_cast<int>(random() % static_cast<uint64_t>(extent)));
  }
  return {lines.begin(), lines.end()};
}

std::string position(unsigned long long index, int64_t n) {
  const auto columns = static_cast<unsigned long long>(n);
  return format("first at row {}, column {}", index / columns, index % columns);
}

// The norm of errors with this sum of squares, relative to that of the compared elements; 0 if
// those are 0.
double relative_norm(double squared_error, const tw::CompareResult& result) {
  return result.squared_norm > 0 ? std::sqrt(squared_error / result.squared_norm) : 0;
}

}  // namespace

Verifier::Verifier(const Workload& workload, size_t index, int plane, const OperandSet& operands,
                   uint64_t seed, const DeviceKernels& kernels)
    : problem_(problem_of(workload, index)),
      scales_a_(scale_layout(workload, Operand::A)),
      scales_b_(scale_layout(workload, Operand::B)),
      part_{workload.op, workload.uplo, plane},
      operands_(operands),
      kernels_(kernels),
      seed_(seed),
      result_(sizeof(tw::CompareResult)) {
  const GemmShape& s = problem_.shape;
  operands_.d = static_cast<char*>(operands.d) + plane * output_bytes();
  operands_.c = plane_of(operands.c, plane, s.m * s.n, addend_type(problem_.kind));
  const double macs = flops(problem_) / 2 * op().phases;
  if (macs <= kFullReferenceMacs) {
    lines_.push_back(reference(true, every_line(s.m)));
  } else {
    lines_.push_back(reference(true, sampled_lines(s.m, seed)));
    lines_.push_back(reference(false, sampled_columns(s.n, seed + 1)));
  }
  prepare_sums();
  checksum_ = operand_checksum();
  TW_CHECK(cudaDeviceSynchronize());
}

tw::OutputArgs Verifier::output_args(const Epilogue& epilogue, int roundings) const {
  const Epilogue& own = problem_.kind.epilogue;
  const auto value_at = [](bool is_scaled, const float* at) {
    float value = 1;
    if (is_scaled) copy_to_host(&value, at, sizeof(value));
    return double{value};
  };
  const bool scales_a = own.scale_a == OperandScale::Tensor;
  const bool scales_b = own.scale_b == OperandScale::Tensor;
  return {.d = operands_.d,
          .c = operands_.c,
          .bias = epilogue.bias || epilogue.row_bias ? operands_.bias : nullptr,
          .m = problem_.shape.m,
          .n = problem_.shape.n,
          .alpha = epilogue.alpha * value_at(scales_a, operands_.scale_a) *
                   value_at(scales_b, operands_.scale_b),
          .beta = epilogue.beta,
          .activation = epilogue.activation,
          .roundings = roundings,
          .part = part_,
          .row_bias = epilogue.row_bias,
          .stacked = epilogue.stacked,
          .scale_d = epilogue.scale_d ? value_at(true, &operands_.scaling->scale) : 1};
}

int64_t Verifier::output_columns() const {
  return tilewright::output_columns(problem_.kind, problem_.shape.n);
}

int64_t Verifier::output_bytes() const {
  return problem_.shape.m * output_columns() * bytes_of(output_type(problem_.kind));
}

// Samples columns of the product; if two of them make one column of D, takes both.
std::vector<int> Verifier::sampled_columns(int64_t n, uint64_t seed) const {
  const Epilogue& e = problem_.kind.epilogue;
  tw::OutputArgs output;
  output.n = n;
  output.activation = e.activation;
  output.stacked = e.stacked;
  std::vector<int> columns;
  for (const int column : sampled_lines(output.columns(), seed)) {
    const int64_t gate = output.gate_column(column);
    columns.push_back(static_cast<int>(gate));
    if (output.gated()) columns.push_back(static_cast<int>(gate + output.up_distance()));
  }
  return columns;
}

// The lines of A are its rows, the lines of B its columns. A rank-k update has a matrix per phase.
tw::Lines Verifier::operand_lines(bool left) const {
  const GemmShape& s = problem_.shape;
  const int64_t lines = left ? s.m : s.n;
  const bool k_contiguous =
      left ? is_k_major_a(problem_.kind.layout) : is_k_major_b(problem_.kind.layout);
  tw::Lines found{.phases = op().phases,
                  .line_stride = k_contiguous ? s.k : 1,
                  .k_stride = k_contiguous ? 1 : lines};
  const Epilogue& e = problem_.kind.epilogue;
  const OperandScale scale = left ? e.scale_a : e.scale_b;
  if (tw::lines_per_scale(tw::form_of(scale)) > 0) {
    found.scales =
        scale_args(left ? scales_a_ : scales_b_, left ? operands_.scale_a : operands_.scale_b);
    found.lines_per_scale = tw::lines_per_scale(tw::form_of(scale));
  }
  if (left) found.added_phases = tw::added_phases(part_.op, part_.plane);
  for (int phase = 0; phase < found.phases; ++phase) {
    const tw::PhaseFactors factors = tw::phase_factors(part_.op, part_.plane, phase);
    const int number = left ? factors.left : factors.right;
    const bool is_a = op().triangular ? number % 2 == 0 : left;
    found.data[phase] = plane_of(is_a ? operands_.a : operands_.b, op().triangular ? number / 2 : 0,
                                 lines * s.k, problem_.kind.dtype);
  }
  return found;
}

// Computes once which sums a correct D has.
void Verifier::prepare_sums() {
  constexpr int64_t kMaxSums = int64_t{1} << 25;  // 256 MiB
  const GemmShape& s = problem_.shape;
  const int64_t blocks = ceil_div(s.n, int64_t{tw::kCheckColumns});
  const int64_t depth = s.k * op().phases;
  if (std::max(s.m * blocks, depth * blocks) > kMaxSums) return;
  const auto doubles = [](int64_t count) {
    return DeviceBuffer(static_cast<size_t>(count) * sizeof(double));
  };
  expected_ = doubles(s.m * blocks);
  norms_ = doubles(2 * (s.m + s.n));
  block_sums_ = doubles(ceil_div(s.m, int64_t{tw::kCheckRows}) * blocks * 3);
  sums_result_ = DeviceBuffer(sizeof(tw::SumsResult));
  auto* const norms = norms_.as<double>();
  const tw::Lines a = lines_of_a();
  const tw::Lines b = lines_of_b();
  kernels_.line_norms(
      {.matrix = a, .lines = s.m, .k = s.k, .twos = norms, .fourths = norms + s.m + s.n});
  kernels_.line_norms(
      {.matrix = b, .lines = s.n, .k = s.k, .twos = norms + s.m, .fourths = norms + 2 * s.m + s.n});
  const DeviceBuffer columns = doubles(blocks * depth);
  kernels_.signed_columns(
      {.b = b, .n = s.n, .k = s.k, .seed = seed_, .sums = columns.as<double>()});
  kernels_.expected_sums({.a = a,
                          .b = b,
                          .m = s.m,
                          .n = s.n,
                          .k = s.k,
                          .blocks = blocks,
                          .signed_columns = columns.as<double>(),
                          .seed = seed_,
                          .part = part_,
                          .expected = expected_.as<double>()});
  TW_CHECK(cudaDeviceSynchronize());
}

uint64_t Verifier::operand_checksum() const {
  const GemmShape& s = problem_.shape;
  const DeviceBuffer sum(sizeof(uint64_t));
  TW_CHECK(cudaMemset(sum.get(), 0, sum.bytes()));
  auto* const device_sum = sum.as<unsigned long long>();
  kernels_.checksum(operands_.a, op().planes * s.m * s.k, device_sum);
  kernels_.checksum(operands_.b, op().planes * s.n * s.k, device_sum);
  const auto add_scales = [&](OperandScale scale, const float* data, int64_t elements) {
    if (scale == OperandScale::None) return;
    const auto bytes = elements * int64_t{sizeof(float)};
    kernels_.checksum(data, bytes / bytes_of(problem_.kind.dtype), device_sum);
  };
  // Those of the product's first k-block or line: in a group others follow.
  const Epilogue& e = problem_.kind.epilogue;
  add_scales(e.scale_a, operands_.scale_a, scales_a_.line == 1 ? s.m : scales_a_.scales_along_k);
  add_scales(e.scale_b, operands_.scale_b, scales_b_.problem > 0 ? scales_b_.problem : 1);
  uint64_t result = 0;
  copy_to_host(&result, sum.get(), sizeof(result));
  return result;
}

ProductVerdict Verifier::check_sums(const Epilogue& epilogue, int roundings) const {
  ProductVerdict verdict;
  if (expected_.bytes() == 0 || !is_linear(epilogue)) return verdict;
  const GemmShape& s = problem_.shape;
  const int64_t blocks = ceil_div(s.n, int64_t{tw::kCheckColumns});
  tw::SumsResult result;
  copy_to_device(sums_result_.get(), &result, sizeof(result));
  TW_CHECK(cudaMemset(block_sums_.get(), 0, block_sums_.bytes()));
  const auto* const norms = norms_.as<double>();
  kernels_.check_sums({.output = output_args(epilogue, roundings),
                       .seed = seed_,
                       .bound = sum_bound(s.m * blocks),
                       .expected = expected_.as<double>(),
                       .twos_a = norms,
                       .twos_b = norms + s.m,
                       .fourths_a = norms + s.m + s.n,
                       .fourths_b = norms + 2 * s.m + s.n,
                       .block_sums = block_sums_.as<double>(),
                       .result = sums_result_.as<tw::SumsResult>()});
  copy_to_host(&result, sums_result_.get(), sizeof(result));
  std::vector<BlockSums> sums(block_sums_.bytes() / sizeof(BlockSums));
  copy_to_host(sums.data(), block_sums_.get(), block_sums_.bytes());
  verdict.wrong_sums = static_cast<int64_t>(result.wrong_sums);
  if (result.wrong_sums > 0) {
    verdict.first_row = static_cast<int64_t>(result.first_wrong) / s.n;
    verdict.first_column = static_cast<int64_t>(result.first_wrong) % s.n;
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    const int64_t row = static_cast<int64_t>(i) / blocks * tw::kCheckRows;
    const int64_t rows = std::min(int64_t{tw::kCheckRows}, s.m - row);
    if (is_right_block(sums[i], rows, std::ssize(sums), types_of(roundings))) continue;
    ++verdict.wrong_blocks;
    if (verdict.first_row >= 0) continue;
    verdict.first_row = row;
    verdict.first_column = static_cast<int64_t>(i) % blocks * tw::kCheckColumns;
  }
  return verdict;
}

ProductTypes Verifier::types_of(int roundings) const {
  return {.output = output_type(problem_.kind),
          .operand = problem_.kind.dtype,
          .roundings = roundings,
          .k = terms_at_once(problem_.kind, problem_.shape.k * op().phases)};
}

std::string Verifier::find_stray_write() const {
  const auto* const d = static_cast<const char*>(operands_.d) - part_.plane * output_bytes();
  std::vector<unsigned char> zone(static_cast<size_t>(operands_.red_zone_bytes));
  if (!zone.empty()) {
    copy_to_host(zone.data(), d - zone.size(), zone.size());
    if (const auto at = first_overwritten(zone)) {
      return format("the kernel wrote a byte {} before D", zone.size() - *at);
    }
    copy_to_host(zone.data(), d + op().planes * output_bytes(), zone.size());
    if (const auto at = first_overwritten(zone))
      return format("the kernel wrote a byte {} behind D", *at);
  }
  return operand_checksum() == checksum_ ? "" : "the kernel wrote to an operand";
}

Verifier::Reference Verifier::reference(bool rows, const std::vector<int>& samples) const {
  Reference lines;
  lines.are_rows = rows;
  lines.count = static_cast<int>(samples.size());
  lines.length = rows ? problem_.shape.n : problem_.shape.m;
  const size_t elements = samples.size() * static_cast<size_t>(lines.length);
  lines.samples = DeviceBuffer(samples.size() * sizeof(int));
  lines.sums = DeviceBuffer(elements * sizeof(double));
  lines.magnitudes = DeviceBuffer(elements * sizeof(double));
  lines.squares = DeviceBuffer(elements * sizeof(double));
  copy_to_device(lines.samples.get(), samples.data(), lines.samples.bytes());
  const GemmShape& s = problem_.shape;
  const tw::Lines a = lines_of_a();
  const tw::Lines b = lines_of_b();
  kernels_.reference_lines({.left = rows ? a : b,
                            .right = rows ? b : a,
                            .samples = lines.samples.as<int>(),
                            .sample_count = lines.count,
                            .right_lines = lines.length,
                            .k = s.k,
                            .sums = lines.sums.as<double>(),
                            .magnitudes = lines.magnitudes.as<double>(),
                            .squares = lines.squares.as<double>()});
  return lines;
}

void Verifier::poison(cudaStream_t stream) const {
  const auto bytes = static_cast<size_t>(output_bytes());
  TW_CHECK(cudaMemsetAsync(operands_.d, tw::kPoisonByte, bytes, stream));
  if (operands_.scaling == nullptr) return;
  unsigned* const most = &operands_.scaling->absmax;
  TW_CHECK(cudaMemsetAsync(most, 0, sizeof(*most), stream));
}

void Verifier::compare(const Reference& lines, const Epilogue& epilogue, int roundings,
                       tw::CompareResult* result) const {
  kernels_.compare_lines({.output = output_args(epilogue, roundings),
                          .samples = lines.samples.as<int>(),
                          .sample_count = lines.count,
                          .line_length = lines.length,
                          .lines_are_rows = lines.are_rows,
                          .sums = lines.sums.as<double>(),
                          .magnitudes = lines.magnitudes.as<double>(),
                          .squares = lines.squares.as<double>(),
                          .result = result});
}

Verification Verifier::check(const Epilogue& epilogue, int roundings) const {
  tw::CompareResult result;
  copy_to_device(result_.get(), &result, sizeof(result));
  auto* const device_result = result_.as<tw::CompareResult>();
  for (const Reference& lines : lines_) compare(lines, epilogue, roundings, device_result);
  // If D is not linear in the product, its sums prove nothing: elements of every block are
  // compared.
  if (!is_linear(epilogue) && lines_.size() > 1) {
    kernels_.compare_samples({.output = output_args(epilogue, roundings),
                              .a = lines_of_a(),
                              .b = lines_of_b(),
                              .k = problem_.shape.k,
                              .seed = seed_,
                              .result = device_result});
  }
  kernels_.count_poison({.d = operands_.d,
                         .m = problem_.shape.m,
                         .n = output_columns(),
                         .part = part_,
                         .result = device_result});
  copy_to_host(&result, device_result, sizeof(result));
  Verification verification;
  verification.rel_error = relative_norm(result.squared_error, result);
  verification.detail = first_fault(result, epilogue, roundings);
  verification.ok = verification.detail.empty();
  return verification;
}

// The first fault; empty when there is none.
std::string Verifier::first_fault(const tw::CompareResult& result, const Epilogue& epilogue,
                                  int roundings) const {
  const int64_t n = output_columns();
  if (result.untouched_count > 0) {
    return format("the kernel never wrote {} elements, {}", result.untouched_count,
                  position(result.first_untouched, n));
  }
  if (result.outside_count > 0) {
    return format("the kernel wrote {} elements outside of the triangle, {}", result.outside_count,
                  position(result.first_outside, n));
  }
  if (result.bad_count > 0) {
    return format("{} compared elements are wrong, {}", result.bad_count,
                  position(result.first_bad, n));
  }
  const ProductTypes types = types_of(roundings);
  const double allowed = allowed_squared_error({.count = static_cast<double>(result.compared),
                                                .values = result.squared_norm,
                                                .terms = result.squared_terms},
                                               types);
  if (result.squared_error > allowed) {
    return format("relative error {:.2e} is above {:.1g}",
                  relative_norm(result.squared_error, result), relative_norm(allowed, result));
  }
  if (std::string fault = maximum_fault(epilogue); !fault.empty()) return fault;
  const ProductVerdict sums = check_sums(epilogue, roundings);
  if (sums.ok()) return find_stray_write();
  return format(
      "{} sums of 64 elements and {} blocks of them are wrong, first from row {}, column {}",
      sums.wrong_sums, sums.wrong_blocks, sums.first_row, sums.first_column);
}

// Rounding and the product with a positive scale are monotonic: the largest element of D is the
// rounded maximum, exactly.
std::string Verifier::maximum_fault(const Epilogue& epilogue) const {
  if (!epilogue.absmax) return "";
  tw::CompareResult result;
  copy_to_device(result_.get(), &result, sizeof(result));
  auto* const device_result = result_.as<tw::CompareResult>();
  kernels_.largest_element({.d = operands_.d,
                            .m = problem_.shape.m,
                            .n = output_columns(),
                            .part = part_,
                            .result = device_result});
  copy_to_host(&result, device_result, sizeof(result));
  const DeviceBuffer rounded(sizeof(unsigned));
  kernels_.round_maximum(operands_.scaling, epilogue.scale_d, rounded.as<unsigned>());
  unsigned bits = 0;
  copy_to_host(&bits, rounded.get(), sizeof(bits));
  if (bits == result.most) return "";
  return format("the absolute maximum gives {} in D, whose largest element is {}",
                std::bit_cast<float>(bits), std::bit_cast<float>(result.most));
}

WorkloadVerifier::WorkloadVerifier(const Workload& workload, const OperandSet& operands,
                                   uint64_t seed, const DeviceKernels& kernels) {
  for (size_t i = 0; i < workload.shapes.size(); ++i) {
    const Problem product = problem_of(workload, i);
    if (product.shape.m == 0 || product.shape.n == 0) continue;
    const OperandSet own = is_group(workload) ? operands_of(operands, workload, i) : operands;
    for (int plane = 0; plane < tw::record_of(workload.op).planes; ++plane) {
      products_.emplace_back(std::piecewise_construct, std::forward_as_tuple(i),
                             std::forward_as_tuple(workload, i, plane, own, seed, kernels));
    }
  }
}

void WorkloadVerifier::poison(cudaStream_t stream) const {
  for (const auto& numbered : products_) numbered.second.poison(stream);
}

std::string WorkloadVerifier::find_stray_write() const {
  for (const auto& numbered : products_) {
    if (std::string stray = numbered.second.find_stray_write(); !stray.empty()) return stray;
  }
  return {};
}

Verification WorkloadVerifier::check(const Epilogue& epilogue, int roundings) const {
  Verification all;
  all.ok = true;
  for (const auto& [number, product] : products_) {
    const Verification own = product.check(epilogue, roundings);
    all.rel_error = std::max(all.rel_error, own.rel_error);
    if (own.ok || !all.ok) continue;
    all.ok = false;
    all.detail =
        products_.back().first == 0 ? own.detail : format("product {}: {}", number, own.detail);
  }
  return all;
}

}  // namespace tilewright
