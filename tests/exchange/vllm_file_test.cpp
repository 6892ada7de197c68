// Files of launch parameters: written, read back, and refused with their place.
#include "exchange/vllm_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "support/block_answers.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;
using testing::replaced;
using testing::vllm_values;

constexpr const char* kVllmName =
    "N=7168,K=2048,device_name=NVIDIA_H100_80GB_HBM3,dtype=fp8_w8a8,block_shape=[128,128].json";

// Two rows as vLLM's own files have them.
const std::string kVllmText = R"({
    "64": {
        "BLOCK_SIZE_M": 64,
        "BLOCK_SIZE_N": 128,
        "BLOCK_SIZE_K": 128,
        "GROUP_SIZE_M": 32,
        "num_warps": 4,
        "num_stages": 2
    },
    "1": {
        "BLOCK_SIZE_M": 16,
        "BLOCK_SIZE_N": 32,
        "BLOCK_SIZE_K": 128,
        "GROUP_SIZE_M": 1,
        "num_warps": 4,
        "num_stages": 5
    }
}
)";

TEST_CASE("a name is read as it is written; other names are no such file") {
  const VllmFileName name{.n = 7168, .k = 2048, .device = "NVIDIA_H100_80GB_HBM3"};
  CHECK(to_string(name) == kVllmName);
  CHECK(parse_vllm_file_name(kVllmName) == name);
  CHECK(parse_vllm_file_name(replaced(kVllmName, "[128,128]", "[128, 128]")) == name);
  CHECK(vllm_device_name("NVIDIA H100 80GB HBM3") == name.device);
  CHECK(vllm_device_name("NVIDIA RTX  6000 / Ada") == "NVIDIA_RTX_6000_Ada");
  const std::pair<const char*, const char*> others[] = {{"N=7168", "E=8,N=7168"},
                                                        {"fp8_w8a8", "int8_w8a8"},
                                                        {"[128,128]", "[64,128]"},
                                                        {".json", ".evidence.json"},
                                                        {".json", ".json.bak"},
                                                        {"N=7168", "N=07168"},
                                                        {"N=7168", "N=-1"},
                                                        {"K=2048", "K="},
                                                        {"K=2048", "K=99999999999999999"},
                                                        {"NVIDIA_H100_80GB_HBM3", ""},
                                                        {"NVIDIA_H100_80GB_HBM3", "a,b"},
                                                        {",K=2048", ""}};
  for (const auto& other : others) {
    CAPTURE(std::string(other.second));
    CHECK(!parse_vllm_file_name(replaced(kVllmName, other.first, other.second)));
  }
  CHECK(!parse_vllm_file_name(""));
}

TEST_CASE("rows come in ascending order, and print as vLLM's own files are written") {
  const VllmFile file = parse_vllm_file(kVllmText, "x.json");
  REQUIRE(file.rows.size() == 2);
  CHECK(file.rows[0].m == 1);
  CHECK(file.rows[0].line == 10);
  CHECK(file.rows[0].values == vllm_values({16, 32, 128, 1, 4, 5}));
  CHECK(file.rows[1].values == vllm_values({64, 128, 128, 32, 4, 2}));
  CHECK(file.triton_version.empty());
  const std::string printed = print_vllm_rows({file.rows[1], file.rows[0]});
  CHECK(printed.starts_with("{\n    \"1\": {\n        \"BLOCK_SIZE_M\": 16,\n"));
  CHECK(printed.size() == kVllmText.size());
  CHECK(print_vllm_rows(parse_vllm_file(printed, "y.json").rows) == printed);
  const std::string newer = replaced(kVllmText, "{\n", "{\n    \"triton_version\": \"3.5.0\",\n");
  CHECK(parse_vllm_file(newer, "x.json").triton_version == "3.5.0");
}

TEST_CASE("random rows are read back as they were written") {
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::vector<VllmRow> rows;
    for (int64_t m = 1; m < 100000; m += 1 + static_cast<int64_t>(random() % 9000)) {
      std::vector<int64_t> numbers;
      for (size_t i = 0; i < kVllmKeys.size(); ++i) {
        numbers.push_back(1 + static_cast<int64_t>(random() % 512));
      }
      rows.push_back({.m = m, .values = vllm_values(numbers)});
    }
    std::vector<VllmRow> mixed = rows;
    std::shuffle(mixed.begin(), mixed.end(), random);
    std::vector<VllmRow> read = parse_vllm_file(print_vllm_rows(mixed), "x.json").rows;
    for (VllmRow& row : read) row.line = 0;
    CHECK(read == rows);
  }
}

struct VllmFault {
  std::string from;
  std::string to;
  std::string sentence;
};

