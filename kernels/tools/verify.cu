// Data and truth: random operands, the float64 reference on sampled rows and columns, the
// comparison. Compiled by NVRTC; kElement and kOutput come from the host.

#include "config.cuh"  // written by the host: inline constexpr tw::ElementType kElement, kOutput
#include "ptx/convert.cuh"
#include "tools/verify_args.cuh"

namespace {

constexpr int kWarpThreads = 32;

__device__ unsigned long long mixed(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

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
    const auto bits = static_cast<int>(mixed(seed + static_cast<unsigned long long>(i)) >> 40);
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
    for (long long i = lane; i < args.k; i += kWarpThreads) {
      const double term = value_at<kElement>(args.left.data, x + i * args.left.k_stride) *
                          value_at<kElement>(args.right.data, y + i * args.right.k_stride);
      sum += term;
      magnitude += fabs(term);
      squares += term * term;
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
    const long long at = args.lines_are_rows ? line * args.n + position : position * args.n + line;
    Truth truth{args.alpha * args.sums[e], fabs(args.alpha) * args.magnitudes[e],
                fabs(args.alpha) * sqrt(args.squares[e])};
    if (args.beta != 0) truth.add(args.beta * value_at<kAddend>(args.c, at));
    if (args.bias != nullptr) {
      truth.add(value_at<kAddend>(args.bias, args.lines_are_rows ? position : line));
    }
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

/// Counts elements of D that still hold the poison.
extern "C" __global__ void count_poison(const Output* d, long long count,
                                        tw::CompareResult* result) {
  unsigned long long untouched = 0;
  unsigned long long first = ~0ULL;
  for (long long i = thread_index(); i < count; i += thread_count()) {
    if (d[i] != static_cast<Output>(~0U)) continue;
    ++untouched;
    if (first == ~0ULL) first = static_cast<unsigned long long>(i);
  }
  if (untouched == 0) return;
  atomicAdd(&result->untouched_count, untouched);
  atomicMin(&result->first_untouched, first);
}
