// The files of launch parameters that vLLM and SGLang read for their Triton kernel of fp8 products
// with block scales: one file for each N, K and device, one row for each M.
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

/// What a file's name states; every file here is for operands of fp8 with scales of 128 x 128.
struct VllmFileName {
  int64_t n = 0;
  int64_t k = 0;
  std::string device;  // as vllm_device_name() writes it
  bool operator==(const VllmFileName&) const = default;
};

/// "N=7168,K=2048,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json".
std::string to_string(const VllmFileName& name);
/// Reads that, also with a blank behind the last comma as SGLang writes it; nothing for the name of
/// any other file.
std::optional<VllmFileName> parse_vllm_file_name(std::string_view file);

/// A device's name in the names of files: "NVIDIA_H200" for "NVIDIA H200".
std::string vllm_device_name(std::string_view device);

/// The parameters for products of `m` rows. The stack takes the row with the nearest m.
struct VllmRow {
  int64_t m = 0;
  std::vector<AxisValue> values;  // of kVllmKeys, in their order
  int line = 0;                   // of the file, from 1; 0: none
  bool operator==(const VllmRow&) const = default;
};

struct VllmFile {
  VllmFileName name;
  std::string path;
  std::string triton_version;  // empty: neither the file nor its evidence states it
  std::vector<VllmRow> rows;
  bool operator==(const VllmFile&) const = default;
};

/// The JSON text of a file, rows in ascending order of m.
std::string print_vllm_rows(std::vector<VllmRow> rows);

/// Reads the text of a file into a VllmFile without a name, rows in ascending order. Throws a usage
/// error with the file, the line and the key: for no rows, two of one m, and a parameter that is
/// missing, unknown or no positive number.
VllmFile parse_vllm_file(const std::string& text, const std::string& source);

/// The path of the evidence of a file: ".evidence.json" in the place of ".json".
std::filesystem::path evidence_path_of(const std::filesystem::path& file);

/// The files of a folder.
struct VllmFolder {
  std::vector<VllmFile> files;       // by name, those for `device`
  std::vector<std::string> devices;  // of the others
  std::vector<std::string> skipped;  // JSON files of other forms
};

/// Reads the files for one device, by its vllm_device_name(). Throws a usage error for a file that
/// cannot be read, and for two files of one N and K.
VllmFolder load_vllm_folder(const std::filesystem::path& folder, const std::string& device);

}  // namespace tilewright
