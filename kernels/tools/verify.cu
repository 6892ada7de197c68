// Data and truth: random operands, the float64 reference on sampled rows and columns, the
// comparison. Compiled by NVRTC; kElement and kOutput come from the host.

#include "config.cuh"  // written by the host: inline constexpr tw::ElementType kElement, kOutput
#include "ptx/convert.cuh"
#include "tools/product_check.cuh"
#include "tools/verify_args.cuh"

namespace {

constexpr int kWarpThreads = 32;

__device__ long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ long long thread_count() {
  return static_cast<long long>(gridDim.x) * blockDim.x;
}

constexpr tw::ElementType kAddend = tw::record_of(kElement).addend;

// Elements as they are stored.
using Operand = tw::ptx::Bits<kElement>;
using Addend = tw::ptx::Bits<kAddend>;
using Output = tw::ptx::Bits<kOutput>;

// Element `at` of a matrix of that type.
template <tw::ElementType E>
__device__ double value_at(const void* matrix, long long at) {
  return tw::ptx::to_float<E>(static_cast<const tw::ptx::Bits<E>*>(matrix)[at]);
}

// Element `at` of an operand's phase, with its sign.
__device__ double operand_at(const tw::Lines& lines, int phase, long long at) {
  const double value = value_at<kElement>(lines.data[phase], at);
  return phase < lines.added_phases ? value : -value;
}

__device__ bool is_finite(double x) {
  return x - x == 0;
}

__device__ double warp_sum(double x) {
  for (int offset = kWarpThreads / 2; offset > 0; offset /= 2) {
    x += __shfl_xor_sync(0xFFFFFFFF, x, offset);
  }
  return x;
}

/// What an element is compared with.
struct Truth {
  double value = 0;
  double magnitude = 0;  // the sum of its terms' absolute values
  double spread = 0;     // the root of the sum of their squares

  __device__ void add(double term) {
    value += term;
    magnitude += fabs(term);
    spread += fabs(term);
  }
};

// What roundings of the result and fp32 accumulation of the products may cost one element. A sum
// that was rounded on its way stood within six spreads of where it ends.
__device__ double tolerance(const Truth& truth, int roundings) {
  constexpr double kRounding = tw::record_of(kOutput).rounding;
  constexpr double kSmallest = 1e-7;  // f16 subnormals are 6e-8 apart
  constexpr double kAccumulation = tw::record_of(kElement).accumulation;
  const double on_the_way =
      roundings > 1 ? (roundings - 1) * (fabs(truth.value) + 6 * truth.spread) : 0;
  return kRounding * (fabs(truth.value) + on_the_way) + kAccumulation * truth.magnitude + kSmallest;
}

__device__ bool agrees(double got, const Truth& truth, int roundings) {
  const double expected = truth.value;
  if (expected != expected) return got != got;
  // Beyond the type's range the nearest value is infinity.
  if (fabs(expected) > tw::record_of(kOutput).largest) {
    return got == got && !is_finite(got) && (got > 0) == (expected > 0);
  }
  return fabs(got - expected) <= tolerance(truth, roundings);
}

template <tw::ElementType E>
__device__ void fill(tw::ptx::Bits<E>* data, long long count, unsigned long long seed) {
  for (long long i = thread_index(); i < count; i += thread_count()) {
    const auto bits =
        static_cast<int>(tw::mixed_bits(seed + static_cast<unsigned long long>(i)) >> 40);
    data[i] = tw::ptx::from_float<E>(static_cast<float>(bits) / 8388608.0F - 1.0F);
  }
}

}  // namespace

/// Uniform values in [-1, 1), the same for the same seed.
extern "C" __global__ void fill_operand(Operand* data, long long count, unsigned long long seed) {
  fill<kElement>(data, count, seed);
}

/// The same of C's and the bias's type.
extern "C" __global__ void fill_addend(Addend* data, long long count, unsigned long long seed) {
  fill<kAddend>(data, count, seed);
}

/// One warp an element: the dot product of a sampled line of `left` with every line of `right`, in
/// float64, and the sums of its terms' magnitudes and squares.
extern "C" __global__ void reference_lines(const tw::ReferenceArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const long long elements = static_cast<long long>(args.sample_count) * args.right_lines;
  for (long long e = thread_index() / kWarpThreads; e < elements;
       e += thread_count() / kWarpThreads) {
    const long long line = args.samples[e / args.right_lines];
    const long long x = line * args.left.line_stride;
    const long long y = e % args.right_lines * args.right.line_stride;
    double sum = 0;
    double magnitude = 0;
    double squares = 0;
    for (int phase = 0; phase < args.left.phases; ++phase) {
      for (long long i = lane; i < args.k; i += kWarpThreads) {
        const double term = operand_at(args.left, phase, x + i * args.left.k_stride) *
                            operand_at(args.right, phase, y + i * args.right.k_stride);
        sum += term;
        magnitude += fabs(term);
        squares += term * term;
      }
    }
    sum = warp_sum(sum);
    magnitude = warp_sum(magnitude);
    squares = warp_sum(squares);
    if (lane == 0) {
      args.sums[e] = sum;
      args.magnitudes[e] = magnitude;
      args.squares[e] = squares;
    }
  }
}

