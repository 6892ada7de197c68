#include "base/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += format(".{}.part", ::getpid());
  return temporary;
}

Error cannot_write(const std::filesystem::path& path, int error) {
  return usage_error(format("cannot write '{}': {}", path.string(), std::strerror(error)));
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    const int error = in ? EISDIR : errno;
    throw usage_error(format("cannot read '{}': {}", path.string(), std::strerror(error)));
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_replaceable(const std::filesystem::path& path) {
  return path != "-" && (!std::filesystem::exists(path) || std::filesystem::is_regular_file(path));
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  if (path == "-") {
    std::cout << content << std::flush;
    return;
  }
  if (!is_replaceable(path)) {
    errno = EISDIR;
    std::ofstream out(path, std::ios::binary);
    if (!out.write(content.data(), static_cast<std::streamsize>(content.size())).flush()) {
      throw cannot_write(path, errno);
    }
    return;
  }
  const std::filesystem::path temporary = temporary_beside(path);
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  std::error_code renamed;
  if (out) std::filesystem::rename(temporary, path, renamed);
  if (!out || renamed) {
    const int error = renamed ? renamed.value() : errno;
    std::filesystem::remove(temporary, renamed);
    throw cannot_write(path, error);
  }
}

void require_writable(const std::filesystem::path& path) {
  if (path == "-") return;
  if (std::filesystem::is_directory(path)) throw cannot_write(path, EISDIR);
  if (std::filesystem::exists(path)) {
    if (::access(path.c_str(), W_OK) != 0) throw cannot_write(path, errno);
    return;
  }
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(parent)) throw cannot_write(path, ENOENT);
  if (::access(parent.c_str(), W_OK | X_OK) != 0) throw cannot_write(path, errno);
}

}  // namespace tilewright
