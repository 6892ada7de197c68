// Verification kernels: random operands, the float64 reference on sampled rows, columns and
// elements, and the comparison. Compiled by NVRTC; kElement and kOutput come from the host.

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

// Element `at` of a matrix of type E.
template <tw::ElementType E>
__device__ double value_at(const void* matrix, long long at) {
  return tw::ptx::to_float<E>(static_cast<const tw::ptx::Bits<E>*>(matrix)[at]);
}

// Element (line, k) of an operand's phase, with its sign and scale.
__device__ double operand_at(const tw::Lines& lines, int phase, long long line, long long k) {
  double value =
      value_at<kElement>(lines.data[phase], line * lines.line_stride + k * lines.k_stride);
  if (lines.scales.data != nullptr) {
    value *= lines.scales.data[line / lines.lines_per_scale * lines.scales.line +
                               k / tw::kScaleBlock * lines.scales.k];
  }
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

/// Math functions for activations in float64.
struct Float64 {
  __device__ double exp(double x) const { return ::exp(x); }
  __device__ double divide(double a, double b) const { return a / b; }
  __device__ double normal(double x) const { return normcdf(x); }
};

/// The float64 reference of one element.
struct Reference {
  double value = 0;
  double magnitude = 0;  // the sum of its terms' absolute values
  double spread = 0;     // the root of the sum of their squares

  double error = 0;  // tolerated error of the kernel's activation, or of its product with `up`

  __device__ void add(double term) {
    value += term;
    magnitude += fabs(term);
    spread += fabs(term);
  }

  __device__ void activate(tw::Activation activation) {
    const tw::ActivationRecord& record = tw::record_of(activation);
    error = record.argument_error * fabs(value);
    value = tw::apply_activation(activation, value, Float64{});
    magnitude *= record.steepest;
    spread *= record.steepest;
    error += record.error * fabs(value);
  }

  __device__ void scale(double factor) {
    value *= factor;
    magnitude *= fabs(factor);
    spread *= fabs(factor);
    error *= fabs(factor);
  }

  // The product with `up`: the tolerance of each times the other's value, and of both at once.
  __device__ void multiply(const Reference& up) {
    constexpr double kOff = tw::record_of(kElement).accumulation;
    constexpr double kProduct = 1.2e-7;  // fp32
    magnitude = magnitude * (fabs(up.value) + kOff * up.magnitude) + fabs(value) * up.magnitude;
    spread = spread * fabs(up.value) + fabs(value) * up.spread;
    error = error * (fabs(up.value) + kOff * up.magnitude) + kProduct * fabs(value * up.value);
    value *= up.value;
  }
};

// The tolerance of one element, for roundings of the result and fp32 accumulation of the products.
// An intermediate sum that was rounded is assumed to be within six spreads of the final one.
__device__ double tolerance(const Reference& reference, int roundings) {
  constexpr double kRounding = tw::record_of(kOutput).rounding_error;
  constexpr double kSmallest = tw::least_rounding_error(kOutput);
  constexpr double kAccumulation = tw::record_of(kElement).accumulation;
  const double on_the_way =
      roundings > 1 ? (roundings - 1) * (fabs(reference.value) + 6 * reference.spread) : 0;
  return kRounding * (fabs(reference.value) + on_the_way) + kAccumulation * reference.magnitude +
         reference.error + kSmallest;
}

// The value, within the range of a type that saturates.
__device__ double representable(double value) {
  constexpr double kMax = tw::record_of(kOutput).max_finite;
  if (!tw::saturates(kOutput) || !(fabs(value) > kMax)) return value;
  return value > 0 ? kMax : -kMax;
}

__device__ bool agrees(double actual, const Reference& reference, int roundings) {
  const double expected = representable(reference.value);
  if (!is_finite(expected)) return actual == expected || (expected != expected && actual != actual);
  const double allowed = tolerance(reference, roundings);
  // Beyond the type's range the nearest value is infinity; near its end a sum may be rounded to
  // either side. The product of a large gate with an up near 0 may also have either sign.
  if (actual == actual && !is_finite(actual)) {
    return (actual > 0 ? expected : -expected) + allowed > tw::record_of(kOutput).max_finite;
  }
  return fabs(actual - expected) <= allowed;
}

/// Sums over the products of two lines' elements: of the products, their magnitudes and squares.
struct Dot {
  double sum = 0;
  double magnitude = 0;
  double squares = 0;
};

// Of lines `x` and `y`, computed by one warp; every lane has the result.
__device__ Dot warp_dot(const tw::Lines& left, long long x, const tw::Lines& right, long long y,
                        long long k) {
  Dot dot;
  for (int phase = 0; phase < left.phases; ++phase) {
    for (long long i = threadIdx.x % kWarpThreads; i < k; i += kWarpThreads) {
      const double term = operand_at(left, phase, x, i) * operand_at(right, phase, y, i);
      dot.sum += term;
      dot.magnitude += fabs(term);
      dot.squares += term * term;
    }
  }
  return {warp_sum(dot.sum), warp_sum(dot.magnitude), warp_sum(dot.squares)};
}

// The addend of the bias for an element of the sums.
__device__ double bias_of(const tw::OutputArgs& args, long long row, long long column) {
  return value_at<kAddend>(args.bias, args.row_bias ? row : column);
}

// The argument of the activation.
__device__ Reference argument_of(const tw::OutputArgs& args, long long row, long long column,
                                 const Dot& dot) {
  const double scale = fabs(args.alpha);
  Reference reference{args.alpha * dot.sum, scale * dot.magnitude, scale * sqrt(dot.squares)};
  if (args.beta != 0 && !args.part.is_zero(row, column)) {
    const double c = value_at<kAddend>(args.c, args.part.addend_at(args.n, row, column));
    reference.add(args.beta * args.part.addend_sign(row, column) * c);
  }
  if (args.bias != nullptr) reference.add(bias_of(args, row, column));
  return reference;
}

// The correct value of D for column `column` of the sums. In a gated kernel that is the gate's
// column, and `up` is its up's dot product.
__device__ Reference reference_of(const tw::OutputArgs& args, long long row, long long column,
                                  const Dot& dot, const Dot& up) {
  Reference reference = argument_of(args, row, column, dot);
  reference.activate(args.activation);
  if (args.gated()) {
    reference.multiply(argument_of(args, row, column + args.up_distance(), up));
  }
  reference.scale(args.scale_d);
  return reference;
}

/// A thread's sums over the elements that it compares.
struct Tally {
  double error = 0;
  double norm = 0;
  double terms = 0;
  unsigned long long compared = 0;
  unsigned long long bad = 0;

  __device__ void compare(const tw::OutputArgs& args, long long row, long long column,
                          const Dot& dot, const Dot& up, tw::CompareResult& result) {
    const Reference reference = reference_of(args, row, column, dot, up);
    const long long at = row * args.columns() + args.output_column(column);
    const double expected = representable(reference.value);
    const double actual = value_at<kOutput>(args.d, at);
    if (!agrees(actual, reference, args.roundings)) {
      ++bad;
      atomicMin(&result.first_bad, static_cast<unsigned long long>(at));
    }
    if (is_finite(expected) && is_finite(actual)) {
      error += (actual - expected) * (actual - expected);
      norm += expected * expected;
      // An element that saturates whatever its error is exact in D.
      const double nearest = fabs(reference.value) - tolerance(reference, args.roundings);
      if (nearest <= tw::record_of(kOutput).max_finite) {
        terms += reference.spread * reference.spread;
      }
      ++compared;
    }
  }

  __device__ void add_to(tw::CompareResult& result) const {
    atomicAdd(&result.squared_error, error);
    atomicAdd(&result.squared_norm, norm);
    atomicAdd(&result.squared_terms, terms);
    atomicAdd(&result.compared, compared);
    if (bad > 0) atomicAdd(&result.bad_count, bad);
  }
};

template <tw::ElementType E>
__device__ void fill(tw::ptx::Bits<E>* data, long long count, unsigned long long seed) {
  for (long long i = thread_index(); i < count; i += thread_count()) {
    const auto bits =
        static_cast<int>(tw::mixed_bits(seed + static_cast<unsigned long long>(i)) >> 40);
    data[i] = tw::ptx::from_float<E>(static_cast<float>(bits) / 8388608.0F - 1.0F);
  }
}

// A lane's share of a row times the signed columns of a block that lies in D as a whole.
__device__ double whole_block(const tw::ExpectedSumsArgs& args, long long row, long long block) {
  const double* columns = args.signed_columns + block * args.k * args.a.phases;
  double sum = 0;
  for (int phase = 0; phase < args.a.phases; ++phase, columns += args.k) {
    for (long long i = threadIdx.x % kWarpThreads; i < args.k; i += kWarpThreads) {
      sum += operand_at(args.a, phase, row, i) * columns[i];
    }
  }
  return sum;
}

// The same for a block that a triangle cuts, column by column.
__device__ double cut_block(const tw::ExpectedSumsArgs& args, long long row, long long begin,
                            long long end) {
  double sum = 0;
  for (long long column = begin; column < end; ++column) {
    if (!args.part.has(row, column)) continue;
    double product = 0;
    for (int phase = 0; phase < args.a.phases; ++phase) {
      for (long long i = threadIdx.x % kWarpThreads; i < args.k; i += kWarpThreads) {
        product += operand_at(args.a, phase, row, i) * operand_at(args.b, phase, column, i);
      }
    }
    sum += tw::check_sign(args.seed, column) * product;
  }
  return sum;
}

}  // namespace

