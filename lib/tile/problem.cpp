#include "tile/problem.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {

int element_bytes(DataType) {
  return 2;
}

std::string to_string(DataType type) {
  return type == DataType::BF16 ? "bf16" : "f16";
}

DataType parse_data_type(std::string_view text) {
  if (text == "bf16") return DataType::BF16;
  if (text == "f16" || text == "fp16") return DataType::F16;
  throw usage_error(format("unknown data type '{}': this version knows bf16 and f16", text));
}

GemmShape parse_shape(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
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
      throw usage_error(format("'{}': {} = {} is beyond 2147483647", text, name, parts[i]));
    }
    if (*size == 0) throw usage_error(format("'{}': {} is 0; sizes start at 1", text, name));
    sizes[i] = *size;
  }
  return {sizes[0], sizes[1], sizes[2]};
}

std::string to_string(const GemmShape& s) {
  return format("{}x{}x{}", s.m, s.n, s.k);
}

std::string to_string(const Problem& p) {
  return format("{} {} tn", to_string(p.shape), to_string(p.dtype));
}

double flops(const Problem& p) {
  return 2.0 * static_cast<double>(p.shape.m) * static_cast<double>(p.shape.n) *
         static_cast<double>(p.shape.k);
}

int64_t operand_bytes(const Problem& p) {
  const GemmShape& s = p.shape;
  // Sizes are below 2^31, so each product stays below 2^62; the sum may not, hence the cap.
  const auto bytes = static_cast<__int128>(element_bytes(p.dtype)) *
                     (static_cast<__int128>(s.m) * s.k + static_cast<__int128>(s.n) * s.k +
                      static_cast<__int128>(s.m) * s.n);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return bytes > kMost ? kMost : static_cast<int64_t>(bytes);
}

}  // namespace tilewright
