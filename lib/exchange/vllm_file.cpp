#include "exchange/vllm_file.hpp"

#include <algorithm>
#include <cctype>
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

VllmRow read_row(int64_t m, const Node& node) {
  node.allow_only({kVllmKeys.begin(), kVllmKeys.end()});
  VllmRow row{.m = m, .values = {}, .line = node.line()};
  for (const std::string_view key : kVllmKeys) {
    const Node value = node.at(std::string(key));
    const int64_t number = value.count();
    if (number < 1 || number > kMaxParameter) {
      throw value.fail(format("{} is not 1 to {}", number, kMaxParameter));
    }
    row.values.push_back({std::string(key), number});
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

VllmFile load_vllm_file(const fs::path& path, const VllmFileName& name) {
  VllmFile file = parse_vllm_file(read_file(path, kMaxVllmBytes), path.string());
  file.name = name;
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

}  // namespace

std::string to_string(const VllmFileName& name) {
  return format("N={},K={},device_name={},dtype=fp8_w8a8,block_shape=[128,128].json", name.n,
                name.k, name.device);
}

std::optional<VllmFileName> parse_vllm_file_name(std::string_view file) {
  if (!take(file, "N=")) return std::nullopt;
  const auto n = take_until(file, ",K=");
  const auto k = take_until(file, ",device_name=");
  const auto device = take_until(file, ",dtype=fp8_w8a8,block_shape=[128,");
  if (!n || !k || !device || device->empty() || device->find(',') != std::string_view::npos) {
    return std::nullopt;
  }
  take(file, " ");
  const auto n_size = parse_size(*n);
  const auto k_size = parse_size(*k);
  if (file != "128].json" || !n_size || !k_size) return std::nullopt;
  return VllmFileName{.n = *n_size, .k = *k_size, .device = std::string(*device)};
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

std::string print_vllm_rows(std::vector<VllmRow> rows) {
  constexpr int kIndent = 4;
  std::sort(rows.begin(), rows.end(), [](const VllmRow& a, const VllmRow& b) { return a.m < b.m; });
  Document document = Document::object();
  for (const VllmRow& row : rows) {
    Document& values = document[format("{}", row.m)] = Document::object();
    for (const AxisValue& value : row.values) values[value.axis] = value.value;
  }
  return document.dump(kIndent) + "\n";
}

VllmFile parse_vllm_file(const std::string& text, const std::string& source) {
  if (!Document::accept(text)) throw usage_error(format("{}: is not JSON", source));
  const Node root = Node::parse(text, source);
  VllmFile file;
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
    file.rows.push_back(read_row(*m, node));
  }
  if (file.rows.empty()) throw usage_error(format("{}: has no rows", source));
  std::sort(file.rows.begin(), file.rows.end(),
            [](const VllmRow& a, const VllmRow& b) { return a.m < b.m; });
  return file;
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
    } else if (name->device != device) {
      found.devices.push_back(name->device);
    } else {
      found.files.push_back(load_vllm_file(folder / file, *name));
    }
  }
  for (size_t i = 1; i < found.files.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (found.files[i].name != found.files[j].name) continue;
      throw usage_error(format("{} and {} are for the same N and K: remove one of them",
                               found.files[j].path, found.files[i].path));
    }
  }
  return found;
}

}  // namespace tilewright
