#include "store/shipped_answers.hpp"

#include <doctest/doctest.h>

#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;

TEST_CASE("work that a library's calls cannot ask for is refused by its reason") {
  const auto why = [](std::vector<GemmShape> shapes, MatrixOp op = MatrixOp::Gemm,
                      ProductKind kind = {}) {
    return why_not_shipped({.op = op, .kind = kind, .shapes = std::move(shapes)});
  };
  CHECK(why({{64, 64, 64}}) == "");
  CHECK(why({{64, 64, 64}}, MatrixOp::Her2k) == "");
  CHECK(why({{64, 64, 64}, {0, 64, 64}}) == "");
  CHECK(contains(why({{64, 64, 64}, {64, 32, 64}}), "share N and K"));
  CHECK(contains(why({{64, 64, 64}, {64, 64, 32}}, MatrixOp::Gemm, {.layout = MatrixLayout::NT}),
                 "layout tn"));
  CHECK(contains(why({{64, 64, 64}, {32, 32, 64}}, MatrixOp::Syrk), "rank-k updates"));
}

TEST_CASE("every epilogue and every scale of a tuned row is shipped") {
  Artefact tuned = load_best(TILEWRIGHT_SOURCE_DIR "/presets/tuned/h100-mlp.yaml");
  tuned.entries.resize(1);
  const Epilogue epilogues[] = {{.row_bias = true},
                                {.activation = Activation::Swiglu, .stacked = true},
                                {.scale_d = true},
                                {.absmax = true},
                                {.out_dtype = DataType::E4M3}};
  for (const Epilogue& epilogue : epilogues) {
    tuned.entries.front().problem.kind.epilogue = epilogue;
    const TunedFile file{"tuned.yaml", tuned};
    const AnswerTable table = shipped_answers({&file, 1});
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows.front().problem.kind.epilogue == epilogue);
    CHECK(!table.kernels.empty());
  }
}
