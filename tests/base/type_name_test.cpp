#include "base/type_name.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace tilewright {
namespace {

TEST_CASE("programs' names of element types have a short one, whatever their case or namespace") {
  struct Case {
    const char* own;
    std::vector<const char*> spellings;
  };
  const Case cases[] = {{"f16",
                         {"f16", "F16", "half", "__half", "half_t", "cutlass::half_t", "float16",
                          "Float16", "torch.float16", "tl.float16"}},
                        {"bf16",
                         {"bf16", "BF16", "bfloat16", "BFloat16", "bfloat16_t", "cute::bfloat16_t",
                          "torch.bfloat16", "__nv_bfloat16"}},
                        {"f32", {"float", "float32", "torch.float32", "F32"}},
                        {"tf32", {"tfloat32_t", "TFloat32"}},
                        {"e4m3",
                         {"float8_e4m3fn", "torch.float8_e4m3fn", "Float8E4M3FN", "f8E4M3FN",
                          "float_e4m3_t", "tl.float8e4nv", "__nv_fp8_e4m3", "E4M3"}},
                        {"e5m2", {"float8_e5m2", "Float8E5M2", "float_e5m2_t", "float8e5"}},
                        {"i8", {"int8_t", "int8", "torch.int8"}}};
  for (const Case& one : cases) {
    for (const char* const spelling : one.spellings) {
      CAPTURE(spelling);
      CHECK(short_type_name(spelling) == one.own);
    }
  }
  for (const char* const other : {"", "f17", "floot16", "half_", "torch.", "complex64"}) {
    CHECK(short_type_name(other) == other);
  }
}

}  // namespace
}  // namespace tilewright
