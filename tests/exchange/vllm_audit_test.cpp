// What the audit of files of launch parameters finds, against files with planted faults.
#include "exchange/vllm_audit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "exchange/export_vllm.hpp"
#include "support/block_answers.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;
using testing::vllm_values;

const std::vector<AxisValue> kAuditedTiles = vllm_values({16, 64, 128, 1, 4, 3});

VllmFileName experts_file(const std::string& dtype = "") {
  VllmFileName name{.experts = 8, .n = 14336, .device = "NVIDIA_H200", .dtype = dtype};
  name.block_shape.reset();
  return name;
}

// A row for every batch size, all with the same values.
std::vector<VllmRow> full_rows(const std::vector<AxisValue>& values) {
  std::vector<VllmRow> rows;
  for (const int64_t m : kVllmBatchSizes) rows.push_back({.m = m, .values = values});
  return rows;
}

struct AuditedFolder {
  testing::TemporaryFolder folder;
  void put(const VllmFileName& name, const std::vector<VllmRow>& rows) const {
    write_file(folder.path() / to_string(name), print_vllm_rows(rows));
  }
  void put_evidence(const VllmFileName& name, const std::string& text) const {
    write_file(evidence_path_of(folder.path() / to_string(name)), text);
  }
  std::vector<CaseVerdict> audit() const {
    return audit_vllm(load_vllm_folder(folder.path(), "NVIDIA_H200"), testing::h200());
  }
  CaseVerdict verdict() const {
    const std::vector<CaseVerdict> all = audit();
    REQUIRE(all.size() == 1);
    return all.front();
  }
};

double number_of(const CaseVerdict& verdict, const std::string& key) {
  const auto found = std::find_if(verdict.numbers.begin(), verdict.numbers.end(),
                                  [&](const GateNumber& number) { return number.key == key; });
  REQUIRE(found != verdict.numbers.end());
  return found->now;
}

TEST_CASE("a full file of other configs than the default has no finding") {
  AuditedFolder work;
  work.put(experts_file(), full_rows(kAuditedTiles));
  const CaseVerdict verdict = work.verdict();
  CHECK(verdict.name == "E=8,N=14336,device_name=NVIDIA_H200.json");
  CHECK(verdict.verdict == Verdict::Pass);
  CHECK(verdict.findings.empty());
  CHECK(number_of(verdict, "rows") == 18);
}

TEST_CASE("every missing size is found, and only those") {
  for (size_t left_out = 0; left_out < kVllmBatchSizes.size(); ++left_out) {
    AuditedFolder work;
    std::vector<VllmRow> rows = full_rows(kAuditedTiles);
    rows.erase(rows.begin() + static_cast<int64_t>(left_out));
    rows.push_back({.m = 5000, .values = kAuditedTiles});  // more sizes than the list are welcome
    work.put(experts_file(), rows);
    const CaseVerdict verdict = work.verdict();
    CHECK(verdict.verdict == Verdict::Pass);
    CHECK(number_of(verdict, "missing_rows") == 1);
    REQUIRE(verdict.findings.size() == 1);
    CHECK(contains(verdict.findings[0], format("M = {}: no row", kVllmBatchSizes[left_out])));
  }
}