/// Compares sampled rows (or columns) of D with alpha * reference + beta * C + bias.
extern "C" __global__ void compare_lines(const tw::CompareArgs args) {
  double error = 0;
  double norm = 0;
  unsigned long long bad = 0;
  const long long elements = static_cast<long long>(args.sample_count) * args.line_length;
  for (long long e = thread_index(); e < elements; e += thread_count()) {
    const long long line = args.samples[e / args.line_length];
    const long long position = e % args.line_length;
    const long long row = args.lines_are_rows ? line : position;
    const long long column = args.lines_are_rows ? position : line;
    if (!args.part.has(row, column)) continue;
    const long long at = row * args.n + column;
    Truth truth{args.alpha * args.sums[e], fabs(args.alpha) * args.magnitudes[e],
                fabs(args.alpha) * sqrt(args.squares[e])};
    const bool adds_c = args.beta != 0 && !args.part.is_zero(row, column);
    if (adds_c) {
      const double c = value_at<kAddend>(args.c, args.part.addend_at(args.n, row, column));
      truth.add(args.beta * args.part.addend_sign(row, column) * c);
    }
    if (args.bias != nullptr) truth.add(value_at<kAddend>(args.bias, column));
    const double expected = truth.value;
    const double got = value_at<kOutput>(args.d, at);
    if (!agrees(got, truth, args.roundings)) {
      ++bad;
      atomicMin(&args.result->first_bad, static_cast<unsigned long long>(at));
    }
    if (is_finite(expected) && is_finite(got)) {
      error += (got - expected) * (got - expected);
      norm += expected * expected;
    }
  }
  atomicAdd(&args.result->squared_error, error);
  atomicAdd(&args.result->squared_norm, norm);
  if (bad > 0) atomicAdd(&args.result->bad_count, bad);
}

/// Counts elements of D that still hold the poison, and others that do not.
extern "C" __global__ void count_poison(const tw::PoisonArgs args) {
  const bool has_all = !tw::record_of(args.part.op).triangular;
  for (long long i = thread_index(); i < args.m * args.n; i += thread_count()) {
    const bool poisoned = static_cast<const Output*>(args.d)[i] == static_cast<Output>(~0U);
    const bool wanted = has_all || args.part.has(i / args.n, i % args.n);
    if (poisoned != wanted) continue;
    atomicAdd(wanted ? &args.result->untouched_count : &args.result->stray_count, 1ULL);
    atomicMin(wanted ? &args.result->first_untouched : &args.result->first_stray,
              static_cast<unsigned long long>(i));
  }
}

/// One warp a line.
extern "C" __global__ void line_norms(const tw::NormArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  for (long long line = thread_index() / kWarpThreads; line < args.lines;
       line += thread_count() / kWarpThreads) {
    const long long first = line * args.matrix.line_stride;
    double squares = 0;
    double fourths = 0;
    for (int phase = 0; phase < args.matrix.phases; ++phase) {
      for (long long i = lane; i < args.k; i += kWarpThreads) {
        const double value = operand_at(args.matrix, phase, first + i * args.matrix.k_stride);
        squares += value * value;
        fourths += value * value * value * value;
      }
    }
    squares = warp_sum(squares);
    fourths = warp_sum(fourths);
    if (lane == 0) {
      args.twos[line] = sqrt(squares);
      args.fourths[line] = sqrt(sqrt(fourths));
    }
  }
}

/// One thread an element of the sums.
extern "C" __global__ void signed_columns(const tw::SignedColumnsArgs args) {
  const long long blocks = (args.n + tw::kCheckColumns - 1) / tw::kCheckColumns;
  const long long depth = args.k * args.b.phases;
  for (long long e = thread_index(); e < blocks * depth; e += thread_count()) {
    const long long begin = e / depth * tw::kCheckColumns;
    const long long end = begin + tw::kCheckColumns < args.n ? begin + tw::kCheckColumns : args.n;
    const auto phase = static_cast<int>(e % depth / args.k);
    const long long first = e % depth % args.k * args.b.k_stride;
    double sum = 0;
    for (long long column = begin; column < end; ++column) {
      sum += tw::check_sign(args.seed, column) *
             operand_at(args.b, phase, first + column * args.b.line_stride);
    }
    args.sums[e] = sum;
  }
}

