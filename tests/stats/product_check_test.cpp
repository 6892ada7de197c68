#include "stats/product_check.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "stats/random.hpp"

namespace tilewright {
namespace {

// Rounds to `bits` bits of precision, ties to even.
double rounded(double value, int bits) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

constexpr int precision_of(tw::ElementType type) {
  return type == tw::ElementType::BF16 ? 8 : type == tw::ElementType::F16 ? 11 : 24;
}

ProductOperands random_operands(int64_t m, int64_t n, int64_t k, Random& random) {
  ProductOperands operands{.m = m, .n = n, .k = k, .a = {}, .b = {}};
  const auto fill = [&random](std::vector<double>& values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) values.push_back(rounded(2 * random.uniform() - 1, 8));
  };
  fill(operands.a, m * k);
  fill(operands.b, n * k);
  return operands;
}

// The sum of a kernel over [begin, end) of k: fp32, 16 products at a time.
float sum_of(const ProductOperands& o, int64_t row, int64_t column, int64_t begin, int64_t end) {
  float sum = 0;
  for (int64_t step = begin; step < end; step += 16) {
    float part = 0;
    for (int64_t i = step; i < std::min(step + 16, end); ++i) {
      part += static_cast<float>(o.a[static_cast<size_t>(row * o.k + i)]) *
              static_cast<float>(o.b[static_cast<size_t>(column * o.k + i)]);
    }
    sum += part;
  }
  return sum;
}

std::vector<double> product(const ProductOperands& o, tw::ElementType type) {
  std::vector<double> d;
  for (int64_t row = 0; row < o.m; ++row) {
    for (int64_t column = 0; column < o.n; ++column) {
      d.push_back(rounded(static_cast<double>(sum_of(o, row, column, 0, o.k)), precision_of(type)));
    }
  }
  return d;
}

constexpr tw::ElementType kTypes[] = {tw::ElementType::BF16, tw::ElementType::F16,
                                      tw::ElementType::F32};

TEST_CASE("right products pass, of every type and shape, whatever the signs") {
  Random random(1);
  for (const tw::ElementType type : kTypes) {
    for (const auto& [m, n, k] : {std::tuple{1, 1, 1},
                                  {1, 200, 3},
                                  {200, 1, 64},
                                  {65, 129, 100},
                                  {128, 128, 512},
                                  {16, 64, 20000}}) {
      const ProductOperands operands = random_operands(m, n, k, random);
      const std::vector<double> d = product(operands, type);
      for (uint64_t seed = 0; seed < 20; ++seed) {
        REQUIRE(ProductCheck(operands, seed).check(d, type) == ProductVerdict{});
      }
    }
  }
}

TEST_CASE("sums rounded on the way pass if the tolerance counts their roundings") {
  Random random(2);
  constexpr int kParts = 8;
  const ProductOperands operands = random_operands(128, 128, 1024, random);
  std::vector<double> d;
  for (int64_t row = 0; row < 128; ++row) {
    for (int64_t column = 0; column < 128; ++column) {
      double sum = 0;
      for (int64_t part = 0; part < kParts; ++part) {
        const int64_t begin = part * 1024 / kParts;
        sum = rounded(
            sum + static_cast<double>(sum_of(operands, row, column, begin, begin + 1024 / kParts)),
            8);
      }
      d.push_back(sum);
    }
  }
  CHECK(ProductCheck(operands, 1).check(d, tw::ElementType::BF16, kParts).ok());
}

// Plants a fault in a correct product.
using Fault = std::function<void(const ProductOperands&, std::vector<double>& d, Random&)>;

// Matrices with their correct products and the checks of them.
struct Trials {
  std::vector<ProductOperands> operands;
  std::vector<std::vector<double>> right;
  std::vector<ProductCheck> checks;
};

Trials make_trials(tw::ElementType type, int64_t k) {
  Random random(static_cast<uint64_t>(k));
  Trials trials;
  for (uint64_t i = 0; i < 4; ++i) {
    trials.operands.push_back(random_operands(128, 128, k, random));
    trials.right.push_back(product(trials.operands.back(), type));
    trials.checks.emplace_back(trials.operands.back(), i);
  }
  return trials;
}

// Plants a fault a hundred times and counts how often the check finds it.
int found_of_100(const Trials& trials, tw::ElementType type, const Fault& plant) {
  Random random(7);
  int found = 0;
  for (size_t i = 0; i < 100; ++i) {
    std::vector<double> d = trials.right[i % 4];
    plant(trials.operands[i % 4], d, random);
    found += trials.checks[i % 4].check(d, type).ok() ? 0 : 1;
  }
  return found;
}

int64_t below(Random& random, int64_t bound) {
  return static_cast<int64_t>(random.below(static_cast<uint32_t>(bound)));
}

// Changes a 64x64 tile of D at a random place.
void over_tile(const ProductOperands& o, std::vector<double>& d, Random& random,
               const std::function<double(int64_t row, int64_t column, double value)>& change) {
  const int64_t row = below(random, 2) * 64;
  const int64_t column = below(random, 2) * 64;
  for (int64_t r = row; r < row + 64; ++r) {
    for (int64_t c = column; c < column + 64; ++c) {
      double& value = d[static_cast<size_t>(r * o.n + c)];
      value = change(r, c, value);
    }
  }
}

TEST_CASE("golden: how often planted faults are found") {
  constexpr tw::ElementType kBf16 = tw::ElementType::BF16;
  // An element that holds the value of another one.
  const Fault element = [](const ProductOperands& o, std::vector<double>& d, Random& random) {
    const int64_t at = below(random, o.m * o.n);
    d[static_cast<size_t>(at)] =
        d[static_cast<size_t>((at + 1 + below(random, 999)) % (o.m * o.n))];
  };
  // A tile without the products of one k-step of 64.
  const Fault lost_step = [](const ProductOperands& o, std::vector<double>& d, Random& random) {
    const int64_t begin = below(random, o.k / 64) * 64;
    over_tile(o, d, random, [&](int64_t row, int64_t column, double value) {
      return rounded(value - static_cast<double>(sum_of(o, row, column, begin, begin + 64)), 8);
    });
  };
  // A tile that was never written: it holds poison, or the result of other operands.
  const Fault unwritten = [](const ProductOperands& o, std::vector<double>& d, Random& random) {
    over_tile(o, d, random,
              [](int64_t, int64_t, double) { return std::numeric_limits<double>::quiet_NaN(); });
  };
  const Fault stale = [](const ProductOperands& o, std::vector<double>& d, Random& random) {
    over_tile(o, d, random, [&random](int64_t, int64_t, double) { return random.uniform(); });
  };
  // Two exchanged tiles.
  const Fault exchanged = [](const ProductOperands& o, std::vector<double>& d, Random&) {
    for (int64_t r = 0; r < 64; ++r) {
      for (int64_t c = 0; c < 64; ++c) {
        std::swap(d[static_cast<size_t>(r * o.n + c)], d[static_cast<size_t>((r + 64) * o.n + c)]);
      }
    }
  };
  // A store of 16 bytes to the wrong row.
  const Fault stray = [](const ProductOperands& o, std::vector<double>& d, Random& random) {
    const int64_t from = below(random, o.m * o.n - 8);
    const int64_t to = below(random, o.m * o.n - 8);
    for (int64_t i = 0; i < 8; ++i) {
      d[static_cast<size_t>(to + i)] = d[static_cast<size_t>(from + i)];
    }
  };
  for (const int64_t k : {64, 1024}) {
    CAPTURE(k);
    const Trials bf16 = make_trials(kBf16, k);
    const int elements = found_of_100(bf16, kBf16, element);
    const int strays = found_of_100(bf16, kBf16, stray);
    MESSAGE("k ", k, ": one element ", elements, " %, a stray store of 8 ", strays, " %");
    CHECK(elements >= 65);
    CHECK(strays >= 85);
    CHECK(found_of_100(bf16, kBf16, lost_step) == 100);
    CHECK(found_of_100(bf16, kBf16, unwritten) == 100);
    CHECK(found_of_100(bf16, kBf16, stale) == 100);
    CHECK(found_of_100(bf16, kBf16, exchanged) == 100);
    const Trials f32 = make_trials(tw::ElementType::F32, k);
    CHECK(found_of_100(f32, tw::ElementType::F32, element) >= 95);
  }
}

TEST_CASE("the first wrong place is named by its row and its block of columns") {
  Random random(5);
  const ProductOperands operands = random_operands(100, 300, 64, random);
  std::vector<double> d = product(operands, tw::ElementType::BF16);
  d[70 * 300 + 200] = 1000;
  const ProductVerdict verdict = ProductCheck(operands, 3).check(d, tw::ElementType::BF16);
  CHECK(verdict.first_row == 70);
  CHECK(verdict.first_column == 192);
  CHECK(verdict.wrong_sums == 1);
  CHECK(verdict.wrong_blocks == 1);
}

TEST_CASE("a block is right only within its tolerances and within the error of right kernels") {
  const ProductTypes types{.k = 4096};
  constexpr int64_t kRows = 64;
  CHECK(is_right_block({.residuals = 1, .tolerances = 1, .values = 1e12}, kRows, 1000, types));
  CHECK_FALSE(
      is_right_block({.residuals = 100, .tolerances = 1, .values = 1e12}, kRows, 1000, types));
  CHECK_FALSE(
      is_right_block({.residuals = 100, .tolerances = 1e12, .values = 1}, kRows, 1000, types));
}

// A type's steps are those of its exponent, and no smaller than its subnormal step.
TEST_CASE("small numbers that are rounded to zero or to one step are within the allowed error") {
  struct Type {
    tw::ElementType type;
    int bits;      // of precision
    int smallest;  // exponent of the subnormal step
  };
  constexpr int64_t kElements = 4096;
  Random random(11);
  for (const Type& each :
       {Type{tw::ElementType::E4M3, 4, -9}, Type{tw::ElementType::F16, 11, -24}}) {
    const ProductTypes types{.output = each.type, .operand = each.type, .k = 16};
    for (const int magnitude : {-6, -3, -1, 0, 2, 5, 9}) {
      CAPTURE(each.smallest);
      CAPTURE(magnitude);
      double errors = 0;
      double shifted = 0;
      double values = 0;
      for (int64_t i = 0; i < kElements; ++i) {
        const double value = std::ldexp(2 * random.uniform() - 1, each.smallest + magnitude);
        const double step = std::ldexp(1.0, each.smallest);
        const double near = std::abs(value) < std::ldexp(step, each.bits)
                                ? step * std::nearbyint(value / step)
                                : rounded(value, each.bits);
        errors += (near - value) * (near - value);
        shifted += (near + 2 * step - value) * (near + 2 * step - value);
        values += value * value;
      }
      const double allowed = allowed_squared_error({.count = kElements, .values = values}, types);
      CHECK(errors <= allowed);
      // Two steps too much, where numbers are as small as a step.
      if (magnitude <= 0) CHECK(shifted > allowed);
    }
  }
}

// With a large scale most elements of a row overflow f16. The finite ones are small because their
// products cancel, and their error is relative to the norm of those products.
TEST_CASE("values that stay in a type's range beside larger ones may have the errors of those") {
  constexpr int64_t kDepth = 4000;
  constexpr int kElements = 40000;
  constexpr double kMax = 65504;
  const ProductTypes types{
      .output = tw::ElementType::F16, .operand = tw::ElementType::E4M3, .k = kDepth};
  Random random(12);
  for (const double scale : {1.0, 1e3, 1e5, 1e6}) {
    CAPTURE(scale);
    ElementSums elements;
    double errors = 0;
    double faults = 0;  // if each sum lacked one of eight parts of its terms
    for (int i = 0; i < kElements; ++i) {
      // Eight parts of a sum, each by twelve uniform numbers nearly normal.
      double sum = 0;
      double part = 0;
      for (int j = 0; j < 8; ++j) {
        part = 0;
        for (int draw = 0; draw < 12; ++draw) part += random.uniform() - 0.5;
        part *= scale / std::sqrt(8.0);
        sum += part;
      }
      if (std::abs(sum) > kMax) continue;
      // What the tensor cores were seen to err by: 2.6e-5 of the root of K, of all terms.
      const double error = 2.6e-5 * std::sqrt(1.0 * kDepth) * scale * (2 * random.uniform() - 1);
      errors += error * error;
      faults += part * part;
      elements.count += 1;
      elements.values += sum * sum;
      elements.terms += scale * scale;
    }
    REQUIRE(elements.count > 1000);
    const double allowed = allowed_squared_error(elements, types);
    CHECK(errors <= allowed);
    CHECK(faults > allowed);
  }
}

TEST_CASE("the bound of sums is Hoeffding's: errors at their limit with random signs stay within") {
  // Simulated with a false-alarm chance that is large enough to observe: few sums exceed the bound.
  constexpr int kSums = 20000;
  constexpr double kChance = 0.5;
  Random random(9);
  const double bound = sum_bound(kSums, kChance);
  int beyond = 0;
  for (int i = 0; i < kSums; ++i) {
    double sum = 0;
    for (int j = 0; j < 64; ++j) sum += random.next() >> 63 != 0 ? 1.0 : -1.0;
    beyond += !tw::is_right_sum(sum, 64, bound);
  }
  CHECK(beyond <= 3);
  CHECK(sum_bound(kSums) > bound);
  CHECK(sum_bound(kSums) < 9);
  CHECK(block_bound(64, 1000) < 4);
  CHECK(block_bound(1, 1000) > block_bound(64, 1000));
}

TEST_CASE("a stray byte in a red zone is found, wherever it is") {
  std::vector<unsigned char> zone(kRedZoneBytes, kRedZoneByte);
  CHECK(!first_overwritten(zone));
  for (const size_t at : {size_t{0}, size_t{17}, zone.size() - 1}) {
    std::vector<unsigned char> written = zone;
    written[at] = 0;
    CHECK(first_overwritten(written) == at);
  }
}

TEST_CASE("a checksum detects any changed element and any two exchanged ones") {
  Random random(11);
  std::vector<uint16_t> elements(500);
  for (uint16_t& element : elements) element = static_cast<uint16_t>(random.next());
  const uint64_t before = checksum(elements);
  for (size_t i = 0; i < elements.size(); ++i) {
    std::vector<uint16_t> changed = elements;
    changed[i] ^= static_cast<uint16_t>(1U << random.below(16));
    CHECK(checksum(changed) != before);
    const size_t other = random.below(500);
    std::vector<uint16_t> exchanged = elements;
    std::swap(exchanged[i], exchanged[other]);
    CHECK((checksum(exchanged) != before) == (elements[i] != elements[other]));
  }
}

}  // namespace
}  // namespace tilewright
