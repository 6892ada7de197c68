#include "answer/answer_table.hpp"

#include <doctest/doctest.h>

#include "support/devices.hpp"
#include "support/sm90_configs.hpp"

using namespace tilewright;

namespace {

Workload scaled_work(OperandScale a, OperandScale b, int64_t k) {
  return {.kind = {.dtype = DataType::E4M3, .epilogue = {.scale_a = a, .scale_b = b}},
          .shapes = {{64, 256, k}}};
}

}  // namespace

TEST_CASE("kernels answer for scales with and without padding, but not for other forms") {
  for (const OperandScale a : {OperandScale::Vector, OperandScale::VectorAlongK}) {
    const Workload any = scaled_work(a, OperandScale::Block, 512);
    CHECK(answers_alike(any, scaled_work(a, OperandScale::Block, 640)));
    CHECK(answers_alike(any, scaled_work(a, OperandScale::BlockPadded, 640)));
    CHECK(!answers_alike(any, scaled_work(a, OperandScale::Vector, 640)));
    CHECK(!answers_alike(any, scaled_work(OperandScale::Line, OperandScale::Line, 640)));
    // They are the same programs.
    const auto programs = [](const Workload& work) {
      return program_ids(
          make_plan(work, testing::sm90_config("cta=128x128x128", 3), testing::h200()));
    };
    CHECK(programs(any) == programs(scaled_work(a, OperandScale::BlockPadded, 640)));
    CHECK(programs(any) != programs(scaled_work(a, OperandScale::Vector, 640)));
  }
  // Only scales of lines that lie together come with the stages.
  CHECK(!answers_alike(scaled_work(OperandScale::Vector, OperandScale::Block, 512),
                       scaled_work(OperandScale::VectorAlongK, OperandScale::Block, 512)));
}

TEST_CASE("two orders are one call where they are the same memory") {
  const auto of_b = [](OperandScale b, int64_t k) {
    return scaled_work(OperandScale::Vector, b, k);
  };
  CHECK(is_same_call(of_b(OperandScale::Block, 1024), of_b(OperandScale::BlockPadded, 1024)));
  CHECK(!is_same_call(of_b(OperandScale::Block, 1152), of_b(OperandScale::BlockPadded, 1152)));
  CHECK(is_same_call(of_b(OperandScale::Block, 1152), of_b(OperandScale::Block, 1152)));
  CHECK(!is_same_call(of_b(OperandScale::Vector, 1024), of_b(OperandScale::VectorAlongK, 1024)));
}