namespace {

// A lane's share of a row times the signed columns of a block that lies in D as a whole.
__device__ double whole_block(const tw::ExpectedSumsArgs& args, long long row, long long block) {
  const long long first = row * args.a.line_stride;
  const double* columns = args.signed_columns + block * args.k * args.a.phases;
  double sum = 0;
  for (int phase = 0; phase < args.a.phases; ++phase, columns += args.k) {
    for (long long i = threadIdx.x % kWarpThreads; i < args.k; i += kWarpThreads) {
      sum += operand_at(args.a, phase, first + i * args.a.k_stride) * columns[i];
    }
  }
  return sum;
}

// The same of a block that a triangle cuts, column by column.
__device__ double cut_block(const tw::ExpectedSumsArgs& args, long long row, long long begin,
                            long long end) {
  const long long x = row * args.a.line_stride;
  double sum = 0;
  for (long long column = begin; column < end; ++column) {
    if (!args.part.has(row, column)) continue;
    const long long y = column * args.b.line_stride;
    double product = 0;
    for (int phase = 0; phase < args.a.phases; ++phase) {
      for (long long i = threadIdx.x % kWarpThreads; i < args.k; i += kWarpThreads) {
        product += operand_at(args.a, phase, x + i * args.a.k_stride) *
                   operand_at(args.b, phase, y + i * args.b.k_stride);
      }
    }
    sum += tw::check_sign(args.seed, column) * product;
  }
  return sum;
}

}  // namespace

/// One warp a row and block.
extern "C" __global__ void expected_sums(const tw::ExpectedSumsArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  for (long long e = thread_index() / kWarpThreads; e < args.m * args.blocks;
       e += thread_count() / kWarpThreads) {
    const long long row = e / args.blocks;
    const long long begin = e % args.blocks * tw::kCheckColumns;
    const long long end = begin + tw::kCheckColumns < args.n ? begin + tw::kCheckColumns : args.n;
    const bool whole = args.part.has(row, begin) && args.part.has(row, end - 1);
    const double sum = warp_sum(whole ? whole_block(args, row, e % args.blocks)
                                      : cut_block(args, row, begin, end));
    if (lane == 0) args.expected[e] = sum;
  }
}

/// One warp a row and block of D.
extern "C" __global__ void check_sums(const tw::CheckSumsArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const long long blocks = (args.n + tw::kCheckColumns - 1) / tw::kCheckColumns;
  const tw::ElementTolerance tolerance = tw::element_tolerance(kOutput, args.roundings, kElement);
  for (long long e = thread_index() / kWarpThreads; e < args.m * blocks;
       e += thread_count() / kWarpThreads) {
    const long long row = e / blocks;
    const long long begin = e % blocks * tw::kCheckColumns;
    const long long end = begin + tw::kCheckColumns < args.n ? begin + tw::kCheckColumns : args.n;
    double residual = 0;
    double tolerances = 0;
    double values = 0;
    double infinite = 0;
    for (long long column = begin + lane; column < end; column += kWarpThreads) {
      if (!args.part.has(row, column)) continue;
      const double value = value_at<kOutput>(args.d, row * args.n + column);
      const bool adds_c = args.beta != 0 && !args.part.is_zero(row, column);
      const long long c_at = args.part.addend_at(args.n, row, column);
      const double c =
          adds_c ? args.beta * args.part.addend_sign(row, column) * value_at<kAddend>(args.c, c_at)
                 : 0;
      const double bias = args.bias != nullptr ? value_at<kAddend>(args.bias, column) : 0;
      const double scale = fabs(args.alpha);
      const double norms = scale * args.twos_a[row] * args.twos_b[column] + fabs(c) + fabs(bias);
      const double fourths =
          scale * args.fourths_a[row] * args.fourths_b[column] + fabs(c) + fabs(bias);
      const double t = tw::tolerance_of(tolerance, value, norms, fourths);
      residual += tw::check_sign(args.seed, column) * (value - c - bias);
      tolerances += t * t;
      values += value * value;
      infinite += value == value && !is_finite(value) ? 1 : 0;
    }
    infinite = warp_sum(infinite);
    residual = warp_sum(residual) - args.alpha * args.expected[e];
    tolerances = warp_sum(tolerances);
    values = warp_sum(values);
    // Where operands are no numbers, or sums are beyond D's type, elements are compared one by one.
    if (lane != 0 || infinite > 0 || !is_finite(args.expected[e])) continue;
    if (!tw::is_right_sum(residual, tolerances, args.reach)) {
      atomicAdd(&args.result->wrong_sums, 1ULL);
      atomicMin(&args.result->first_wrong, static_cast<unsigned long long>(row * args.n + begin));
    }
    double* const sums = args.block_sums + (row / tw::kCheckRows * blocks + e % blocks) * 3;
    atomicAdd(sums, residual * residual);
    atomicAdd(sums + 1, tolerances);
    atomicAdd(sums + 2, values);
  }
}

/// Adds the checksum of `count` elements to `sum`.
extern "C" __global__ void checksum(const Operand* data, long long count, unsigned long long* sum) {
  unsigned long long terms = 0;
  for (long long i = thread_index(); i < count; i += thread_count()) {
    terms += tw::checksum_term(i, data[i]);
  }
  atomicAdd(sum, terms);
}
