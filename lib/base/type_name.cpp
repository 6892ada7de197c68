#include "base/type_name.hpp"

#include <string>
#include <utility>

#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"half_t", "f16"},         {"half", "f16"},
    {"__half", "f16"},         {"float16", "f16"},
    {"fp16", "f16"},           {"fp32", "f32"},
    {"fp8", "e4m3"},           {"bfloat16_t", "bf16"},
    {"bf16_t", "bf16"},        {"__nv_bfloat16", "bf16"},
    {"bfloat16", "bf16"},      {"float", "f32"},
    {"float32", "f32"},        {"tfloat32_t", "tf32"},
    {"tfloat32", "tf32"},      {"double", "f64"},
    {"float64", "f64"},        {"fp64", "f64"},
    {"float_e4m3_t", "e4m3"},  {"float8_e4m3fn", "e4m3"},
    {"float8_e4m3", "e4m3"},   {"float8e4m3fn", "e4m3"},
    {"f8e4m3fn", "e4m3"},      {"__nv_fp8_e4m3", "e4m3"},
    {"float8e4nv", "e4m3"},    {"fp8e4nv", "e4m3"},
    {"float_e5m2_t", "e5m2"},  {"float8_e5m2", "e5m2"},
    {"float8e5m2", "e5m2"},    {"f8e5m2", "e5m2"},
    {"__nv_fp8_e5m2", "e5m2"}, {"float8e5", "e5m2"},
    {"fp8e5", "e5m2"},         {"float_e2m1_t", "e2m1"},
    {"float4_e2m1fn", "e2m1"}, {"f4e2m1fn", "e2m1"},
    {"int4_t", "i4"},          {"int8_t", "i8"},
    {"int16_t", "i16"},        {"int32_t", "i32"},
    {"int64_t", "i64"},        {"int8", "i8"},
    {"int16", "i16"},          {"int32", "i32"},
    {"int64", "i64"},          {"int", "i32"},
    {"uint4_t", "u4"},         {"uint8_t", "u8"},
    {"uint16_t", "u16"},       {"uint32_t", "u32"},
    {"uint64_t", "u64"},       {"uint8", "u8"},
    {"uint16", "u16"},         {"uint32", "u32"},
    {"uint64", "u64"},         {"uint128_t", "b128"}};

}  // namespace

std::string_view short_type_name(std::string_view text) {
  // torch., jnp., tl., cutlass::, cute::
  const size_t qualifier = text.find_last_of(":.");
  const std::string name =
      lower_case(qualifier == std::string_view::npos ? text : text.substr(qualifier + 1));
  for (const auto& [spelling, own] : kNames) {
    if (name == spelling || name == own) return own;
  }
  return text;
}

std::vector<std::string_view> long_type_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kNames));
  for (const auto& [spelling, own] : kNames) names.push_back(spelling);
  return names;
}

}  // namespace tilewright
