#include "tile/workload/problem.hpp"

#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

GemmShape parse_shape(std::string_view text, int64_t least) {
  const std::vector<std::string_view> parts = split_sizes(text);
  if (parts.size() == 4) {
    throw usage_error(
        format("'{}' has four sizes, which is a batch, BxMxNxK: one product, MxNxK, is needed here",
               text));
  }
  if (parts.size() == 1 && parse_count(text)) {
    throw usage_error(
        format("'{}' is one size: write MxNxK as one word, such as 4096x4096x4096", text));
  }
  if (parts.size() != 3) {
    throw usage_error(format("'{}' is not a problem: write MxNxK, such as 4096x4096x4096", text));
  }
  int64_t sizes[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<int64_t> size = parse_count(parts[i]);
    const char name = "MNK"[i];
    const bool digits =
        !parts[i].empty() && parts[i].find_first_not_of("0123456789") == std::string_view::npos;
    if (!size && !digits) {
      throw usage_error(format("'{}' is not a problem: {} is '{}', not a positive whole number",
                               text, name, parts[i]));
    }
    if (!size || *size > std::numeric_limits<int32_t>::max()) {
      throw usage_error(format("'{}': {} = {} is above 2147483647", text, name, parts[i]));
    }
    if (*size < least) {
      throw usage_error(format("'{}': {} is 0; sizes start at 1, except in a group", text, name));
    }
    sizes[i] = *size;
  }
  return {sizes[0], sizes[1], sizes[2]};
}

std::string to_string(const GemmShape& s) {
  return format("{}x{}x{}", s.m, s.n, s.k);
}

std::string to_string(const Problem& p) {
  return format("{} {}", to_string(p.shape), to_string(p.kind));
}

double flops(const Problem& p) {
  return 2.0 * static_cast<double>(p.shape.m) * static_cast<double>(p.shape.n) *
         static_cast<double>(p.shape.k);
}

}  // namespace tilewright
