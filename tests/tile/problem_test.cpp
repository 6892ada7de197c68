#include "tile/workload/problem.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "base/error.hpp"
#include "support/error_message.hpp"

using namespace tilewright;

namespace {

using testing::contains;

std::string why_no_shape(std::string_view text) {
  return testing::error_message_of([&] { parse_shape(text); });
}

}  // namespace

TEST_CASE("a printed shape parses back") {
  for (const GemmShape shape : {GemmShape{1, 1, 1}, {4097, 1000, 4104}, {16, 8192, 2147483647}}) {
    CHECK(parse_shape(to_string(shape)) == shape);
  }
  CHECK(parse_shape("0004x5x6") == GemmShape{4, 5, 6});
  CHECK(parse_shape("4X5x6") == GemmShape{4, 5, 6});
}

TEST_CASE("a bad shape is refused with the size and the reason") {
  CHECK(contains(why_no_shape("0x4x4"), "M is 0"));
  CHECK(contains(why_no_shape("4x0x4"), "N is 0"));
  CHECK(contains(why_no_shape("4x4x-1"), "K is '-1'"));
  CHECK(contains(why_no_shape("4x4x2147483648"), "K = 2147483648 is above 2147483647"));
  CHECK(contains(why_no_shape("99999999999999999999x4x4"), "is above 2147483647"));
  CHECK(contains(why_no_shape("4x4"), "write MxNxK"));
  CHECK(contains(why_no_shape("4x4x4x4"), "one product, MxNxK"));
  CHECK(contains(why_no_shape("16x4x5x6"), "a batch, BxMxNxK"));
  CHECK(contains(why_no_shape("4096"), "write MxNxK as one word"));
  CHECK(contains(why_no_shape(""), "write MxNxK"));
  CHECK(contains(why_no_shape("axbxc"), "M is 'a'"));
  CHECK(contains(why_no_shape("4xx4"), "N is ''"));
  CHECK(contains(why_no_shape("4x4x4 "), "K is '4 '"));
  CHECK(contains(why_no_shape("1e3x4x4"), "M is '1e3'"));
}

TEST_CASE("a type reads back as printed, only in the roles that it has") {
  for (const tw::ElementRecord& record : tw::kElements) {
    CAPTURE(record.name);
    CHECK(to_string(record.type) == record.name);
    if (record.operand) {
      CHECK(parse_data_type(record.name) == record.type);
    } else {
      CHECK_THROWS_AS(parse_data_type(record.name), Error);
    }
    if (record.output) {
      CHECK(parse_output_type(record.name) == record.type);
    } else {
      CHECK_THROWS_AS(parse_output_type(record.name), Error);
    }
  }
  CHECK(parse_data_type("fp16") == DataType::F16);
  CHECK(parse_data_type("float16") == DataType::F16);
  CHECK(parse_data_type("torch.bfloat16") == DataType::BF16);
  CHECK(parse_data_type("float8_e4m3fn") == DataType::E4M3);
  CHECK(parse_output_type("float") == DataType::F32);
  CHECK(parse_output_type("fp32") == DataType::F32);
  CHECK(parse_data_type("fp8") == DataType::E4M3);
  CHECK(output_type({.dtype = DataType::E4M3}) == DataType::BF16);
  CHECK(parse_data_type("float8_e5m2") == DataType::E5M2);
  CHECK(output_type({.dtype = DataType::E5M2}) == DataType::BF16);
  CHECK_THROWS_AS(parse_output_type("e5m2"), Error);
  CHECK_THROWS_AS(parse_data_type("float32"), Error);  // no operand's
  CHECK_THROWS_AS(parse_data_type(""), Error);
}

TEST_CASE("golden: work of a product") {
  const Problem problem{.shape = {3, 5, 7}};
  CHECK(flops(problem) == 2.0 * 3 * 5 * 7);
  CHECK(to_string(problem) == "3x5x7 bf16 tn");
}
