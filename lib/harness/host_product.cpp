#include "harness/host_product.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "harness/element_bits.hpp"
#include "stats/product_check.hpp"
#include "stats/random.hpp"
#include "tools/product_check.cuh"

namespace tilewright {
namespace {

constexpr int64_t kAlignment = 256;
constexpr unsigned char kPoison = 0xFF;  // a NaN in every type

std::vector<unsigned char> random_elements(DataType type, int64_t count, Random& random) {
  std::vector<unsigned char> bytes(static_cast<size_t>(count * bytes_of(type)));
  for (int64_t i = 0; i < count; ++i) {
    put_bits(type, bytes.data(), i, bits_of(type, 2 * random.uniform() - 1));
  }
  return bytes;
}

void copy_into(ZonedMemory& memory, const std::vector<unsigned char>& bytes) {
  std::copy(bytes.begin(), bytes.end(), memory.data());
}

bool holds(const ZonedMemory& memory, const std::vector<unsigned char>& bytes) {
  return std::equal(bytes.begin(), bytes.end(), memory.data());
}

// The lines along K of a matrix as float64, for either layout.
std::vector<double> lines_of(DataType type, const std::vector<unsigned char>& bytes, int64_t lines,
                             int64_t k, bool k_contiguous) {
  std::vector<double> values(static_cast<size_t>(lines * k));
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t i = 0; i < k; ++i) {
      const int64_t at = k_contiguous ? line * k + i : i * lines + line;
      values[static_cast<size_t>(line * k + i)] =
          value_of_bits(type, bits_at(type, bytes.data(), at));
    }
  }
  return values;
}

}  // namespace

ZonedMemory::ZonedMemory(int64_t bytes, int64_t alignment)
    : memory_(static_cast<size_t>(bytes + 2 * kRedZoneBytes + alignment)), bytes_(bytes) {
  const auto first = reinterpret_cast<uintptr_t>(memory_.data()) + kRedZoneBytes;
  const auto unit = static_cast<uintptr_t>(alignment);
  begin_ = kRedZoneBytes + (unit - first % unit) % unit;
}

void ZonedMemory::lay_red_zones() {
  std::fill_n(data() - kRedZoneBytes, kRedZoneBytes, kRedZoneByte);
  std::fill_n(data() + bytes_, kRedZoneBytes, kRedZoneByte);
}

std::string ZonedMemory::stray(const std::string& name) const {
  const auto zone = static_cast<size_t>(kRedZoneBytes);
  if (const auto at = first_overwritten({data() - zone, zone})) {
    return format("it wrote a byte {} before {}", zone - *at, name);
  }
  if (const auto at = first_overwritten({data() + bytes_, zone})) {
    return format("it wrote a byte {} behind {}", *at + 1, name);
  }
  return {};
}

HostProduct::HostProduct(const Problem& problem, uint64_t seed) : problem_(problem) {
  if (flops(problem) / 2 > kMaxHostMacs) {
    throw usage_error(format("{}: on host memory a product has at most {:.0e} multiply-adds",
                             to_string(problem), kMaxHostMacs));
  }
  for (const OperandScale scale : {problem.kind.epilogue.scale_a, problem.kind.epilogue.scale_b}) {
    if (tw::lines_per_scale(tw::form_of(scale)) == 0) continue;
    throw usage_error(format("{}: on host memory operands have a scale of the tensor or none",
                             to_string(problem)));
  }
  for (int i = 0; i < kVersions; ++i) {
    Version& version = versions_[static_cast<size_t>(i)];
    version = make_version(seed * kVersions + static_cast<uint64_t>(i));
    expect(version);
  }
  const Version& first = versions_.front();
  a_ = ZonedMemory(std::ssize(first.a), kAlignment);
  b_ = ZonedMemory(std::ssize(first.b), kAlignment);
  c_ = ZonedMemory(std::ssize(first.c), kAlignment);
  bias_ = ZonedMemory(std::ssize(first.bias), kAlignment);
  const GemmShape& s = problem.shape;
  d_ = ZonedMemory(s.m * s.n * bytes_of(output_type(problem.kind)), kAlignment);
}

HostProduct::Version HostProduct::make_version(uint64_t seed) const {
  const GemmShape& s = problem_.shape;
  const DataType addend = addend_type(problem_.kind);
  Random random(seed);
  Version version;
  version.a = random_elements(problem_.kind.dtype, s.m * s.k, random);
  version.b = random_elements(problem_.kind.dtype, s.n * s.k, random);
  if (reads_c()) version.c = random_elements(addend, s.m * s.n, random);
  if (problem_.kind.epilogue.bias) version.bias = random_elements(addend, s.n, random);
  return version;
}

