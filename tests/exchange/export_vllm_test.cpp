// Answers of a harness as vLLM's files: which row has the default's values, and the evidence.
#include "exchange/export_vllm.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "support/block_answers.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::block_answer;
using testing::block_artefact;
using testing::block_product;
using testing::contains;
using testing::error_message_of;
using testing::vllm_default;
using testing::vllm_values;

const std::vector<AxisValue> kSmallTiles = vllm_values({16, 32, 128, 1, 4, 5});

std::vector<VllmExport> files_of(const std::vector<ForeignEntry>& entries) {
  std::vector<Workload> products;
  for (const ForeignEntry& entry : entries) products.push_back(entry.problem);
  return export_vllm(block_artefact(entries), products, "best.yaml");
}

TEST_CASE("a row has the answer's values only where all of the interval shows it faster") {
  struct Case {
    double ratio;
    double half;
    bool is_faster;
  };
  for (const Case& one : {Case{1.5, 0.1, true}, Case{1.001, 0.0005, true}, Case{1.02, 0.02, false},
                          Case{1.02, 0.03, false}, Case{1, 0.01, false}, Case{0.9, 0.01, false}}) {
    CAPTURE(one.ratio);
    const auto files = files_of({block_answer(64, one.ratio, one.half, kSmallTiles)});
    REQUIRE(files.size() == 1);
    REQUIRE(files[0].rows.size() == 1);
    CHECK(files[0].rows[0].values == (one.is_faster ? kSmallTiles : vllm_default()));
    CHECK(files[0].defaults == (one.is_faster ? 0 : 1));
    const Document row = Document::parse(files[0].evidence).at("rows").at(0);
    CHECK(row.at("is_default") == !one.is_faster);
    CHECK(row.at("ratio") == (one.is_faster ? one.ratio : 1.0));
    CHECK(row.at("median_us") == (one.is_faster ? 50 : 50 * one.ratio));
    CHECK(row.at("default").at("median_us") == 50 * one.ratio);
    CHECK(row.contains("fastest") == !one.is_faster);
    if (!one.is_faster) CHECK(row.at("fastest").at("ratio") == one.ratio);
  }
}

TEST_CASE("files are by N and K, rows ascend, and the text reads back") {
  std::vector<ForeignEntry> entries = {block_answer(4096, 1.2, 0.01, kSmallTiles),
                                       block_answer(1, 1.1, 0.01, kSmallTiles),
                                       block_answer(64, 1, 0.01, vllm_default())};
  entries.push_back(block_answer(8, 1.3, 0.01, kSmallTiles));
  entries.back().problem = block_product(8, 2112, 7168);
  // The axes of a manifest may have another order.
  std::swap(entries[0].choice.values[0], entries[0].choice.values[5]);
  const std::vector<VllmExport> files = files_of(entries);
  REQUIRE(files.size() == 2);
  CHECK(files[0].name == VllmFileName{.n = 2112, .k = 7168, .device = "NVIDIA_H200"});
  CHECK(files[1].name == VllmFileName{.n = 7168, .k = 2048, .device = "NVIDIA_H200"});
  const VllmFile read = parse_vllm_file(print_vllm_rows(files[1].rows), "x.json");
  REQUIRE(read.rows.size() == 3);
  const int64_t sizes[] = {1, 64, 4096};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(read.rows[i].m == sizes[i]);
    CHECK(read.rows[i].values == (i == 1 ? vllm_default() : kSmallTiles));
  }
  const Document evidence = Document::parse(files[1].evidence);
  CHECK(evidence.at("schema") == "tilewright.vllm-evidence/1");
  CHECK(evidence.at("file") == to_string(files[1].name));
  CHECK(evidence.at("device").at("name") == "NVIDIA H200");
  CHECK(evidence.at("build") == "0123456789abcdef");
  CHECK(evidence.at("triton_version") == "3.9.0");
  CHECK(evidence.at("default").at("GROUP_SIZE_M") == 32);
  for (size_t i = 0; i < 3; ++i) {
    const Document& row = evidence.at("rows").at(i);
    CHECK(row.at("m") == sizes[i]);
    CHECK(row.at("date") == "2026-11-26");
    CHECK(row.at("origin").at("driver") == "580.95.05, CUDA 13.0");
  }
  CHECK(!evidence.at("rows").at(1).contains("fastest"));
}

