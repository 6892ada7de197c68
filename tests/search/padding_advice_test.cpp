#include "search/padding_advice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "support/devices.hpp"
#include "tile/plan/plan.hpp"

using namespace tilewright;

namespace {

Problem product(int64_t m, int64_t n, int64_t k, const char* layout = "tn",
                DataType type = DataType::BF16) {
  Problem p;
  p.shape = {m, n, k};
  p.kind.layout = parse_matrix_layout(layout);
  p.kind.dtype = type;
  return p;
}

// Bytes from one tight row of A, B and D to the next, from the letters of the layout alone.
std::vector<int64_t> row_bytes(const GemmShape& s, std::string_view layout) {
  return {2 * (layout[0] == 't' ? s.k : s.m), 2 * (layout[1] == 't' ? s.n : s.k), 2 * s.n};
}

}  // namespace

TEST_CASE("padded rows begin at multiples of 16 and of 128 bytes, and sizes grow by the least") {
  std::mt19937 random(7);
  for (int draw = 0; draw < 8; ++draw) {
    const char* const layout = std::array{"tn", "nn", "nt", "tt"}[static_cast<size_t>(draw) % 4];
    const auto size = [&] { return int64_t{1} + static_cast<int64_t>(random() % 300); };
    const Problem p = product(size(), size(), size(), layout);
    CAPTURE(to_string(p));
    const PaddingAdvice advice = padding_advice(p, testing::h200());
    REQUIRE(advice.given.why_not.empty());
    for (const PaddedProduct& padded : advice.padded) {
      REQUIRE(padded.why_not.empty());
      const GemmShape& s = padded.shape;
      CHECK((s.m >= p.shape.m && s.n >= p.shape.n && s.k >= p.shape.k));
      const Pitches pitch = pitches_of({s, p.kind}, padded.places);
      for (const int64_t elements : {pitch.a, pitch.b, pitch.d}) {
        CHECK(2 * elements % padded.row_bytes == 0);
      }
      // Rows lie apart by the least multiple that holds them.
      if (s == p.shape) {
        const std::vector<int64_t> rows = row_bytes(s, layout);
        const int64_t apart[] = {2 * pitch.a, 2 * pitch.b, 2 * pitch.d};
        for (size_t i = 0; i < rows.size(); ++i) {
          CHECK((apart[i] >= rows[i] && apart[i] - rows[i] < padded.row_bytes));
        }
      }
      // No smaller size would do: a row of one unit less is too short or begins elsewhere.
      if (!(s == p.shape)) {
        CHECK(padded.places == OperandPlaces{});
        const int64_t unit = padded.row_bytes / 2;
        CHECK((s.m - p.shape.m < unit && s.n - p.shape.n < unit && s.k - p.shape.k < unit));
        const std::vector<int64_t> rows = row_bytes(s, layout);
        CHECK(std::all_of(rows.begin(), rows.end(),
                          [&](int64_t bytes) { return bytes % padded.row_bytes == 0; }));
      }
      const Plan plan =
          make_plan({s, p.kind}, padded.config, testing::h200(), {.places = padded.places});
      CHECK(plan.copies == Repacked{});
      CHECK(padded.predicted == estimate(plan, testing::h200()));
    }
    const std::vector<int64_t> tight = row_bytes(p.shape, layout);
    const bool whole_lines =
        std::all_of(tight.begin(), tight.end(), [](int64_t bytes) { return bytes % 128 == 0; });
    CHECK(advice.padded.empty() == whole_lines);
  }
}

TEST_CASE("an inner dimension of 588 is copied at every call, and rows further apart are not") {
  const PaddingAdvice advice = padding_advice(product(4096, 4096, 588), testing::h200());
  CHECK(advice.copies == Repacked{true, true});
  const PaddedProduct* const best = best_padding(advice);
  REQUIRE(best != nullptr);
  CHECK(best->shape == advice.problem.shape);
  for (const PaddedProduct& padded : advice.padded) CHECK(*time_pct(advice, padded) < 95);
  CHECK(*time_pct(advice, *best) <= *time_pct(advice, advice.padded.front()));
}

TEST_CASE("rows of whole lines have nothing to pad") {
  const PaddingAdvice advice = padding_advice(product(512, 256, 640), testing::h200());
  CHECK(advice.padded.empty());
  CHECK(best_padding(advice) == nullptr);
  CHECK(advice.copies == Repacked{});
}

TEST_CASE("an fp8 product that no kernel runs as it is runs when padded") {
  const PaddingAdvice advice =
      padding_advice(product(256, 256, 588, "tn", DataType::E4M3), testing::h200());
  CHECK_FALSE(advice.given.why_not.empty());
  REQUIRE(advice.padded.size() == 2);
  CHECK(advice.padded[0].shape == GemmShape{256, 256, 592});
  CHECK(advice.padded[1].shape == GemmShape{256, 256, 640});
  CHECK(best_padding(advice) != nullptr);
  CHECK_FALSE(time_pct(advice, advice.padded[0]).has_value());
}
