#include "layout/text/triton_keys.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxTensor = int64_t{1} << 40;

const IntTuple& require_key(const TritonAttribute& a, const std::string& key) {
  const auto found = a.keys.find(key);
  if (found == a.keys.end()) throw bad_key(a, key, "is missing");
  return found->second;
}

Sizes integers_of(const TritonAttribute& a, const std::string& key, const IntTuple& list) {
  Sizes values;
  if (!list.is_tuple()) throw bad_key(a, key, "is not a list");
  for (const IntTuple& item : list.items()) {
    if (item.is_tuple()) throw bad_key(a, key, "is not a list of integers");
    values.push_back(item.value());
  }
  return values;
}

LinearInput written_input(const TritonAttribute& a, const std::string& name) {
  LinearInput input{name, {}};
  const auto found = a.keys.find(name);
  if (found == a.keys.end()) return input;
  for (const IntTuple& basis : found->second.items()) {
    input.bases.push_back(integers_of(a, name, basis));
  }
  return input;
}

// The smallest power of two above every sum of bases in dimension `dim`.
int64_t reached_size(const TritonAttribute& a, const LinearLayout& linear, size_t dim) {
  uint64_t all = 0;
  for (const LinearInput& input : linear.inputs) {
    for (const std::vector<int64_t>& basis : input.bases) all |= static_cast<uint64_t>(basis[dim]);
  }
  if (all >= static_cast<uint64_t>(kMaxTensor)) throw bad_key(a, "a basis", "is too large");
  return static_cast<int64_t>(std::bit_ceil(all + 1));
}

}  // namespace

Error bad_key(const TritonAttribute& a, std::string_view key, const std::string& problem) {
  return usage_error(format("Triton's {}: {} {}", a.name, key, problem));
}

void require_power(const TritonAttribute& a, std::string_view key, int64_t value) {
  if (value > 0 && value <= kMaxTensor && std::has_single_bit(static_cast<uint64_t>(value))) return;
  throw bad_key(
      a, key,
      format("is {}, which is not a power of two; linear layouts have only powers of two", value));
}

int64_t integer_key(const TritonAttribute& a, const std::string& key) {
  const IntTuple& value = require_key(a, key);
  if (value.is_tuple()) throw bad_key(a, key, "is not an integer");
  return value.value();
}

int64_t power_key(const TritonAttribute& a, const std::string& key) {
  require_power(a, key, integer_key(a, key));
  return integer_key(a, key);
}

Sizes powers_key(const TritonAttribute& a, const std::string& key) {
  Sizes values = integers_of(a, key, require_key(a, key));
  for (const int64_t value : values) require_power(a, key, value);
  return values;
}

std::vector<size_t> order_key(const TritonAttribute& a, const std::string& key) {
  const Sizes values = integers_of(a, key, require_key(a, key));
  std::vector<size_t> order;
  for (const int64_t value : values) order.push_back(static_cast<size_t>(value));
  std::vector<size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != i) throw bad_key(a, key, "is not an order of the dimensions");
  }
  return order;
}

bool truth_key(const TritonAttribute& a, const std::string& key) {
  return a.keys.count(key) == 1 && integer_key(a, key) != 0;
}

LinearLayout written_out(const TritonAttribute& a, const std::vector<std::string>& names) {
  LinearLayout linear;
  size_t dims = a.shape.size();
  for (const std::string& name : names) {
    linear.inputs.push_back(written_input(a, name));
    for (const std::vector<int64_t>& basis : linear.inputs.back().bases) {
      if (dims == 0) dims = basis.size();
      if (basis.size() != dims) throw bad_key(a, name, "mixes ranks");
    }
  }
  if (dims == 0) throw bad_key(a, names[0], "is missing");
  for (size_t i = 0; i < dims; ++i) {
    const int64_t reached = reached_size(a, linear, i);
    const int64_t extent = a.shape.empty() ? reached : a.shape[i];
    require_power(a, "the tensor's shape", extent);
    if (reached > extent) throw bad_key(a, names[0], "exceeds the tensor");
    linear.outputs.push_back({format("dim{}", i), extent});
  }
  return linear;
}

}  // namespace tilewright