TEST_CASE("what cannot be a row is refused by name") {
  ForeignEntry plain = block_answer(64, 1.2, 0.01, kSmallTiles);
  plain.problem.kind.epilogue.scale_b = OperandScale::None;
  CHECK(contains(error_message_of([&] { files_of({plain}); }), "--scale-b block:128x128"));
  ForeignEntry biased = block_answer(64, 1.2, 0.01, kSmallTiles);
  biased.problem.kind.epilogue.bias = true;
  CHECK(contains(error_message_of([&] { files_of({biased}); }), "--dtype e4m3"));
  ForeignEntry bare = block_answer(64, 1.2, 0.01, kSmallTiles);
  bare.default_beside.reset();
  CHECK(contains(error_message_of([&] { files_of({bare}); }, ExitCode::No), "`default`"));
  ForeignEntry axes = block_answer(64, 1.2, 0.01, kSmallTiles);
  axes.choice.values.push_back({"split", 2});
  CHECK(contains(error_message_of([&] { files_of({axes}); }, ExitCode::No), "with the axes"));
  axes.choice.values = {{"tile_m", 64}};
  CHECK(contains(error_message_of([&] { files_of({axes}); }, ExitCode::No), "num_stages"));
  const Workload other = block_product(128);
  CHECK(contains(error_message_of(
                     [&] {
                       export_vllm(block_artefact({block_answer(64, 1.2, 0.01, kSmallTiles)}),
                                   {&other, 1}, "best.yaml");
                     },
                     ExitCode::No),
                 "best.yaml has no answer for 128x7168x2048"));
  ForeignEntry rebuilt = block_answer(128, 1.2, 0.01, kSmallTiles);
  rebuilt.choice.build = "fedcba9876543210";
  CHECK(contains(error_message_of([&] {
                   files_of({block_answer(64, 1.2, 0.01, kSmallTiles), rebuilt});
                 }),
                 "two builds"));
  const ForeignEntry one = block_answer(64, 1.2, 0.01, kSmallTiles);
  CHECK(contains(error_message_of([&] { files_of({one, one}); }), "M = 64"));
}

// An answer for a layer of eight experts that `tokens` tokens go to two by two.
ForeignEntry experts_answer(int64_t tokens, const ProductKind& kind, bool is_down,
                            const std::vector<AxisValue>& values) {
  VllmFileName name{.experts = 8, .n = 768, .device = "NVIDIA_H200", .is_down = is_down};
  ForeignEntry entry = block_answer(1, 1.3, 0.01, values);
  entry.problem = row_product(name, tokens, {.hidden = 2048, .top_k = 2}, kind);
  return entry;
}

TEST_CASE("groups are rows of experts' files, bf16 and fp8, for each of a layer's products") {
  const ProductKind kinds[] = {
      {}, {.dtype = DataType::F16}, {.dtype = DataType::E4M3}, block_product(1).kind};
  const char* const types[] = {"", "", ",dtype=fp8_w8a8", ",dtype=fp8_w8a8,block_shape=[128,128]"};
  for (size_t i = 0; i < std::size(kinds); ++i) {
    for (const bool is_down : {false, true}) {
      const std::vector<ForeignEntry> entries = {experts_answer(64, kinds[i], is_down, kSmallTiles),
                                                 experts_answer(1, kinds[i], is_down, kSmallTiles)};
      // The answers go through the artefact's text.
      const Artefact artefact = parse_best(print_best(block_artefact(entries)), "best.yaml");
      const std::vector<Workload> products = {entries[0].problem, entries[1].problem};
      const std::vector<VllmExport> files =
          export_vllm(artefact, products, "best.yaml", {.top_k = 2, .is_down = is_down});
      REQUIRE(files.size() == 1);
      const std::string name =
          format("E=8,N=768,device_name=NVIDIA_H200{}{}.json", types[i], is_down ? "_down" : "");
      CHECK(to_string(files[0].name) == name);
      const VllmFile read =
          parse_vllm_file(print_vllm_rows(files[0].rows), "x.json", files[0].name);
      REQUIRE(read.rows.size() == 2);
      CHECK(read.rows[0].m == 1);
      CHECK(read.rows[1].m == 64);
      CHECK(read.rows[1].values == kSmallTiles);
      const Document evidence = Document::parse(files[0].evidence);
      CHECK(evidence.at("file") == name);
      CHECK(evidence.at("rows").at(1).at("m") == 64);
      CHECK(evidence.at("rows").at(1).at("ratio") == 1.3);
    }
  }
  const ForeignEntry one = experts_answer(64, {}, false, kSmallTiles);
  CHECK(contains(error_message_of([&] { files_of({one}); }), "add --top-k"));
}

}  // namespace
}  // namespace tilewright
