// The files of launch parameters that vLLM and SGLang read for their Triton kernels: of fp8
// products with block scales, one file for each N, K and device, and of experts, one for each
// number of experts E, size N, device and types. A file has one row for each M.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/foreign_config.hpp"

namespace tilewright {

/// The parameters of a row, in the files' order.
inline constexpr std::array<std::string_view, 6> kVllmKeys = {
    "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"};

/// The parameters that a row of an experts' file may also have, in the order in which they print.
inline constexpr std::array<std::string_view, 6> kVllmMoreKeys = {
    "SPLIT_K", "USE_TMA", "num_ctas", "waves_per_eu", "matrix_instr_nonkdim", "kpack"};

/// What a file's name states. A file is for one product of `n` and `k`, always of fp8 with scales
/// of 128 x 128, or for the two products of a layer of experts.
struct VllmFileName {
  int64_t experts = 0;             // of the layer that one GPU holds; 0: one product
  int64_t n = 0;                   // of experts: the intermediate size that one GPU holds
  int64_t k = 0;                   // 0 of experts: the layer's hidden size stands in no name
  std::string device;              // as vllm_device_name() writes it
  std::string dtype = "fp8_w8a8";  // of experts also others, and empty for bf16 and f16
  std::optional<std::array<int64_t, 2>> block_shape = std::array<int64_t, 2>{128, 128};
  bool per_channel = false;  // of experts: one scale a column of the weights
  bool is_down = false;      // of experts: for the second product alone, which SGLang may look up
  bool operator==(const VllmFileName&) const = default;
};

/// "N=7168,K=2048,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json", or for
/// experts "E=8,N=14336,device_name=NVIDIA_H200.json" with dtype, block_shape,
/// per_channel_quant=True and _down where the name has them.
std::string to_string(const VllmFileName& name);
/// Reads that, also with a blank behind the last comma as SGLang writes it; nothing for the name of
/// any other file.
std::optional<VllmFileName> parse_vllm_file_name(std::string_view file);
/// The name without the device: "N=7168,K=2048", "E=8,N=14336,dtype=fp8_w8a8".
std::string product_text(const VllmFileName& name);

/// A device's name in the names of files: "NVIDIA_H200" for "NVIDIA H200".
std::string vllm_device_name(std::string_view device);
/// True where a file's device is `device`, or one of the family that a preset's name states: a
/// preset "h100" stands for NVIDIA_H100_80GB_HBM3 and for NVIDIA_H100_PCIe.
bool is_for_device(const VllmFileName& name, const std::string& device);

/// The parameters for products of `m` rows, of experts for `m` tokens. The stack takes the row with
/// the nearest m.
struct VllmRow {
  int64_t m = 0;
  std::vector<AxisValue> values;  // of kVllmKeys, in their order; then those of kVllmMoreKeys
  int line = 0;                   // of the file, from 1; 0: none
  bool operator==(const VllmRow&) const = default;
};

/// The values of kVllmKeys; nothing where another parameter of the row changes what runs.
std::optional<std::vector<AxisValue>> plain_values(const VllmRow& row);

struct VllmFile {
  VllmFileName name;
  std::string path;
  std::string triton_version;  // empty: neither the file nor its evidence states it
  std::vector<VllmRow> rows;
  bool operator==(const VllmFile&) const = default;
};

/// The JSON text of a file, rows in ascending order of m.
std::string print_vllm_rows(std::vector<VllmRow> rows);

/// Reads the text of a file of this name, rows in ascending order; only experts' rows may have
/// kVllmMoreKeys. Throws a usage error with the file, the line and the key: for no rows, two of one
/// m, and a parameter that is missing, unknown or out of its range.
VllmFile parse_vllm_file(const std::string& text, const std::string& source,
                         const VllmFileName& name = {});

/// Reads a file, and the version of Triton in the evidence beside it. Throws a usage error where it
/// cannot be read, or its name is no such name.
VllmFile load_vllm_file(const std::filesystem::path& path);

/// The row that the stack takes for `m` rows: the nearest, the smaller of two.
const VllmRow& nearest_row(const VllmFile& file, int64_t m);

/// The path of the evidence of a file: ".evidence.json" in the place of ".json".
std::filesystem::path evidence_path_of(const std::filesystem::path& file);

/// The files of a folder.
struct VllmFolder {
  std::vector<VllmFile> files;       // by name, those for `device`
  std::vector<VllmFileName> others;  // for other devices
  std::vector<std::string> skipped;  // JSON files of other forms
};

/// Reads the files that is_for_device(), by its vllm_device_name(). Throws a usage error for a file
/// that cannot be read, and for two files of one name.
VllmFolder load_vllm_folder(const std::filesystem::path& folder, const std::string& device);

}  // namespace tilewright
