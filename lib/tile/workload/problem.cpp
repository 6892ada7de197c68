#include "tile/workload/problem.hpp"

#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 4> kLayoutNames = {"tn", "nn", "nt", "tt"};

// The type of that name among those that may play the role.
std::optional<DataType> known_type(std::string_view text, bool tw::ElementRecord::*role) {
  for (const tw::ElementRecord& record : tw::kElements) {
    const bool named = text == record.name || (*record.other != 0 && text == record.other);
    if (named && record.*role) return record.type;
  }
  return {};
}

// "bf16, f16 and f32".
std::string type_names(bool tw::ElementRecord::*role) {
  std::vector<std::string_view> names;
  for (const tw::ElementRecord& record : tw::kElements) {
    if (record.*role) names.emplace_back(record.name);
  }
  return join_words(names, "and");
}

}  // namespace

std::string to_string(DataType type) {
  return tw::record_of(type).name;
}

DataType parse_data_type(std::string_view text) {
  if (const auto type = known_type(text, &tw::ElementRecord::operand)) return *type;
  throw usage_error(
      format("unknown data type '{}': this version knows {}", text, operand_type_names()));
}

DataType parse_output_type(std::string_view text) {
  if (const auto type = known_type(text, &tw::ElementRecord::output)) return *type;
  throw usage_error(
      format("unknown output type '{}': this version knows {}", text, output_type_names()));
}

std::string operand_type_names() {
  return type_names(&tw::ElementRecord::operand);
}

std::string output_type_names() {
  return type_names(&tw::ElementRecord::output);
}

std::string to_string(MatrixLayout layout) {
  return std::string(kLayoutNames[static_cast<size_t>(layout)]);
}

MatrixLayout parse_matrix_layout(std::string_view text) {
  for (size_t i = 0; i < kLayoutNames.size(); ++i) {
    if (text == kLayoutNames[i]) return static_cast<MatrixLayout>(i);
  }
  throw usage_error(format("unknown layout '{}': tn, nn, nt or tt", text));
}

bool k_contiguous_a(MatrixLayout layout) {
  return layout == MatrixLayout::TN || layout == MatrixLayout::TT;
}

bool k_contiguous_b(MatrixLayout layout) {
  return layout == MatrixLayout::TN || layout == MatrixLayout::NN;
}

DataType addend_type(const Problem& p) {
  return tw::record_of(p.dtype).addend;
}

DataType output_type(const Problem& p) {
  return p.out_dtype.value_or(addend_type(p));
}

Problem normalised(Problem problem) {
  if (problem.out_dtype == addend_type(problem)) problem.out_dtype.reset();
  return problem;
}

GemmShape parse_shape(std::string_view text, int64_t least) {
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
    if (*size < least) {
      throw usage_error(format("'{}': {} is 0; sizes start at 1, but in a group", text, name));
    }
    sizes[i] = *size;
  }
  return {sizes[0], sizes[1], sizes[2]};
}

std::string to_string(const GemmShape& s) {
  return format("{}x{}x{}", s.m, s.n, s.k);
}

std::string to_string(const Problem& p) {
  return format("{} {} {}{}{}", to_string(p.shape), to_string(p.dtype), to_string(p.layout),
                p.out_dtype ? " -> " + to_string(*p.out_dtype) : "", p.bias ? " + bias" : "");
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
  const __int128 bytes = bytes_of(p.dtype) * operands +
                         bytes_of(addend_type(p)) * static_cast<__int128>(p.bias ? s.n : 0) +
                         bytes_of(output_type(p)) * outputs;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return bytes > kMost ? kMost : static_cast<int64_t>(bytes);
}

}  // namespace tilewright
