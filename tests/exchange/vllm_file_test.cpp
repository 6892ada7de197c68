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
                                                        {"N=7168", "e=8,N=7168"},
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
  put("package.json", "");
  put("README.md", "");
  const VllmFolder found = load_vllm_folder(folder.path(), "NVIDIA_H100_80GB_HBM3");
  REQUIRE(found.files.size() == 2);
  CHECK(found.files[0].name.n == 2112);
  CHECK(found.files[0].triton_version == "3.5.0");
  CHECK(found.files[1].triton_version == "3.9.0");
  CHECK(found.files[1].path == (folder.path() / kVllmName).string());
  REQUIRE(found.others.size() == 2);
  CHECK(to_string(found.others[0]) == "E=8,N=7168,device_name=NVIDIA_H200.json");
  CHECK(found.others[1].k == 2048);
  CHECK(found.skipped == std::vector<std::string>{"package.json"});
  put(replaced(kVllmName, "[128,128]", "[128, 128]"), kVllmText);
  CHECK(
      contains(error_message_of([&] { load_vllm_folder(folder.path(), "NVIDIA_H100_80GB_HBM3"); }),
               "are for the same N and K"));
  CHECK(contains(error_message_of([&] { load_vllm_folder(folder.path() / "none", "x"); }),
                 "cannot read"));
}

// Names as vLLM and SGLang write them; each is its own law: it is read and printed again.
const std::vector<std::string> kExpertsNames = {
    "E=8,N=14336,device_name=NVIDIA_H200.json",
    "E=8,N=14336,device_name=NVIDIA_H200,dtype=fp8_w8a8.json",
    "E=1,N=14336,device_name=NVIDIA_A100-SXM4-80GB,dtype=int8_w8a16.json",
    "E=128,N=384,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json",
    "E=256,N=64,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[64,64].json",
    "E=128,N=384,device_name=NVIDIA_H100_PCIe,block_shape=[128,128].json",
    "E=10,N=512,device_name=Intel(R)_Arc(TM)_Pro_B60_Graphics.json",
    "E=64,N=896,device_name=NVIDIA_H20,dtype=int8_w8a8,per_channel_quant=True.json",
    "E=8,N=7168,device_name=NVIDIA_H200_down.json",
    "E=256,N=256,device_name=NVIDIA_H20-3e,dtype=fp8_w8a8,block_shape=[128,128]_down.json"};

TEST_CASE("an experts' name is read as it is written; other names are no such file") {
  for (const std::string& text : kExpertsNames) {
    CAPTURE(text);
    const auto name = parse_vllm_file_name(text);
    REQUIRE(name);
    CHECK(to_string(*name) == text);
    CHECK(name->experts > 0);
    CHECK(name->k == 0);
  }
  // SGLang writes the list as Python does.
  CHECK(parse_vllm_file_name(replaced(kExpertsNames[3], "[128,128]", "[128, 128]")) ==
        parse_vllm_file_name(kExpertsNames[3]));
  const auto down = parse_vllm_file_name(kExpertsNames.back());
  CHECK(down == VllmFileName{.experts = 256, .n = 256, .device = "NVIDIA_H20-3e", .is_down = true});
  CHECK(product_text(*down) == "E=256,N=256,dtype=fp8_w8a8,block_shape=[128,128]_down");
  CHECK(product_text({.n = 7168, .k = 2048, .device = "x"}) == "N=7168,K=2048");
  const std::string full =
      "E=64,N=896,device_name=NVIDIA_H20,dtype=fp8_w8a8,block_shape=[128,64],"
      "per_channel_quant=True_down.json";
  CHECK(to_string(*parse_vllm_file_name(full)) == full);
  const std::pair<const char*, const char*> others[] = {{"E=64", "E=0"},
                                                        {"E=64", "E=064"},
                                                        {"E=64", "E=-64"},
                                                        {"E=64", "E="},
                                                        {"E=64,", ""},
                                                        {"N=896", "N=8.96"},
                                                        {"N=896", "N=99999999999999999999"},
                                                        {"N=896", "N=896,K=64"},
                                                        {"NVIDIA_H20", ""},
                                                        {"NVIDIA_H20", "NVIDIA H20"},
                                                        {"NVIDIA_H20", "../H20"},
                                                        {"NVIDIA_H20", "a=b"},
                                                        {"dtype=fp8_w8a8", "dtype="},
                                                        {"dtype=fp8_w8a8", "dtype=FP8"},
                                                        {"dtype=fp8_w8a8", "dtype=fp8 w8a8"},
                                                        {"dtype=fp8_w8a8", "type=fp8_w8a8"},
                                                        {"[128,64]", "[128]"},
                                                        {"[128,64]", "[128,64,1]"},
                                                        {"[128,64]", "[128,  64]"},
                                                        {"[128,64]", "[0,64]"},
                                                        {"[128,64]", "[128,64"},
                                                        {"=True", "=False"},
                                                        {"_down", "_up"},
                                                        {"_down", "_down_down"},
                                                        {"_down.json", "_down.evidence.json"},
                                                        {".json", ".json.bak"}};
  for (const auto& other : others) {
    CAPTURE(std::string(other.second));
    CHECK(!parse_vllm_file_name(replaced(full, other.first, other.second)));
  }
}