/// Uniform values in [-1, 1), the same for the same seed.
extern "C" __global__ void fill_operand(Operand* data, long long count, unsigned long long seed) {
  fill<kElement>(data, count, seed);
}

/// The same for the type of C and the bias.
extern "C" __global__ void fill_addend(Addend* data, long long count, unsigned long long seed) {
  fill<kAddend>(data, count, seed);
}

/// One warp per element: the dot product of a sampled line of `left` with every line of `right`, in
/// float64, and the sums of its terms' magnitudes and squares.
extern "C" __global__ void reference_lines(const tw::ReferenceArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const long long elements = static_cast<long long>(args.sample_count) * args.right_lines;
  for (long long e = thread_index() / kWarpThreads; e < elements;
       e += thread_count() / kWarpThreads) {
    const long long line = args.samples[e / args.right_lines];
    const Dot dot = warp_dot(args.left, line, args.right, e % args.right_lines, args.k);
    if (lane == 0) {
      args.sums[e] = dot.sum;
      args.magnitudes[e] = dot.magnitude;
      args.squares[e] = dot.squares;
    }
  }
}

/// Compares sampled rows (or columns) of D with the epilogue of their reference.
extern "C" __global__ void compare_lines(const tw::CompareArgs args) {
  Tally tally;
  const long long elements = static_cast<long long>(args.sample_count) * args.line_length;
  const auto dot_at = [&](long long e) {
    return Dot{args.sums[e], args.magnitudes[e], args.squares[e]};
  };
  for (long long e = thread_index(); e < elements; e += thread_count()) {
    const long long sample = e / args.line_length;
    const long long line = args.samples[sample];
    const long long position = e % args.line_length;
    const long long row = args.lines_are_rows ? line : position;
    const long long column = args.lines_are_rows ? position : line;
    if (!args.output.is_gate(column) || !args.output.part.has(row, column)) continue;
    const long long up = e + (args.lines_are_rows ? args.output.up_distance() : args.line_length);
    tally.compare(args.output, row, column, dot_at(e), args.output.gated() ? dot_at(up) : Dot{},
                  *args.result);
  }
  tally.add_to(*args.result);
}

