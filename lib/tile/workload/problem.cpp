#include "tile/workload/problem.hpp"

#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/split_sizes.hpp"
#include "base/text.hpp"
#include "tile/workload/scale_layout.hpp"

namespace tilewright {

GemmShape parse_shape(std::string_view text, int64_t least) {
  const std::vector<std::string_view> parts = split_sizes(text);
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

int64_t operand_bytes(const Problem& p) {
  const GemmShape& s = p.shape;
  // Sizes are below 2^31, so each product stays below 2^62; the sum may not, hence the cap.
  const auto operands = static_cast<__int128>(s.m) * s.k + static_cast<__int128>(s.n) * s.k;
  const auto outputs = static_cast<__int128>(s.m) * s.n;
  const auto written = static_cast<__int128>(s.m) * output_columns(p.kind, s.n);
  const Epilogue& e = p.kind.epilogue;
  const int64_t bias = e.bias ? s.n : e.row_bias ? s.m : 0;
  const __int128 addends = (e.beta != 0 ? outputs : 0) + bias;
  const __int128 bytes = bytes_of(p.kind.dtype) * operands +
                         bytes_of(addend_type(p.kind)) * addends +
                         bytes_of(output_type(p.kind)) * written + scale_bytes(workload_of(p));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  return bytes > kMax ? kMax : static_cast<int64_t>(bytes);
}

}  // namespace tilewright
