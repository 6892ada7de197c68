#include "exchange/vllm_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "record/node.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxVllmBytes = int64_t{1} << 20;
constexpr int64_t kMaxParameter = int64_t{1} << 16;
constexpr std::string_view kTritonVersion = "triton_version";
constexpr std::string_view kEvidenceEnd = ".evidence.json";
constexpr std::string_view kDeviceName = ",device_name=";
constexpr std::string_view kDtype = ",dtype=";
constexpr std::string_view kBlockShape = ",block_shape=[";
constexpr std::string_view kPerChannel = ",per_channel_quant=True";
constexpr std::string_view kDown = "_down";

// Removes `prefix` from the front of `text`; false where it does not begin so.
bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Removes and returns what stands in front of `end`, and `end`; nothing where that is missing.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

// A size without a sign, blanks or leading zeros, in [1, 2^31).
std::optional<int64_t> parse_size(std::string_view text) {
  const auto size = parse_count(text);
  const bool is_size = size && *size > 0 && *size <= std::numeric_limits<int32_t>::max();
  return is_size && format("{}", *size) == text ? size : std::nullopt;
}

std::optional<int64_t> take_size_until(std::string_view& text, std::string_view end) {
  const auto taken = take_until(text, end);
  return taken ? parse_size(*taken) : std::nullopt;
}

// True for a device as vllm_device_name() writes one.
bool is_device(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != ',' && c != '=' && c != '/';
  });
}

