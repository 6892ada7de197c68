#include "host/output_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"

namespace tilewright {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;

// The first bytes of a file; all of a shorter one.
std::string head_of(const std::string& path) {
  std::string head(kHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

}  // namespace

void require_distinct(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!is_same_file(outputs[i].path, outputs[j].path)) continue;
      throw usage_error(format("{} and {} would both write '{}': give each its own file",
                               outputs[j].role, outputs[i].role, outputs[i].path));
    }
    for (const NamedFile& input : inputs) {
      if (!is_same_file(outputs[i].path, input.path)) continue;
      throw usage_error(format("{} would overwrite '{}', which is {}: name another file",
                               outputs[i].role, outputs[i].path, input.role));
    }
  }
}

void require_own(const NamedFile& output, std::string_view what,
                 const std::function<bool(std::string_view)>& is_own) {
  if (output.path.empty()) return;
  require_writable(output.path);
  if (!is_replaceable(output.path) || is_missing(output.path)) return;
  const std::string head = head_of(output.path);
  if (trim(head).empty() || is_own(head)) return;
  throw usage_error(
      format("{} would overwrite '{}', which is not {}: name another file, or move it away",
             output.role, output.path, what));
}

void require_own_schema(const NamedFile& output, std::string_view what, std::string_view schema) {
  require_own(output, what, [schema](std::string_view text) { return names_schema(text, schema); });
}

std::string file_of_problem(const std::string& problem) {
  return problem.starts_with('@') ? problem.substr(1) : "";
}

void require_own_picture(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const auto [what, first] = extension == ".png"   ? std::pair("a PNG", "\x89PNG")
                             : extension == ".pdf" ? std::pair("a PDF", "%PDF")
                                                   : std::pair("an SVG", "<");
  require_own({"-o", path}, what, [first = std::string_view(first)](std::string_view text) {
    return trim(text).starts_with(first);
  });
}

bool is_picture(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".svg" || extension == ".png" || extension == ".pdf";
}

}  // namespace tilewright
