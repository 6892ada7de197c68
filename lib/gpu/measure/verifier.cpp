#include "gpu/measure/verifier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "base/text.hpp"
#include "gpu/compile/check.hpp"

namespace tilewright {
namespace {

// Up to this many multiply-adds all of D is compared: some milliseconds of float64.
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

// The lines of A are its rows, those of B its columns.
tw::Lines operand_lines(const void* data, int64_t lines, int64_t k, bool k_contiguous) {
  return {.data = data, .line_stride = k_contiguous ? k : 1, .k_stride = k_contiguous ? 1 : lines};
}

std::string position(unsigned long long index, int64_t n) {
  const auto columns = static_cast<unsigned long long>(n);
  return format("first at row {}, column {}", index / columns, index % columns);
}

}  // namespace

Verifier::Verifier(const Problem& problem, const OperandSet& operands, uint64_t seed,
                   const DeviceKernels& kernels)
    : problem_(problem),
      operands_(operands),
      kernels_(kernels),
      result_(sizeof(tw::CompareResult)) {
  const GemmShape& s = problem.shape;
  const double macs = flops(problem) / 2;
  if (macs <= kFullReferenceMacs) {
    lines_.push_back(reference(true, every_line(s.m)));
  } else {
    lines_.push_back(reference(true, sampled_lines(s.m, seed)));
    lines_.push_back(reference(false, sampled_lines(s.n, seed + 1)));
  }
  TW_CHECK(cudaDeviceSynchronize());
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
  const tw::Lines a = operand_lines(operands_.a, s.m, s.k, k_contiguous_a(problem_.layout));
  const tw::Lines b = operand_lines(operands_.b, s.n, s.k, k_contiguous_b(problem_.layout));
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

void Verifier::poison() const {
  const int64_t bytes = problem_.shape.m * problem_.shape.n * bytes_of(output_type(problem_));
  TW_CHECK(cudaMemset(operands_.d, tw::kPoisonByte, static_cast<size_t>(bytes)));
}

void Verifier::compare(const Reference& lines, Scaling scaling, int roundings,
                       tw::CompareResult* result) const {
  kernels_.compare_lines({.d = operands_.d,
                          .c = operands_.c,
                          .bias = operands_.bias,
                          .n = problem_.shape.n,
                          .alpha = scaling.alpha,
                          .beta = scaling.beta,
                          .samples = lines.samples.as<int>(),
                          .sample_count = lines.count,
                          .line_length = lines.length,
                          .lines_are_rows = lines.are_rows,
                          .sums = lines.sums.as<double>(),
                          .magnitudes = lines.magnitudes.as<double>(),
                          .squares = lines.squares.as<double>(),
                          .roundings = roundings,
                          .result = result});
}

Verification Verifier::check(Scaling scaling, int roundings) const {
  tw::CompareResult result;
  copy_to_device(result_.get(), &result, sizeof(result));
  auto* const device_result = result_.as<tw::CompareResult>();
  for (const Reference& lines : lines_) compare(lines, scaling, roundings, device_result);
  kernels_.count_poison(operands_.d, problem_.shape.m * problem_.shape.n, device_result);
  copy_to_host(&result, device_result, sizeof(result));
  // Independent errors add up by their squares.
  const double rounded = tw::record_of(output_type(problem_)).rel_error * std::sqrt(roundings);
  const double summed =
      tw::record_of(problem_.dtype).sum_error * std::sqrt(static_cast<double>(problem_.shape.k));
  const double limit = rounded + summed;
  Verification verification;
  verification.rel_error =
      result.squared_norm > 0 ? std::sqrt(result.squared_error / result.squared_norm) : 0;
  if (result.untouched_count > 0) {
    verification.detail = format("{} elements were never written, {}", result.untouched_count,
                                 position(result.first_untouched, problem_.shape.n));
  } else if (result.bad_count > 0) {
    verification.detail = format("{} compared elements are wrong, {}", result.bad_count,
                                 position(result.first_bad, problem_.shape.n));
  } else if (verification.rel_error > limit) {
    verification.detail =
        format("relative error {:.2e} is above {:.1g}", verification.rel_error, limit);
  }
  verification.ok = verification.detail.empty();
  return verification;
}

}  // namespace tilewright
