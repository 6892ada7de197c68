#include "answer/answer_range.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "answer/answers_text.hpp"
#include "answer/shipped_choice.hpp"
#include "support/error_message.hpp"
#include "support/shipped_table.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;
using testing::shipped_table;

AnswerTable with_ranges(const std::string& range) {
  AnswerTable table = shipped_table();
  table.ranges = answers_for_range(table, parse_product_range(range));
  return table;
}

TEST_CASE("a range text names its values and the sizes that take them") {
  const ProductRange steps = parse_product_range("m=8..8192:8 of {m}x4096x4096");
  CHECK(steps.shape == GemmShape{0, 4096, 4096});
  CHECK(steps.values.size() == 1024);
  CHECK(steps.values.back() == 8192);
  CHECK(parse_product_range("n=1..8192 of {n}x{n}x512").shape == GemmShape{0, 0, 512});
  CHECK(parse_product_range("s=64..4096*2 of 64x64x{s}").values.size() == 7);
  CHECK(shape_at({0, 7, 0}, 3) == GemmShape{3, 7, 3});
  const auto error_message = [](const std::string& text) {
    return error_message_of([&text] { parse_product_range(text); });
  };
  CHECK(contains(error_message("m=1..8192"), "' of ' is missing"));
  CHECK(contains(error_message("m=1..8192 of 1x2x3"), "no size is {m}"));
  CHECK(contains(error_message("m=0..9 of {m}x2x3"), "sizes are at least 1"));
  CHECK(contains(error_message("m=1..9 of {m}x0x3"), "0"));
  CHECK(contains(error_message("m=1..9 of {m}x3"), "is not a problem"));
  CHECK(contains(error_message("m=1..99999999 of {m}x1x1"), "more than 65536 values"));
  CHECK(contains(error_message("m=9..1 of {m}x1x1"), "--for 'm=9..1'"));
}

TEST_CASE("precomputed ranges answer every value as the model does, and no other problem") {
  for (const char* const range :
       {"m=1..150 of {m}x640x712", "n=4..300:4 of {n}x{n}x512", "k=16..4096*2 of 96x520x{k}",
        "m=500,512,520,1024 of {m}x{m}x{m}"}) {
    const AnswerTable table = with_ranges(range);
    const ProductRange asked = parse_product_range(range);
    CAPTURE(range);
    CHECK(!table.ranges.empty());
    for (const Workload& kind :
         {workload_of({}), workload_of({.kind = {.layout = MatrixLayout::NT}})}) {
      for (const int64_t value : asked.values) {
        Workload product = kind;
        product.shapes = {shape_at(asked.shape, value)};
        const std::optional<ShippedChoice> single = choose_shipped(shipped_table(), product);
        const std::optional<ShippedChoice> precomputed = choose_shipped(table, product);
        CAPTURE(full_text(product));
        REQUIRE(single.has_value());
        REQUIRE(precomputed.has_value());
        CHECK(precomputed->config == single->config);
        CHECK(precomputed->source == single->source);
        CHECK((find_answer_range(table.ranges, product) == nullptr) ==
              is_of_product(single->source));
      }
    }
    Workload beyond = workload_of({.shape = shape_at(asked.shape, asked.values.back() + 1)});
    CHECK(find_answer_range(table.ranges, beyond) == nullptr);
    CHECK(parse_answers(print_answers(table)) == table);
  }
}

TEST_CASE("adjacent values with one answer form one run; values between steps have none") {
  const AnswerTable table = with_ranges("m=8..400:8 of {m}x4096x1024");
  const auto of_kind =
      std::count_if(table.ranges.begin(), table.ranges.end(),
                    [](const auto& precomputed) { return precomputed.kind.kind == ProductKind{}; });
  CHECK(of_kind < 25);  // of 50 values
  CHECK(find_answer_range(table.ranges, workload_of({{16, 4096, 1024}})) != nullptr);
  CHECK(find_answer_range(table.ranges, workload_of({{17, 4096, 1024}})) == nullptr);
  CHECK(find_answer_range(table.ranges, workload_of({{16, 4096, 1032}})) == nullptr);
  Workload scaled = workload_of({{16, 4096, 1024}});
  scaled.kind.epilogue.beta = 1;
  CHECK(find_answer_range(table.ranges, scaled) == nullptr);
}

TEST_CASE("a run does not answer where the operands' places need another kernel") {
  const AnswerTable table = with_ranges("m=64..80 of {m}x640x712");
  const Workload product = workload_of({{70, 640, 712}});
  const OperandPlaces odd = {.d = {.pitch = 641}};
  CHECK(choose_shipped(table, product, odd)->config ==
        choose_shipped(shipped_table(), product, odd)->config);
  const OperandPlaces padded = {.d = {.pitch = 648}};
  CHECK(choose_shipped(table, product, padded)->config ==
        find_answer_range(table.ranges, product)->config);
}

}  // namespace
}  // namespace tilewright