TEST_CASE("the default's rows are found by the number of tokens and the types") {
  struct Known {
    VllmFileName name;
    int64_t m;
    std::vector<int64_t> numbers;
  };
  VllmFileName blocks = experts_file("fp8_w8a8");
  blocks.block_shape = {128, 128};
  VllmFileName few_bits = experts_file("int4_w4a16");
  few_bits.block_shape = {1, 128};
  const Known known[] = {
      {experts_file(), 8, {16, 32, 64, 1, 4, 3}},
      {experts_file(), 16, {64, 64, 32, 8, 4, 3}},
      {experts_file("int8_w8a16"), 16, {64, 64, 32, 8, 4, 3}},
      {experts_file("fp8_w8a8"), 8, {64, 128, 128, 1, 4, 4}},
      {experts_file("fp8_w8a8"), 16, {128, 256, 128, 32, 8, 4}},
      {blocks, 1, {64, 128, 128, 32, 4, 3}},
      {{.n = 7168, .k = 2048, .device = "NVIDIA_H200"}, 64, {64, 128, 128, 32, 4, 2}}};
  for (const Known& one : known) {
    CAPTURE(to_string(one.name));
    AuditedFolder work;
    std::vector<VllmRow> rows = full_rows(kAuditedTiles);
    for (VllmRow& row : rows) {
      if (row.m == one.m) row.values = vllm_values(one.numbers);
    }
    work.put(one.name, rows);
    const CaseVerdict verdict = work.verdict();
    CHECK(verdict.verdict == Verdict::Pass);
    CHECK(number_of(verdict, "default_rows") == 1);
    CHECK(contains(verdict.findings.front(), format("M = {}: the default config", one.m)));
  }
  CHECK(stack_defaults(few_bits, 16).empty());
}

// Shared memory of Triton 3.4.0's kernels, compiled for these targets without a GPU: a gather of
// A's rows and a dot in a loop over k. The tiles take that much or less.
TEST_CASE("the tiles' bytes are those that Triton's compiler allocates") {
  struct Compiled {
    int major;
    bool is_fp8;
    std::vector<int64_t> numbers;
    int64_t shared;
  };
  const Compiled compiled[] = {
      {8, false, {16, 64, 64, 1, 4, 2}, 10240},    {8, false, {16, 64, 64, 1, 4, 4}, 30720},
      {8, false, {64, 128, 64, 1, 4, 2}, 24576},   {8, false, {64, 128, 64, 1, 4, 3}, 49152},
      {8, false, {128, 256, 64, 1, 8, 4}, 147456}, {8, false, {32, 128, 128, 1, 4, 3}, 81920},
      {8, true, {128, 256, 64, 1, 8, 4}, 73728},   {9, false, {16, 64, 64, 1, 4, 4}, 30720},
      {9, false, {64, 128, 64, 1, 4, 2}, 49152},   {9, false, {64, 128, 64, 1, 4, 3}, 73728},
      {9, false, {128, 128, 64, 1, 8, 4}, 131072}, {9, false, {128, 256, 64, 1, 8, 4}, 196608},
      {9, false, {32, 128, 128, 1, 4, 3}, 81920},  {9, true, {16, 64, 64, 1, 4, 4}, 15360},
      {9, true, {128, 256, 64, 1, 8, 4}, 98304},   {9, true, {32, 128, 128, 1, 4, 3}, 40960}};
  for (const Compiled& one : compiled) {
    CAPTURE(one.shared);
    DeviceSpec device = testing::h200();
    device.compute_major = one.major;
    const VllmRow row{.m = 1, .values = vllm_values(one.numbers)};
    CHECK(tile_bytes(experts_file(one.is_fp8 ? "fp8_w8a8" : ""), row, device) == one.shared);
  }
}