/// One warp per element: compares some elements of every block of D.
extern "C" __global__ void compare_samples(const tw::SampleArgs args) {
  constexpr int kSide = tw::SampleArgs::kSampledBlock;
  constexpr int kPerBlock = tw::SampleArgs::kPerBlock;
  Tally tally;
  const long long across = (args.output.columns() + kSide - 1) / kSide;
  const long long blocks = (args.output.m + kSide - 1) / kSide * across;
  for (long long e = thread_index() / kWarpThreads; e < blocks * kPerBlock;
       e += thread_count() / kWarpThreads) {
    const long long block = e / kPerBlock;
    const unsigned long long drawn =
        tw::mixed_bits(args.seed + static_cast<unsigned long long>(e)) >> 32;
    const long long row = block / across * kSide + static_cast<long long>(drawn % kSide);
    const long long place = block % across * kSide + static_cast<long long>(drawn / kSide % kSide);
    if (row >= args.output.m || place >= args.output.columns()) continue;
    const long long column = args.output.gate_column(place);
    if (!args.output.part.has(row, column)) continue;
    const auto dot_of = [&](long long line) { return warp_dot(args.a, row, args.b, line, args.k); };
    const Dot dot = dot_of(column);
    const Dot up = args.output.gated() ? dot_of(column + args.output.up_distance()) : Dot{};
    if (threadIdx.x % kWarpThreads == 0) {
      tally.compare(args.output, row, column, dot, up, *args.result);
    }
  }
  tally.add_to(*args.result);
}

/// Counts elements that D should have but that still hold the poison, and elements outside that do
/// not.
extern "C" __global__ void count_poison(const tw::PoisonArgs args) {
  const bool has_all = !tw::record_of(args.part.op).triangular;
  for (long long i = thread_index(); i < args.m * args.n; i += thread_count()) {
    const bool poisoned = static_cast<const Output*>(args.d)[i] == static_cast<Output>(~0U);
    const bool in_output = has_all || args.part.has(i / args.n, i % args.n);
    if (poisoned != in_output) continue;
    atomicAdd(in_output ? &args.result->untouched_count : &args.result->outside_count, 1ULL);
    atomicMin(in_output ? &args.result->first_untouched : &args.result->first_outside,
              static_cast<unsigned long long>(i));
  }
}