void HostProduct::expect(Version& version) const {
  const GemmShape& s = problem_.shape;
  const ProductKind& kind = problem_.kind;
  const Epilogue& epilogue = kind.epilogue;
  const DataType addend = addend_type(kind);
  const std::vector<double> a =
      lines_of(kind.dtype, version.a, s.m, s.k, is_k_major_a(kind.layout));
  const std::vector<double> b =
      lines_of(kind.dtype, version.b, s.n, s.k, is_k_major_b(kind.layout));
  const double alpha = double{epilogue.alpha} * (has(epilogue.scale_a) ? scale_a_ : 1) *
                       (has(epilogue.scale_b) ? scale_b_ : 1);
  const tw::ElementTolerance tolerance = tw::element_tolerance(output_type(kind), 1, kind.dtype);
  version.expected.resize(static_cast<size_t>(s.m * s.n));
  version.tolerances.resize(version.expected.size());
  for (int64_t row = 0; row < s.m; ++row) {
    for (int64_t column = 0; column < s.n; ++column) {
      const double* const left = &a[static_cast<size_t>(row * s.k)];
      const double* const right = &b[static_cast<size_t>(column * s.k)];
      double sum = 0;
      double magnitudes = 0;
      for (int64_t i = 0; i < s.k; ++i) {
        sum += left[i] * right[i];
        magnitudes += std::fabs(left[i] * right[i]);
      }
      double value = alpha * sum;
      const int64_t at = row * s.n + column;
      if (reads_c()) {
        value += epilogue.beta * value_of_bits(addend, bits_at(addend, version.c.data(), at));
      }
      if (epilogue.bias) {
        value += value_of_bits(addend, bits_at(addend, version.bias.data(), column));
      }
      version.expected[static_cast<size_t>(at)] = activation_value(epilogue.activation, value);
      // The slope of an activation is at most slightly above 1.
      constexpr double kStretch = 1.2;
      version.tolerances[static_cast<size_t>(at)] =
          tw::tolerance_of(tolerance, version.expected[static_cast<size_t>(at)],
                           std::fabs(alpha) * magnitudes * kStretch, 0);
    }
  }
}

void HostProduct::load(int version) {
  loaded_ = version;
  const Version& v = versions_[static_cast<size_t>(version)];
  copy_into(a_, v.a);
  copy_into(b_, v.b);
  copy_into(c_, v.c);
  copy_into(bias_, v.bias);
  std::fill_n(d_.data(), d_.bytes(), kPoison);
  for (ZonedMemory* const memory : {&a_, &b_, &c_, &bias_, &d_}) memory->lay_red_zones();
}

bool HostProduct::is_right(const Version& version, int64_t index) const {
  const DataType type = output_type(problem_.kind);
  const double value = value_of_bits(type, bits_at(type, d_.data(), index));
  const auto at = static_cast<size_t>(index);
  return std::fabs(value - version.expected[at]) <= version.tolerances[at];
}

// True where D holds the product of the other version's operands.
bool HostProduct::is_other_version() const {
  const Version& other = versions_[static_cast<size_t>((loaded_ + 1) % kVersions)];
  for (int64_t i = 0; i < std::ssize(other.expected); ++i) {
    if (!is_right(other, i)) return false;
  }
  return true;
}

std::string HostProduct::first_fault() const {
  const GemmShape& s = problem_.shape;
  const Version& version = versions_[static_cast<size_t>(loaded_)];
  const auto bytes = static_cast<size_t>(bytes_of(output_type(problem_.kind)));
  const std::vector<unsigned char> poison(bytes, kPoison);
  int64_t untouched = 0;
  int64_t wrong = 0;
  int64_t first = -1;
  for (int64_t i = 0; i < s.m * s.n; ++i) {
    if (is_right(version, i)) continue;
    const unsigned char* const element = d_.data() + static_cast<size_t>(i) * bytes;
    ++(std::equal(poison.begin(), poison.end(), element) ? untouched : wrong);
    if (first < 0) first = i;
  }
  const std::string place = format("first at row {}, column {}", first / s.n, first % s.n);
  if (untouched > 0) return format("it never wrote {} elements, {}", untouched, place);
  if (wrong == 0) return find_stray();
  if (is_other_version()) {
    return "D is the product of the operands of an earlier launch at these addresses: it reused "
           "that result";
  }
  return format("{} compared elements are wrong, {}", wrong, place);
}

std::string HostProduct::find_stray() const {
  const Version& version = versions_[static_cast<size_t>(loaded_)];
  struct Place {
    const ZonedMemory& memory;
    const std::vector<unsigned char>* bytes;  // expected contents; null: the kernel may write here
    const char* name;
  };
  const Place places[] = {{d_, nullptr, "D"},
                          {a_, &version.a, "A"},
                          {b_, &version.b, "B"},
                          {c_, &version.c, "C"},
                          {bias_, &version.bias, "the bias"}};
  for (const Place& place : places) {
    if (place.bytes != nullptr && !holds(place.memory, *place.bytes)) {
      return format("it wrote to {}", place.name);
    }
    if (std::string stray = place.memory.stray(place.name); !stray.empty()) return stray;
  }
  return {};
}

Verification HostProduct::check() const {
  const DataType type = output_type(problem_.kind);
  const Version& version = versions_[static_cast<size_t>(loaded_)];
  double errors = 0;
  double squares = 0;
  for (int64_t i = 0; i < std::ssize(version.expected); ++i) {
    const double value = value_of_bits(type, bits_at(type, d_.data(), i));
    const double expected = version.expected[static_cast<size_t>(i)];
    errors += (value - expected) * (value - expected);
    squares += expected * expected;
  }
  Verification verification{.ok = false, .rel_error = 0, .detail = first_fault()};
  verification.ok = verification.detail.empty();
  if (squares > 0 && std::isfinite(errors)) verification.rel_error = std::sqrt(errors / squares);
  return verification;
}

int64_t HostProduct::operand_bytes() const {
  return a_.bytes() + b_.bytes() + c_.bytes() + bias_.bytes() + d_.bytes();
}

}  // namespace tilewright