TEST_CASE("random names are read back as they were written") {
  std::mt19937_64 random(7);
  const auto below = [&random](int64_t end) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(end));
  };
  constexpr std::string_view kLetters = "ABHL2048_-()";
  constexpr std::string_view kTypes[] = {"", "fp8_w8a8", "int8_w8a16", "int4_w4a16", "float32"};
  for (int repeat = 0; repeat < 2000; ++repeat) {
    VllmFileName name{.n = 1 + below(1 << 30), .device = "N"};
    for (int64_t i = below(20); i > 0; --i) {
      name.device += kLetters[static_cast<size_t>(below(std::ssize(kLetters)))];
    }
    if (below(4) == 0) {
      name.k = 1 + below(1 << 30);
    } else {
      name.experts = 1 + below(1000);
      name.dtype = kTypes[static_cast<size_t>(below(std::ssize(kTypes)))];
      name.block_shape.reset();
      if (below(2) == 0) name.block_shape = {1 + below(512), 1 + below(512)};
      name.per_channel = below(2) == 0;
      name.is_down = below(2) == 0;
    }
    CAPTURE(to_string(name));
    CHECK(parse_vllm_file_name(to_string(name)) == name);
  }
}

TEST_CASE("the stack takes the nearest row, and a file is read by its name") {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / kExpertsNames.front()).string();
  write_file(path, kVllmText);
  const VllmFile file = load_vllm_file(path);
  CHECK(file.name.experts == 8);
  CHECK(nearest_row(file, 1).m == 1);
  CHECK(nearest_row(file, 32).m == 1);
  CHECK(nearest_row(file, 33).m == 64);
  CHECK(nearest_row(file, 9000).m == 64);
  CHECK(plain_values(file.rows[0]) == file.rows[0].values);
  VllmRow more = file.rows[0];
  for (const AxisValue& value : {AxisValue{"SPLIT_K", 1}, AxisValue{"kpack", 2}}) {
    more.values.push_back(value);
  }
  CHECK(plain_values(more) == file.rows[0].values);
  more.values.push_back({"USE_TMA", 1});
  CHECK(!plain_values(more));
  CHECK(contains(error_message_of([] { load_vllm_file("best.yaml"); }), "has not the name"));
}

TEST_CASE("a preset stands for the devices of its family, and a GPU for itself") {
  const auto is_for = [](const char* device, const char* asked) {
    return is_for_device({.n = 1, .k = 1, .device = device}, asked);
  };
  CHECK(is_for("NVIDIA_H200", "NVIDIA_H200"));
  CHECK(!is_for("NVIDIA_H200_NVL", "NVIDIA_H200"));
  CHECK(is_for("NVIDIA_H200_NVL", "h200"));
  CHECK(is_for("NVIDIA_H100_80GB_HBM3", "h100"));
  CHECK(is_for("NVIDIA_A100-SXM4-80GB", "a100"));
  CHECK(is_for("NVIDIA_GeForce_RTX_4090", "rtx4090"));
  CHECK(!is_for("NVIDIA_GeForce_RTX_4090_D", "4090d2"));
  CHECK(!is_for("NVIDIA_H20", "h200"));
  CHECK(!is_for("NVIDIA_H200", "h20"));
  CHECK(!is_for("NVIDIA_GH200", "h200"));
}

TEST_CASE("experts' rows may have the parameters of other GPUs, and print them again") {
  const std::string text = replaced(
      kVllmText, "\"num_stages\": 2\n",
      "\"num_stages\": 2,\n        \"SPLIT_K\": 1,\n        \"USE_TMA\": true,\n        "
      "\"waves_per_eu\": 0,\n        \"matrix_instr_nonkdim\": 16,\n        \"kpack\": 2\n");
  const VllmFileName name{.experts = 8, .n = 14336, .device = "NVIDIA_H200", .dtype = ""};
  const VllmFile file = parse_vllm_file(text, "x.json", name);
  CHECK(file.name == name);
  REQUIRE(file.rows.size() == 2);
  CHECK(file.rows[0].values.size() == kVllmKeys.size());
  CHECK(to_string(file.rows[1].values) ==
        "BLOCK_SIZE_M=64,BLOCK_SIZE_N=128,BLOCK_SIZE_K=128,GROUP_SIZE_M=32,num_warps=4,"
        "num_stages=2,SPLIT_K=1,USE_TMA=1,waves_per_eu=0,matrix_instr_nonkdim=16,kpack=2");
  const std::string printed = print_vllm_rows(file.rows);
  CHECK(printed.size() == text.size());
  CHECK(contains(printed, "\"USE_TMA\": true"));
  CHECK(print_vllm_rows(parse_vllm_file(printed, "y.json", name).rows) == printed);
  for (const VllmFault& fault :
       {VllmFault{"\"SPLIT_K\": 1", "\"SPLIT_K\": 0", "x.json:9: 64.SPLIT_K: 0 is not 1 to 65536"},
        VllmFault{"\"kpack\": 2", "\"kpacks\": 2", "unknown key 'kpacks' - did you mean 'kpack'?"},
        VllmFault{"\"USE_TMA\": true", "\"USE_TMA\": 1", "x.json:10: 64.USE_TMA: "},
        VllmFault{"\"waves_per_eu\": 0", "\"waves_per_eu\": -1", "x.json:11: 64.waves_per_eu: "}}) {
    CAPTURE(fault.to);
    const std::string faulty = replaced(text, fault.from, fault.to);
    const std::string complaint =
        error_message_of([&] { parse_vllm_file(faulty, "x.json", name); });
    CHECK_MESSAGE(contains(complaint, fault.sentence), complaint);
  }
  CHECK(contains(error_message_of([&] { parse_vllm_file(text, "x.json"); }),
                 "unknown key 'SPLIT_K'"));
}

}  // namespace
}  // namespace tilewright