TEST_CASE("a row that the device cannot run is a regression, with its line") {
  struct Fault {
    std::vector<int64_t> numbers;
    std::string sentence;
  };
  for (const Fault& fault :
       {Fault{{128, 256, 128, 8, 8, 5}, "491520 bytes of shared memory, and h200 has 232448"},
        Fault{{48, 64, 64, 8, 4, 3}, "BLOCK_SIZE_M = 48 is no power of two"},
        Fault{{64, 64, 64, 8, 3, 3}, "num_warps = 3 is no power of two"},
        Fault{{64, 64, 64, 8, 64, 3}, "num_warps = 64 are more than 32"}}) {
    CAPTURE(fault.sentence);
    AuditedFolder work;
    std::vector<VllmRow> rows = full_rows(kAuditedTiles);
    rows[1].values = vllm_values(fault.numbers);
    work.put(experts_file(), rows);
    const CaseVerdict verdict = work.verdict();
    CHECK(verdict.verdict == Verdict::Regression);
    CHECK(number_of(verdict, "illegal_rows") == 1);
    CHECK_MESSAGE(contains(verdict.findings.front(), fault.sentence), verdict.findings.front());
    CHECK(contains(verdict.findings.front(), "line 10, M = 2: "));
  }
  // A100's limit with A100's pipeline.
  DeviceSpec a100 = testing::h200();
  a100.compute_major = 8;
  a100.smem_per_cta_bytes = 166912;
  const VllmRow row{.m = 1, .values = vllm_values({128, 256, 64, 8, 8, 4})};
  CHECK(why_illegal(experts_file(), row, a100).empty());
  a100.compute_major = 9;
  CHECK(contains(why_illegal(experts_file(), row, a100), "196608 bytes"));
  // Operands of unknown size are not judged.
  AuditedFolder work;
  work.put(experts_file("mxfp4_w4a16"), full_rows(vllm_values({128, 256, 256, 8, 8, 5})));
  CHECK(work.verdict().verdict == Verdict::Pass);
  CHECK(contains(work.verdict().findings.front(), "is not checked"));
}

TEST_CASE("evidence beside a file shows slower rows, and rows that it is not about") {
  AuditedFolder work;
  const VllmFileName name{.n = 7168, .k = 2048, .device = "NVIDIA_H200"};
  const std::vector<ForeignEntry> entries = {testing::block_answer(1, 1.4, 0.01, kAuditedTiles),
                                             testing::block_answer(64, 1, 0.01, kAuditedTiles)};
  std::vector<Workload> products = {entries[0].problem, entries[1].problem};
  const VllmExport file =
      export_vllm(testing::block_artefact(entries), products, "best.yaml").front();
  work.put(name, file.rows);
  work.put_evidence(name, file.evidence);
  CaseVerdict verdict = work.verdict();
  CHECK(verdict.verdict == Verdict::Pass);
  CHECK(number_of(verdict, "unmeasured_rows") == 0);
  CHECK(number_of(verdict, "default_rows") == 1);
  // An edited row and a new one.
  std::vector<VllmRow> edited = file.rows;
  edited[1].values = kAuditedTiles;
  edited.push_back({.m = 128, .values = kAuditedTiles});
  work.put(name, edited);
  verdict = work.verdict();
  CHECK(number_of(verdict, "unmeasured_rows") == 2);
  CHECK(contains(verdict.findings.back(), "M = 64, 128: not the row"));
  // A row that its evidence shows to be slower.
  const size_t at = file.evidence.find("1.41");
  REQUIRE(at != std::string::npos);
  std::string slow = file.evidence;
  slow.replace(at, 4, "0.97");
  work.put(name, file.rows);
  work.put_evidence(name, slow);
  verdict = work.verdict();
  CHECK(verdict.verdict == Verdict::Regression);
  CHECK(contains(verdict.findings.front(), "M = 1: slower than the default"));
  work.put_evidence(name, "{\"schema\": \"tilewright.vllm-evidence/1\", \"default\": {}}");
  CHECK(contains(error_message_of([&] { work.audit(); }), "evidence.json:1: "));
}

TEST_CASE("a second product's blocks are those of the first") {
  AuditedFolder work;
  VllmFileName down = experts_file();
  down.is_down = true;
  std::vector<VllmRow> rows = full_rows(kAuditedTiles);
  work.put(experts_file(), rows);
  rows[3].values[0].value = 32;
  work.put(down, rows);
  const std::vector<CaseVerdict> verdicts = work.audit();
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].findings.empty());
  CHECK(verdicts[1].name == "E=8,N=14336,device_name=NVIDIA_H200_down.json");
  CHECK(number_of(verdicts[1], "unlike_rows") == 1);
  CHECK(contains(verdicts[1].findings.front(), "M = 8: another BLOCK_SIZE_M"));
}

}  // namespace
}  // namespace tilewright