// True for the words of an experts' types: "int8_w8a16".
bool is_vllm_type(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// Removes the end of `text` where it is `end`; false where it is not.
bool take_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

// Reads ",dtype=..,block_shape=[..,..],per_channel_quant=True", each part only where it is there;
// false where more or something else is there.
bool take_types(std::string_view text, VllmFileName& name) {
  name.dtype.clear();
  name.block_shape.reset();
  if (take(text, kDtype)) {
    const std::string_view type = text.substr(0, text.find(','));
    if (!is_vllm_type(type)) return false;
    name.dtype = type;
    text.remove_prefix(type.size());
  }
  if (take(text, kBlockShape)) {
    const auto rows = take_size_until(text, ",");
    take(text, " ");
    const auto columns = take_size_until(text, "]");
    if (!rows || !columns) return false;
    name.block_shape = {*rows, *columns};
  }
  name.per_channel = take(text, kPerChannel);
  return text.empty();
}

bool is_flag(std::string_view key) {
  return key == "USE_TMA";
}

// 0 leaves the choice to the compiler where a key allows it.
int64_t least_of(std::string_view key) {
  return key == "waves_per_eu" || key == "matrix_instr_nonkdim" ? 0 : 1;
}

AxisValue read_parameter(std::string_view key, const Node& node) {
  if (is_flag(key)) return {std::string(key), node.flag() ? 1 : 0};
  const int64_t number = node.count();
  if (number < least_of(key) || number > kMaxParameter) {
    throw node.fail(format("{} is not {} to {}", number, least_of(key), kMaxParameter));
  }
  return {std::string(key), number};
}

VllmRow read_row(int64_t m, const Node& node, bool is_experts) {
  std::vector<std::string_view> known(kVllmKeys.begin(), kVllmKeys.end());
  if (is_experts) known.insert(known.end(), kVllmMoreKeys.begin(), kVllmMoreKeys.end());
  node.allow_only(known);
  VllmRow row{.m = m, .values = {}, .line = node.line()};
  row.values.reserve(known.size());
  for (const std::string_view key : kVllmKeys) {
    row.values.push_back(read_parameter(key, node.at(std::string(key))));
  }
  for (size_t i = kVllmKeys.size(); i < known.size(); ++i) {
    if (const auto value = node.find(known[i])) {
      row.values.push_back(read_parameter(known[i], *value));
    }
  }
  return row;
}

// What the evidence beside a file states; empty without evidence.
std::string triton_version_of_evidence(const fs::path& file) {
  const fs::path path = evidence_path_of(file);
  if (is_missing(path)) return "";
  const Node root = Node::parse(read_file(path), path.string());
  const auto version = root.find(std::string(kTritonVersion));
  return version ? version->text() : "";
}

VllmFile load_named_file(const fs::path& path, const VllmFileName& name) {
  VllmFile file = parse_vllm_file(read_file(path, kMaxVllmBytes), path.string(), name);
  file.path = path.string();
  if (file.triton_version.empty()) file.triton_version = triton_version_of_evidence(path);
  return file;
}

// The names of the folder's JSON files without evidence, in ascending order.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(kEvidenceEnd)) names.push_back(std::move(name));
  }
  if (error) throw usage_error(format("cannot read {}: {}", folder.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

std::string sizes_text(const VllmFileName& name) {
  return name.experts == 0 ? format("N={},K={}", name.n, name.k)
                           : format("E={},N={}", name.experts, name.n);
}

// What stands behind the device in a name.
std::string types_text(const VllmFileName& name) {
  std::string text;
  if (!name.dtype.empty()) text += format("{}{}", kDtype, name.dtype);
  if (name.block_shape) {
    text += format("{}{},{}]", kBlockShape, name.block_shape->front(), name.block_shape->back());
  }
  if (name.per_channel) text += kPerChannel;
  if (name.is_down) text += kDown;
  return text;
}

// True where the first words of a device are `family`: "RTX_4090" is rtx4090, "H200" is no h20.
bool begins_with_family(std::string_view device, std::string_view family) {
  size_t at = 0;
  for (const char c : family) {
    while (at < device.size() && (device[at] == '_' || device[at] == '-')) ++at;
    if (at == device.size() || std::toupper(static_cast<unsigned char>(device[at])) !=
                                   std::toupper(static_cast<unsigned char>(c))) {
      return false;
    }
    ++at;
  }
  return at == device.size() || device[at] == '_' || device[at] == '-';
}

}  // namespace

std::string to_string(const VllmFileName& name) {
  return format("{}{}{}{}.json", sizes_text(name), kDeviceName, name.device, types_text(name));
}

std::string product_text(const VllmFileName& name) {
  return name.experts == 0 ? sizes_text(name) : sizes_text(name) + types_text(name);
}

std::optional<VllmFileName> parse_vllm_file_name(std::string_view file) {
  if (file.ends_with(kEvidenceEnd) || !take_end(file, ".json")) return std::nullopt;
  VllmFileName name;
  const bool is_experts = take(file, "E=");
  if (!is_experts && !take(file, "N=")) return std::nullopt;
  const auto first = take_size_until(file, is_experts ? ",N=" : ",K=");
  const auto second = take_size_until(file, kDeviceName);
  if (!first || !second) return std::nullopt;
  (is_experts ? name.experts : name.n) = *first;
  (is_experts ? name.n : name.k) = *second;
  const bool is_down = is_experts && take_end(file, kDown);
  name.device = file.substr(0, file.find(','));
  file.remove_prefix(name.device.size());
  const VllmFileName plain = name;  // the types of every product's file
  if (!is_device(name.device) || !take_types(file, name)) return std::nullopt;
  if (!is_experts && name != plain) return std::nullopt;
  name.is_down = is_down;
  return name;
}

std::string vllm_device_name(std::string_view device) {
  std::string name;
  for (const char c : device) {
    const bool is_gap = std::isspace(static_cast<unsigned char>(c)) != 0 || c == '/';
    if (!is_gap) {
      name += c;
    } else if (!name.ends_with('_')) {
      name += '_';
    }
  }
  return name;
}

bool is_for_device(const VllmFileName& name, const std::string& device) {
  if (name.device == device) return true;
  // The stacks take names from the driver, "NVIDIA_H200"; a preset's name is one word, "h200".
  if (device.find('_') != std::string::npos) return false;
  const std::string_view words = name.device;
  for (size_t at = 0; at < words.size(); ++at) {
    const bool begins = at == 0 || words[at - 1] == '_' || words[at - 1] == '-';
    if (begins && begins_with_family(words.substr(at), device)) return true;
  }
  return false;
}

std::string print_vllm_rows(std::vector<VllmRow> rows) {
  constexpr int kIndent = 4;
  std::sort(rows.begin(), rows.end(), [](const VllmRow& a, const VllmRow& b) { return a.m < b.m; });
  Document document = Document::object();
  for (const VllmRow& row : rows) {
    Document& values = document[format("{}", row.m)] = Document::object();
    for (const AxisValue& value : row.values) {
      Document& number = values[value.axis];
      if (is_flag(value.axis)) {
        number = value.value != 0;
      } else {
        number = value.value;
      }
    }
  }
  return document.dump(kIndent) + "\n";
}

VllmFile parse_vllm_file(const std::string& text, const std::string& source,
                         const VllmFileName& name) {
  if (!Document::accept(text)) throw usage_error(format("{}: is not JSON", source));
  const Node root = Node::parse(text, source);
  VllmFile file;
  file.name = name;
  for (const auto& [key, node] : root.pairs()) {
    if (key == kTritonVersion) {
      file.triton_version = read_name(node);
      continue;
    }
    const auto m = parse_size(key);
    if (!m) throw node.fail(format("'{}' is no number of rows M", key));
    if (std::ssize(file.rows) == kMaxProblems) {
      throw node.fail(format("the file has more than {} rows, the limit", kMaxProblems));
    }
    file.rows.push_back(read_row(*m, node, name.experts > 0));
  }
  if (file.rows.empty()) throw usage_error(format("{}: has no rows", source));
  std::sort(file.rows.begin(), file.rows.end(),
            [](const VllmRow& a, const VllmRow& b) { return a.m < b.m; });
  return file;
}

std::optional<std::vector<AxisValue>> plain_values(const VllmRow& row) {
  const bool is_plain =
      std::all_of(row.values.begin(), row.values.end(), [](const AxisValue& value) {
        if (value.axis == "SPLIT_K" || value.axis == "num_ctas") return value.value == 1;
        return !is_flag(value.axis) || value.value == 0;
      });
  if (!is_plain) return std::nullopt;
  return std::vector<AxisValue>(row.values.begin(),
                                row.values.begin() + static_cast<int64_t>(kVllmKeys.size()));
}

VllmFile load_vllm_file(const fs::path& path) {
  const auto name = parse_vllm_file_name(path.filename().string());
  if (!name) {
    throw usage_error(
        format("'{}' has not the name of a file of launch parameters, such as {}", path.string(),
               to_string(VllmFileName{.n = 7168, .k = 2048, .device = "NVIDIA_H200"})));
  }
  return load_named_file(path, *name);
}

const VllmRow& nearest_row(const VllmFile& file, int64_t m) {
  return *std::min_element(
      file.rows.begin(), file.rows.end(),
      [m](const VllmRow& a, const VllmRow& b) { return std::abs(a.m - m) < std::abs(b.m - m); });
}

fs::path evidence_path_of(const fs::path& file) {
  return fs::path(file).replace_extension().concat(kEvidenceEnd);
}

VllmFolder load_vllm_folder(const fs::path& folder, const std::string& device) {
  VllmFolder found;
  for (const std::string& file : names_in(folder)) {
    const std::optional<VllmFileName> name = parse_vllm_file_name(file);
    if (!name) {
      found.skipped.push_back(file);
    } else if (!is_for_device(*name, device)) {
      found.others.push_back(*name);
    } else {
      found.files.push_back(load_named_file(folder / file, *name));
    }
  }
  for (size_t i = 1; i < found.files.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (found.files[i].name != found.files[j].name) continue;
      throw usage_error(format("{} and {} are for the same {}: remove one of them",
                               found.files[j].path, found.files[i].path,
                               found.files[i].name.experts == 0 ? "N and K" : "experts"));
    }
  }
  return found;
}

}  // namespace tilewright
