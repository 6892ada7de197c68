#include "layout/algebra/element_type.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::pair<std::string_view, int64_t>, 24> kTypes = {{
    {"f16", 16}, {"bf16", 16}, {"f32", 32}, {"tf32", 32}, {"f64", 64}, {"e4m3", 8},
    {"e5m2", 8}, {"e2m1", 4},  {"i4", 4},   {"i8", 8},    {"i16", 16}, {"i32", 32},
    {"i64", 64}, {"s8", 8},    {"s32", 32}, {"u4", 4},    {"u8", 8},   {"u16", 16},
    {"u32", 32}, {"u64", 64},  {"b8", 8},   {"b16", 16},  {"b32", 32}, {"b128", 128},
}};

}  // namespace

int64_t element_bits(std::string_view type) {
  std::vector<std::string_view> names;
  for (const auto& [name, bits] : kTypes) {
    if (name == type) return bits;
    names.push_back(name);
  }
  throw usage_error(format("unknown element type '{}'{}; known are {}", type,
                           did_you_mean(type, names),
                           join(std::vector<std::string>(names.begin(), names.end()), ", ")));
}

}  // namespace tilewright
