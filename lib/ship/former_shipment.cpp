#include "ship/former_shipment.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "serve/blob_names.hpp"
#include "serve/payload.hpp"
#include "serve/payload_section.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnFiles[] = {
    "README.md",      "NOTICE",    "example.c",          "test.py",         "bench.py",
    "epilogue.py",    "timing.py", "src/CMakeLists.txt", "src/answers.txt", "python/pyproject.toml",
    "python/setup.py"};
constexpr const char* kModules[] = {"__init__", "_library", "_torch", "_cupy", "_jax"};
constexpr std::array<std::string_view, 5> kSources = {".cpp", ".hpp", ".h", ".cu", ".cuh"};

bool is_file(const fs::path& path) {
  std::error_code unknown;
  return fs::symlink_status(path, unknown).type() == fs::file_type::regular;
}

// True for a library with a payload that has the answers of a shipment.
bool has_answers(std::string_view image) {
  const std::string_view magic(kPayloadMagic.data(), kPayloadMagic.size());
  for (size_t at = image.find(magic); at != std::string_view::npos;
       at = image.find(magic, at + 1)) {
    const size_t payload = at + sizeof(PayloadHeader);
    if (payload > image.size()) return false;
    try {
      PayloadTop top;
      image.substr(payload).copy(reinterpret_cast<char*>(&top), sizeof top);
      const PayloadReader reader(image.substr(payload, top.payload_bytes));
      if (reader.read(kAnswersBlob)) return true;
    } catch (const Error&) {
      continue;  // the magic of something else
    }
  }
  return false;
}

// The paths of the files below a folder, relative to `root`; links are not followed.
std::vector<std::string> files_below(const fs::path& root, const fs::path& below) {
  std::vector<std::string> paths;
  std::error_code unreadable;
  for (auto at = fs::recursive_directory_iterator(root / below, unreadable);
       at != fs::recursive_directory_iterator(); at.increment(unreadable)) {
    if (is_file(at->path())) paths.push_back(at->path().lexically_relative(root).string());
  }
  return paths;
}

// The name of the library in this file of lib/, if it is a shipped one with its header.
std::optional<std::string> library_name(const fs::path& folder, const fs::path& library) {
  constexpr std::string_view kPrefix = "lib";
  const std::string stem = library.stem().string();
  if (!is_file(library) || library.extension() != ".so" || !stem.starts_with(kPrefix)) return {};
  const std::string name = stem.substr(kPrefix.size());
  const fs::path header = folder / "include" / (name + ".h");
  if (name.empty() || !is_file(header)) return {};
  if (read_file(header).find(name + "_abi_version") == std::string::npos) return {};
  return has_answers(read_file(library, kMaxStoreBytes)) ? std::optional(name) : std::nullopt;
}

}  // namespace

std::optional<Manifest> former_shipment(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder / "lib", unreadable)) {
    if (auto name = library_name(folder, entry.path())) names.push_back(std::move(*name));
  }
  if (names.empty()) return std::nullopt;
  std::sort(names.begin(), names.end());
  std::vector<std::string> paths(std::begin(kOwnFiles), std::end(kOwnFiles));
  for (const std::string& name : names) {
    paths.push_back(format("lib/lib{}.so", name));
    paths.push_back(format("include/{}.h", name));
    for (const char* const one : kModules) paths.push_back(format("python/{}/{}.py", name, one));
  }
  for (const char* const below : {"src/kernels", "src/host"}) {
    for (std::string& path : files_below(folder, below)) {
      const std::string extension = fs::path(path).extension().string();
      const bool is_source = std::count(kSources.begin(), kSources.end(), extension) > 0;
      if (is_source) paths.push_back(std::move(path));
    }
  }
  Manifest manifest{names.front(), {}};
  for (const std::string& path : paths) {
    if (is_file(folder / path)) manifest.digests[path] = "";
  }
  return manifest;
}

}  // namespace tilewright