const std::vector<VllmFault> kVllmFaults = {
    {"{\n    \"64\"", "\n    \"64\"", "x.json: is not JSON"},
    {"\"1\": {", "\"64\": {", "x.json:10: 64: the key appears twice"},
    {"\"64\": {", "\"0\": {", "'0' is no number of rows M"},
    {"\"64\": {", "\"-64\": {", "'-64' is no number of rows M"},
    {"\"64\": {", "\"064\": {", "'064' is no number of rows M"},
    {"\"64\": {", "\"6.4\": {", "'6.4' is no number of rows M"},
    {"\"64\": {", "\"9999999999\": {", "'9999999999' is no number of rows M"},
    {"\"64\": {", "\"default\": {", "'default' is no number of rows M"},
    {"        \"num_warps\": 4,\n", "", "num_warps"},
    {"\"num_warps\"", "\"num_warp\"", "unknown key 'num_warp' - did you mean 'num_warps'?"},
    {"\"num_warps\": 4", "\"num_warps\": 4, \"waves_per_eu\": 0", "unknown key 'waves_per_eu'"},
    {"\"num_warps\": 4", "\"num_warps\": 4, \"num_warps\": 8", "num_warps"},
    {"\"num_warps\": 4", "\"num_warps\": 0", "x.json:7: 64.num_warps: 0 is not 1 to 65536"},
    {"\"num_warps\": 4", "\"num_warps\": -4", "64.num_warps: "},
    {"\"num_warps\": 4", "\"num_warps\": 4.5", "64.num_warps: "},
    {"\"num_warps\": 4", "\"num_warps\": \"four\"", "64.num_warps: "},
    {"\"num_warps\": 4", "\"num_warps\": null", "64.num_warps: "},
    {"\"num_warps\": 4", "\"num_warps\": [4]", "64.num_warps: "},
    {"\"num_warps\": 4", "\"num_warps\": 99999999999999999999", "64.num_warps: "},
    {"{\n    \"64\"", "{\n    \"triton_version\": {},\n    \"64\"", "triton_version: "},
};

TEST_CASE("every fault of a file has a sentence with the file, the line and the key") {
  for (const VllmFault& fault : kVllmFaults) {
    CAPTURE(fault.to);
    const std::string text = replaced(kVllmText, fault.from, fault.to);
    const std::string complaint = error_message_of([&] { parse_vllm_file(text, "x.json"); });
    CHECK_MESSAGE(contains(complaint, fault.sentence), complaint);
    CHECK_MESSAGE(complaint.starts_with("x.json:"), complaint);
  }
  for (const char* const text : {"", "[]", "[{}]", "3", "null", "\"64\"", "{}", "{\"64\": 3}",
                                 "{\"64\": []}", "{\"triton_version\": \"3.5.0\"}"}) {
    CAPTURE(text);
    const std::string complaint = error_message_of([&] { parse_vllm_file(text, "x.json"); });
    CHECK_MESSAGE(complaint.starts_with("x.json"), complaint);
  }
}

TEST_CASE("a deep, a long and a huge file are refused") {
  const std::string deep(100000, '[');
  CHECK(!error_message_of([&] { parse_vllm_file(deep, "x.json"); }).empty());
  std::string many = "{";
  for (int m = 1; m <= 5000; ++m) {
    many += format(
        "{}\"{}\": {{\"BLOCK_SIZE_M\": 16, \"BLOCK_SIZE_N\": 32, \"BLOCK_SIZE_K\": 128, "
        "\"GROUP_SIZE_M\": 1, \"num_warps\": 4, \"num_stages\": 5}}",
        m == 1 ? "" : ",\n", m);
  }
  CHECK(contains(error_message_of([&] { parse_vllm_file(many + "}", "x.json"); }),
                 "more than 4096 rows"));
  const testing::TemporaryFolder folder;
  write_file(folder.path() / kVllmName, std::string(2 << 20, ' ') + kVllmText);
  const std::string complaint =
      error_message_of([&] { load_vllm_folder(folder.path(), "NVIDIA_H100_80GB_HBM3"); });
  CHECK_MESSAGE(contains(complaint, kVllmName), complaint);
}

TEST_CASE("of a folder the files for the device are read, each with the version of its Triton") {
  const testing::TemporaryFolder folder;
  const auto put = [&](const std::string& name, const std::string& text) {
    write_file(folder.path() / name, text);
  };
  put(kVllmName, kVllmText);
  put(evidence_path_of(kVllmName).string(), "{\"triton_version\": \"3.9.0\"}");
  const std::string other = replaced(kVllmName, "N=7168", "N=2112");
  put(other, replaced(kVllmText, "{\n", "{\n    \"triton_version\": \"3.5.0\",\n"));
  put(replaced(kVllmName, "NVIDIA_H100_80GB_HBM3", "NVIDIA_H200"), "no JSON, and not read");
  put("E=8,N=7168,device_name=NVIDIA_H200.json", "");
  put("README.md", "");
  const VllmFolder found = load_vllm_folder(folder.path(), "NVIDIA_H100_80GB_HBM3");
  REQUIRE(found.files.size() == 2);
  CHECK(found.files[0].name.n == 2112);
  CHECK(found.files[0].triton_version == "3.5.0");
  CHECK(found.files[1].triton_version == "3.9.0");
  CHECK(found.files[1].path == (folder.path() / kVllmName).string());
  CHECK(found.devices == std::vector<std::string>{"NVIDIA_H200"});
  CHECK(found.skipped == std::vector<std::string>{"E=8,N=7168,device_name=NVIDIA_H200.json"});
  put(replaced(kVllmName, "[128,128]", "[128, 128]"), kVllmText);
  CHECK(
      contains(error_message_of([&] { load_vllm_folder(folder.path(), "NVIDIA_H100_80GB_HBM3"); }),
               "are for the same N and K"));
  CHECK(contains(error_message_of([&] { load_vllm_folder(folder.path() / "none", "x"); }),
                 "cannot read"));
}

}  // namespace
}  // namespace tilewright