/// The largest absolute value of D.
extern "C" __global__ void largest_element(const tw::PoisonArgs args) {
  unsigned most = 0;
  for (long long i = thread_index(); i < args.m * args.n; i += thread_count()) {
    const float value = tw::ptx::to_float<kOutput>(static_cast<const Output*>(args.d)[i]);
    most = max(most, __float_as_uint(value) & 0x7FFFFFFFU);
  }
  atomicMax(&args.result->most, most);
}

/// Rounds a positive fp32 value to D's type, after its product with the scale.
extern "C" __global__ void round_maximum(const tw::OutputScaling* scaling, bool scaled,
                                         unsigned* rounded) {
  const float most = __uint_as_float(scaling->absmax);
  const float value = scaled ? scaling->scale * most : most;
  *rounded = __float_as_uint(tw::ptx::to_float<kOutput>(tw::ptx::from_float<kOutput>(value))) &
             0x7FFFFFFFU;
}

/// The 2-norm and 4-norm of each line; one warp per line.
extern "C" __global__ void line_norms(const tw::NormArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  for (long long line = thread_index() / kWarpThreads; line < args.lines;
       line += thread_count() / kWarpThreads) {
    double squares = 0;
    double fourths = 0;
    for (int phase = 0; phase < args.matrix.phases; ++phase) {
      for (long long i = lane; i < args.k; i += kWarpThreads) {
        const double value = operand_at(args.matrix, phase, line, i);
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

/// One thread per element of the sums.
extern "C" __global__ void signed_columns(const tw::SignedColumnsArgs args) {
  const long long blocks = (args.n + tw::kCheckColumns - 1) / tw::kCheckColumns;
  const long long depth = args.k * args.b.phases;
  for (long long e = thread_index(); e < blocks * depth; e += thread_count()) {
    const long long begin = e / depth * tw::kCheckColumns;
    const long long end = begin + tw::kCheckColumns < args.n ? begin + tw::kCheckColumns : args.n;
    const auto phase = static_cast<int>(e % depth / args.k);
    const long long k = e % depth % args.k;
    double sum = 0;
    for (long long column = begin; column < end; ++column) {
      sum += tw::check_sign(args.seed, column) * operand_at(args.b, phase, column, k);
    }
    args.sums[e] = sum;
  }
}

/// One warp per row and block.
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

/// One warp per row and block of D.
extern "C" __global__ void check_sums(const tw::CheckSumsArgs args) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const long long blocks = (args.output.n + tw::kCheckColumns - 1) / tw::kCheckColumns;
  const tw::OutputArgs& output = args.output;
  const tw::ElementTolerance tolerance = tw::element_tolerance(kOutput, output.roundings, kElement);
  for (long long e = thread_index() / kWarpThreads; e < args.output.m * blocks;
       e += thread_count() / kWarpThreads) {
    const long long row = e / blocks;
    const long long begin = e % blocks * tw::kCheckColumns;
    const long long end =
        begin + tw::kCheckColumns < args.output.n ? begin + tw::kCheckColumns : args.output.n;
    double residual = 0;
    double tolerances = 0;
    double values = 0;
    double infinite = 0;
    for (long long column = begin + lane; column < end; column += kWarpThreads) {
      if (!output.part.has(row, column)) continue;
      const double value = value_at<kOutput>(output.d, row * output.n + column);
      const bool adds_c = output.beta != 0 && !output.part.is_zero(row, column);
      const long long c_at = output.part.addend_at(output.n, row, column);
      const double c = adds_c ? output.beta * output.part.addend_sign(row, column) *
                                    value_at<kAddend>(output.c, c_at)
                              : 0;
      const double bias = output.bias != nullptr ? bias_of(output, row, column) : 0;
      const double scale = fabs(output.alpha);
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
    residual = warp_sum(residual) - output.alpha * args.expected[e];
    tolerances = warp_sum(tolerances);
    values = warp_sum(values);
    // With NaN operands, or sums beyond the range of D's type, elements are compared one by one.
    if (lane != 0 || infinite > 0 || !is_finite(args.expected[e])) continue;
    if (!tw::is_right_sum(residual, tolerances, args.bound)) {
      atomicAdd(&args.result->wrong_sums, 1ULL);
      atomicMin(&args.result->first_wrong, static_cast<unsigned long long>(row * output.n + begin));
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
