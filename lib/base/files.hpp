// Files: whole reads, and writes that leave either the old file or the new one, never a half.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilewright {

/// The whole file; "-" is standard input. Throws a usage error that names the path.
std::string read_file(const std::filesystem::path& path);

/// True where write_file leaves the newest content alone: not for standard output, a device or a
/// pipe, which cannot be renamed over.
bool is_replaceable(const std::filesystem::path& path);

/// Replaces `path` by `content` through a temporary file and a rename; "-" is standard output.
/// Throws a usage error that names the path.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws a usage error unless write_file(path) could succeed; creates nothing that stays.
void require_writable(const std::filesystem::path& path);

}  // namespace tilewright
