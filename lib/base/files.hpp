// Files: whole reads, and writes that leave either the old file or the new one, never a half.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/limits.hpp"

namespace tilewright {

/// The whole file but a byte order mark; "-" is standard input. Throws a usage error that names the
/// path, also where it holds more than `most_bytes`.
std::string read_file(const std::filesystem::path& path, int64_t most_bytes = kMostFileBytes);

/// True where nothing has this name; false also where one cannot tell, so that reading will say
/// why.
bool is_missing(const std::filesystem::path& path);

/// True where write_file leaves the newest content alone: not for standard output, a device or a
/// pipe, which cannot be renamed over.
bool is_replaceable(const std::filesystem::path& path);

/// Replaces `path`, or what it links to, by `content` through a temporary file and a rename; "-" is
/// standard output. Throws a usage error that names the path, an environment error where the disk
/// is full.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws a usage error unless write_file(path) could succeed; creates nothing that stays.
void require_writable(const std::filesystem::path& path);

/// Throws an environment error when standard output did not take all that was written to it.
void flush_standard_output();

}  // namespace tilewright
