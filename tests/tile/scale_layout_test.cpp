// Layouts of scales against their definition: every scale has a place of its own, neighbours lie
// where the form says, and nothing lies in the padding.
#include "tile/workload/scale_layout.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/math.hpp"

namespace tilewright {
namespace {

Workload workload_with(OperandScale a, OperandScale b, std::vector<GemmShape> shapes) {
  Workload workload{.kind = {.dtype = DataType::E4M3}, .shapes = std::move(shapes)};
  workload.kind.epilogue.scale_a = a;
  workload.kind.epilogue.scale_b = b;
  return workload;
}

// The place of the scale of element (line, k) of problem p by its form's definition, for an operand
// of `lines` lines and depth `depth`.
int64_t defined_place(OperandScale scale, int64_t lines, int64_t depth, int64_t line, int64_t k,
                      int64_t problem) {
  const int64_t blocks = (depth + 127) / 128;
  const int64_t block_lines = (lines + 127) / 128;
  switch (scale) {
    case OperandScale::None:
    case OperandScale::Tensor: return 0;
    case OperandScale::Line: return problem * lines + line;
    case OperandScale::Vector: {
      const int64_t pitch = (lines + 3) / 4 * 4;
      return (problem * blocks + k / 128) * pitch + line;
    }
    case OperandScale::VectorAlongK: return (problem * lines + line) * blocks + k / 128;
    case OperandScale::Block: return (problem * block_lines + line / 128) * blocks + k / 128;
    case OperandScale::BlockPadded: {
      const int64_t pitch = (blocks + 3) / 4 * 4;
      return (problem * block_lines + line / 128) * pitch + k / 128;
    }
  }
  return -1;
}

int64_t place_in(const ScaleLayout& layout, OperandScale scale, int64_t line, int64_t k,
                 int64_t problem) {
  const int64_t per_scale = tw::lines_per_scale(tw::form_of(scale));
  return (per_scale == 0 ? 0 : line / per_scale * layout.line) + k / 128 * layout.k +
         problem * layout.problem;
}

TEST_CASE("each form's layout is its definition, for one product and packed groups") {
  const std::vector<std::vector<GemmShape>> shape_lists = {
      {{1, 8, 16}},
      {{65, 264, 144}},
      {{129, 128, 1040}},
      {{3, 136, 528}, {0, 136, 528}, {70, 136, 528}, {1, 136, 528}}};
  for (const std::vector<GemmShape>& shapes : shape_lists) {
    for (const tw::ScaleRecord& record : tw::kScales) {
      const Workload w = workload_with(record.scale, record.scale, shapes);
      CAPTURE(full_text(w));
      const int64_t n = shapes.front().n;
      const int64_t k = shapes.front().k;
      const ScaleLayout of_a = scale_layout(w, Operand::A);
      const ScaleLayout of_b = scale_layout(w, Operand::B);
      std::set<int64_t> places_of_a;
      for (int64_t line = 0; line < total_rows(w); ++line) {
        for (int64_t at = 0; at < k; at += 16) {
          const int64_t place = place_in(of_a, record.scale, line, at, 0);
          CHECK(place == defined_place(record.scale, total_rows(w), k, line, at, 0));
          places_of_a.insert(place);
        }
      }
      std::set<int64_t> places_of_b;
      for (int64_t p = 0; p < std::ssize(shapes); ++p) {
        for (int64_t line = 0; line < n; ++line) {
          for (int64_t at = 0; at < k; at += 16) {
            const int64_t place = place_in(of_b, record.scale, line, at, p);
            CHECK(place == defined_place(record.scale, n, k, line, at, p));
            places_of_b.insert(place);
          }
        }
      }
      if (record.form == ScaleForm::None) {
        CHECK(scale_bytes(w, Operand::A) == 0);
        CHECK(scale_bytes(w, Operand::B) == 0);
        continue;
      }
      CHECK(std::ssize(places_of_a) == of_a.scales_along_lines * of_a.scales_along_k);
      CHECK(*places_of_a.rbegin() < of_a.elements);
      CHECK(*places_of_b.rbegin() < of_b.elements);
      CHECK(scale_bytes(w, Operand::A) == 4 * of_a.elements);
      CHECK(scale_bytes(w, Operand::B) == 4 * of_b.elements);
    }
  }
}

TEST_CASE("scales' names read back, and an operand has no other's") {
  for (const Operand operand : {Operand::A, Operand::B}) {
    std::set<std::string_view> names;
    for (const tw::ScaleRecord& record : tw::kScales) {
      const std::string_view name = scale_name(record.scale, operand);
      if (name.empty()) continue;
      CHECK(names.insert(name).second);
      CHECK(parse_scale(name, operand) == record.scale);
      if (*record.other != 0) CHECK(parse_scale(record.other, operand) == record.scale);
    }
    for (const char* const wrong :
         {"", "none", "block", "block:128x1", "block:1x128@m", "block:1x128@k4", "TENSOR"}) {
      CHECK_THROWS(parse_scale(wrong, operand));
    }
  }
  CHECK_THROWS(parse_scale("column", Operand::A));
  CHECK_THROWS(parse_scale("block:128x128", Operand::A));
  CHECK_THROWS(parse_scale("row", Operand::B));
  for (const Accumulation accumulation : {Accumulation::Fast, Accumulation::Promoted}) {
    CHECK(parse_accumulation(to_string(accumulation)) == accumulation);
  }
  CHECK_THROWS(parse_accumulation("exact"));
}

TEST_CASE("a kind with block scales is promoted, and the text says so only where it is a choice") {
  for (const tw::ScaleRecord& a : tw::kScales) {
    for (const tw::ScaleRecord& b : tw::kScales) {
      ProductKind kind = workload_with(a.scale, b.scale, {{8, 8, 128}}).kind;
      const bool blocks = tw::has_k_blocks(a.form) || tw::has_k_blocks(b.form);
      CHECK(has_block_scales(kind) == blocks);
      CHECK(is_promoted(kind) == blocks);
      CHECK(terms_at_once(kind, 4096) == (blocks ? 128 : 4096));
      CHECK(terms_at_once(kind, 64) == 64);
      kind.accumulation = Accumulation::Promoted;
      CHECK(is_promoted(kind));
      CHECK((normalised(kind).accumulation == Accumulation::Fast) == blocks);
      const bool named = to_string(normalised(kind)).find(" promoted") != std::string::npos;
      CHECK(named == !blocks);
    }
  }
}

}  // namespace
}  // namespace tilewright
