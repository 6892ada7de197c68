#include "exchange/vllm_audit.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "exchange/export_vllm.hpp"
#include "record/node.hpp"

namespace tilewright {
namespace {

// The operands of a type of kernel, as a name states it. A weight of 0 bits is converted on its way
// to the tensor cores, so that its room in shared memory is not known.
struct VllmOperands {
  std::string_view dtype;
  int bits_a = 0;
  int bits_b = 0;
  bool has_wgmma = false;  // on Hopper
};

constexpr VllmOperands kVllmOperands[] = {
    {"", 16, 16, true},          {"bfloat16", 16, 16, true},   {"float16", 16, 16, true},
    {"fp8_w8a8", 8, 8, true},    {"float8", 8, 8, true},       {"int8_w8a8", 8, 8, false},
    {"fp8_w8a16", 16, 0, false}, {"int8_w8a16", 16, 0, false}, {"int4_w4a16", 16, 0, false},
};

const VllmOperands* operands_of(const VllmFileName& name) {
  const auto* const found =
      std::find_if(std::begin(kVllmOperands), std::end(kVllmOperands),
                   [&](const VllmOperands& one) { return one.dtype == name.dtype; });
  return found == std::end(kVllmOperands) ? nullptr : found;
}

int64_t parameter_of(const VllmRow& row, std::string_view key) {
  const auto found = std::find_if(row.values.begin(), row.values.end(),
                                  [key](const AxisValue& value) { return value.axis == key; });
  return found == row.values.end() ? 0 : found->value;
}

std::vector<AxisValue> with_keys(const std::array<int64_t, kVllmKeys.size()>& numbers) {
  std::vector<AxisValue> values;
  values.reserve(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    values.push_back({std::string(kVllmKeys[i]), numbers[i]});
  }
  return values;
}

// The row's values of kVllmKeys.
std::vector<AxisValue> main_values(const VllmRow& row) {
  return {row.values.begin(), row.values.begin() + static_cast<int64_t>(kVllmKeys.size())};
}

// What the evidence beside a file states of a row.
struct RowEvidence {
  int64_t m = 0;
  bool is_default = false;
  double most_ratio = 1;  // the upper end of the interval of the default's time over the row's
};

// The evidence beside a file that best --export vllm wrote.
struct FileEvidence {
  std::vector<AxisValue> default_values;
  std::vector<RowEvidence> rows;
};

// Nothing without a file of that schema.
std::optional<FileEvidence> evidence_of(const VllmFile& file) {
  const std::filesystem::path path = evidence_path_of(file.path);
  if (is_missing(path)) return std::nullopt;
  const Node root = Node::parse(read_file(path), path.string());
  if (!root.is_map()) return std::nullopt;
  const auto schema = root.find("schema");
  if (!schema || schema->word() != kVllmEvidence) return std::nullopt;
  FileEvidence evidence;
  const Node values = root.at("default");
  evidence.default_values.reserve(kVllmKeys.size());
  for (const std::string_view key : kVllmKeys) {
    evidence.default_values.push_back({std::string(key), values.at(std::string(key)).count()});
  }
  for (const Node& row : root.at("rows").items()) {
    evidence.rows.push_back({.m = row.at("m").count(),
                             .is_default = row.at("is_default").flag(),
                             .most_ratio = row.at("ratio_ci").items(2)[1].positive()});
  }
  return evidence;
}

// "1, 2 and 4": sizes M of rows.
std::string sizes_of(const std::vector<int64_t>& sizes) {
  constexpr size_t kMaxShown = 18;
  std::vector<std::string> words;
  words.reserve(sizes.size());
  for (const int64_t size : sizes) words.push_back(format("{}", size));
  if (words.size() <= kMaxShown) return join(words, ", ");
  const size_t more = words.size() - kMaxShown;
  words.resize(kMaxShown);
  return format("{} and {} more", join(words, ", "), more);
}

// The rows of one file by what is wrong or remarkable about them.
struct RowLists {
  std::vector<int64_t> missing;     // sizes without a row
  std::vector<int64_t> defaults;    // rows with the default's values
  std::vector<int64_t> slower;      // than the default, by the evidence
  std::vector<int64_t> unmeasured;  // rows that the evidence does not cover
  std::vector<int64_t> unlike;      // rows with another block than the other file
  std::vector<std::string> illegal;
};

void add_by_evidence(const FileEvidence& evidence, const VllmRow& row, RowLists& lists) {
  const auto found = std::find_if(evidence.rows.begin(), evidence.rows.end(),
                                  [&](const RowEvidence& measured) { return measured.m == row.m; });
  const bool has_default = main_values(row) == evidence.default_values;
  if (has_default) lists.defaults.push_back(row.m);
  if (found == evidence.rows.end() || found->is_default != has_default) {
    lists.unmeasured.push_back(row.m);
  } else if (found->most_ratio < 1) {
    lists.slower.push_back(row.m);
  }
}

void add_by_defaults(const VllmFileName& name, const VllmRow& row, RowLists& lists) {
  const auto defaults = stack_defaults(name, row.m);
  if (std::find(defaults.begin(), defaults.end(), main_values(row)) != defaults.end()) {
    lists.defaults.push_back(row.m);
  }
}

// The file of the first product of the same layer, which orders the tokens for both; null for other
// files.
const VllmFile* first_of_layer(const VllmFolder& folder, const VllmFile& file) {
  if (!file.name.is_down) return nullptr;
  VllmFileName first = file.name;
  first.is_down = false;
  const auto found = std::find_if(folder.files.begin(), folder.files.end(),
                                  [&](const VllmFile& one) { return one.name == first; });
  return found == folder.files.end() ? nullptr : &*found;
}

RowLists lists_of(const VllmFolder& folder, const VllmFile& file, const DeviceSpec& device) {
  RowLists lists;
  const std::optional<FileEvidence> evidence = evidence_of(file);
  const VllmFile* const first = first_of_layer(folder, file);
  for (const VllmRow& row : file.rows) {
    if (const std::string why = why_illegal(file.name, row, device); !why.empty()) {
      lists.illegal.push_back(format("line {}, M = {}: {}", row.line, row.m, why));
    }
    if (evidence) {
      add_by_evidence(*evidence, row, lists);
    } else {
      add_by_defaults(file.name, row, lists);
    }
    const bool is_unlike =
        first != nullptr &&
        parameter_of(row, kVllmKeys[0]) != parameter_of(nearest_row(*first, row.m), kVllmKeys[0]);
    if (is_unlike) lists.unlike.push_back(row.m);
  }
  for (const int64_t size : kVllmBatchSizes) {
    if (nearest_row(file, size).m != size) lists.missing.push_back(size);
  }
  return lists;
}

std::vector<std::string> findings_of(const RowLists& lists, const VllmFileName& name) {
  std::vector<std::string> findings = lists.illegal;
  const auto add = [&findings](const std::vector<int64_t>& sizes, std::string_view what) {
    if (!sizes.empty()) findings.push_back(format("M = {}: {}", sizes_of(sizes), what));
  };
  add(lists.slower, "slower than the default config, by the evidence beside the file");
  add(lists.missing, "no row; the stack takes that of the nearest M");
  add(lists.defaults, "the default config, which the stack launches without a file, too");
  add(lists.unmeasured, "not the row that the evidence beside the file was measured with");
  add(lists.unlike,
      "another BLOCK_SIZE_M than in the file of the layer's first product, which SGLang takes for "
      "both");
  if (operands_of(name) == nullptr) {
    findings.push_back(
        format("{} are no operands that tilewright knows: the rows' shared memory is not checked",
               name.dtype));
  }
  return findings;
}

CaseVerdict verdict_on(const VllmFolder& folder, const VllmFile& file, const DeviceSpec& device) {
  const RowLists lists = lists_of(folder, file, device);
  CaseVerdict verdict{.name = to_string(file.name),
                      .verdict = Verdict::Pass,
                      .numbers = {},
                      .findings = findings_of(lists, file.name),
                      .reference = {}};
  if (!lists.illegal.empty() || !lists.slower.empty()) verdict.verdict = Verdict::Regression;
  const std::pair<const char*, size_t> counts[] = {{"rows", file.rows.size()},
                                                   {"illegal_rows", lists.illegal.size()},
                                                   {"slower_rows", lists.slower.size()},
                                                   {"missing_rows", lists.missing.size()},
                                                   {"default_rows", lists.defaults.size()},
                                                   {"unmeasured_rows", lists.unmeasured.size()},
                                                   {"unlike_rows", lists.unlike.size()}};
  verdict.numbers.reserve(std::size(counts));
  for (const auto& [key, count] : counts) {
    verdict.numbers.push_back(
        {.key = key, .now = static_cast<double>(count), .before = std::nullopt});
  }
  return verdict;
}

}  // namespace

std::vector<std::vector<AxisValue>> stack_defaults(const VllmFileName& name, int64_t m) {
  constexpr int64_t kTritonWarps = 4;
  constexpr int64_t kTritonStages = 3;
  if (name.experts == 0) return {with_keys({64, 128, 128, 32, 4, 2})};
  const bool is_few = m <= name.experts;
  if (name.dtype == "fp8_w8a8" && name.block_shape) {
    const auto [rows, columns] = *name.block_shape;
    return {with_keys({64, rows, columns, 32, 4, 3})};
  }
  if (name.dtype.ends_with("a16") && name.block_shape) return {};
  std::vector<std::vector<AxisValue>> defaults = {
      is_few ? with_keys({16, 32, 64, 1, kTritonWarps, kTritonStages})
             : with_keys({64, 64, 32, 8, kTritonWarps, kTritonStages})};
  if (name.dtype == "fp8_w8a8") {
    defaults.push_back(is_few ? with_keys({64, 128, 128, 1, 4, 4})
                              : with_keys({128, 256, 128, 32, 8, 4}));
  }
  return defaults;
}

int64_t tile_bytes(const VllmFileName& name, const VllmRow& row, const DeviceSpec& device) {
  constexpr int kHopper = 9;
  constexpr int64_t kWgmmaRows = 64;
  constexpr int64_t kByte = 8;
  const VllmOperands* const operands = operands_of(name);
  if (operands == nullptr) return 0;
  const int64_t m = parameter_of(row, "BLOCK_SIZE_M");
  const int64_t k = parameter_of(row, "BLOCK_SIZE_K");
  const int64_t stages = parameter_of(row, "num_stages");
  const int64_t a_bytes = m * k * operands->bits_a / kByte;
  const int64_t b_bytes = parameter_of(row, "BLOCK_SIZE_N") * k * operands->bits_b / kByte;
  // Without a pipeline one of the tiles may stay in registers.
  if (stages == 1) return std::max(a_bytes, b_bytes);
  // Triton keeps one tile fewer than it has stages, except where wgmma still reads the last one.
  const bool reads_late = device.compute_major == kHopper && operands->has_wgmma && m >= kWgmmaRows;
  return (a_bytes + b_bytes) * (reads_late ? stages : stages - 1);
}

std::string why_illegal(const VllmFileName& name, const VllmRow& row, const DeviceSpec& device) {
  constexpr int64_t kMaxWarps = 32;
  for (const std::string_view key : {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "num_warps"}) {
    const int64_t number = parameter_of(row, key);
    if (!is_power_of_two(number)) {
      return format("{} = {} is no power of two, as Triton needs it", key, number);
    }
  }
  if (const int64_t warps = parameter_of(row, "num_warps"); warps > kMaxWarps) {
    return format("num_warps = {} are more than {}, the warps of a CTA", warps, kMaxWarps);
  }
  const int64_t needed = tile_bytes(name, row, device);
  if (needed <= device.smem_per_cta_bytes) return "";
  return format("its tiles take {} bytes of shared memory, and {} has {}", needed, device.name,
                device.smem_per_cta_bytes);
}

std::vector<CaseVerdict> audit_vllm(const VllmFolder& folder, const DeviceSpec& device) {
  std::vector<CaseVerdict> verdicts;
  verdicts.reserve(folder.files.size());
  for (const VllmFile& file : folder.files) verdicts.push_back(verdict_on(folder, file, device));
  return verdicts;
}

}  // namespace tilewright
