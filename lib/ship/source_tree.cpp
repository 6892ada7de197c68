#include "ship/source_tree.hpp"

#include <set>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/embedded_kernels.hpp"
#include "ship/embedded_sources.hpp"

namespace tilewright {
namespace {

using Files = std::map<std::string, std::string>;

// Files by their names in #include lines.
Files embedded_files(std::span<const EmbeddedFile> embedded) {
  Files files;
  for (const EmbeddedFile& file : embedded) files.emplace(file.path, file.text);
  return files;
}

// The name in a line '#include "NAME"'; empty for any other.
std::string_view quoted_include(std::string_view line) {
  constexpr std::string_view kDirective = "#include \"";
  line = trim(line);
  if (line.substr(0, kDirective.size()) != kDirective) return {};
  line.remove_prefix(kDirective.size());
  return line.substr(0, line.find('"'));
}

std::vector<std::string> includes_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view name = quoted_include(line);
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

// Appends a text; replaces each #include line by its file, unless `included` has that file already.
void append_inlined(const Files& files, const std::string& text, std::set<std::string>& included,
                    std::string& to) {
  for (const std::string_view line : split(text, '\n')) {
    const std::string name(quoted_include(line));
    if (name.empty()) {
      if (trim(line) != "#pragma once") to += std::string(line) + '\n';
      continue;
    }
    if (!included.insert(name).second) continue;
    const auto file = files.find(name);
    if (file == files.end()) throw internal_error(format("a kernel includes {}", name));
    append_inlined(files, file->second, included, to);
  }
}

// Without a qualifier, nvcc compiles functions and tables for the host; NVRTC, with our options,
// for the device. This adds qualifiers: constexpr functions are for both, tables for the device.
std::string add_host_device_qualifiers(const std::string& text) {
  constexpr std::string_view kWord = "constexpr ";
  std::string both;
  size_t from = 0;
  for (size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + 1)) {
    const size_t name = at + kWord.size();
    const size_t end = text.find_first_of("(={;", name);
    if (end == std::string::npos) break;
    const std::string_view declared = std::string_view(text).substr(name, end - name);
    const bool is_operator = declared.find("operator") != std::string_view::npos;
    const bool is_function = is_operator || (text[end] == '(' && !trim(declared).empty());
    const bool is_table = text[end] == '=' && trim(declared).ends_with("[]");
    if (!is_function && !is_table) continue;
    std::string before = text.substr(from, at - from);
    // A device variable belongs to one translation unit, so it is static.
    constexpr std::string_view kInline = "inline ";
    if (is_table && before.ends_with(kInline)) before.resize(before.size() - kInline.size());
    both += before + (is_function ? "__host__ __device__ " : "static __device__ ");
    from = at;
  }
  return both + text.substr(from);
}

bool is_source(const std::string& path) {
  return path.size() > 4 && path.substr(path.size() - 4) == ".cpp";
}

// Adds the files `left`, and all that they include, to `taken`.
void add_with_includes(const Files& lib, const Files& kernels, std::vector<std::string> left,
                       Files& taken) {
  while (!left.empty()) {
    const std::string name = left.back();
    left.pop_back();
    const bool is_kernel = kernels.count(name) > 0;
    const Files& from = is_kernel ? kernels : lib;
    const auto file = from.find(name);
    if (file == from.end()) throw internal_error(format("no source {}", name));
    const std::string path = (is_kernel ? "kernels/" : "lib/") + name;
    if (!taken.emplace(path, file->second).second) continue;
    for (std::string& included : includes_of(file->second)) left.push_back(std::move(included));
  }
}

// The sources that are not taken, while the header of their first #include is.
std::vector<std::string> missing_sources(const Files& lib, const Files& taken) {
  std::vector<std::string> missing;
  for (const auto& [name, text] : lib) {
    if (!is_source(name) || taken.count("lib/" + name) > 0) continue;
    const std::vector<std::string> names = includes_of(text);
    if (!names.empty() && taken.count("lib/" + names.front()) > 0) missing.push_back(name);
  }
  return missing;
}

}  // namespace

std::string standalone_text(const KernelSource& source) {
  Files files = embedded_files(embedded_kernels());
  if (!source.config_header.empty()) files["config.cuh"] = source.config_header;
  const auto program = files.find(source.file);
  if (program == files.end()) throw internal_error(format("no kernel {}", source.file));
  std::set<std::string> included;
  std::string text;
  append_inlined(files, program->second, included, text);
  return add_host_device_qualifiers(text);
}

std::map<std::string, std::string> library_sources() {
  const Files lib = embedded_files(embedded_sources());
  const Files kernels = embedded_files(embedded_kernels());
  Files taken;
  std::vector<std::string> left = {"serve/c_interface.cpp", "serve/tvm_ffi.cpp",
                                   "serve/xla_ffi.cpp", "serve/pack.cpp"};
  while (!left.empty()) {
    add_with_includes(lib, kernels, std::move(left), taken);
    left = missing_sources(lib, taken);
  }
  return taken;
}

std::string source_text(const std::string& path) {
  for (const EmbeddedFile& file : embedded_sources()) {
    if (file.path == path) return file.text;
  }
  throw internal_error(format("no source {}", path));
}

}  // namespace tilewright
