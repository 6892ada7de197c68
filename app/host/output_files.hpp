// Which files a command writes: what lies there before must be the verb's own.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

/// A file that a command reads or writes, and the option or argument that names it.
struct NamedFile {
  std::string role;  // "--junit"
  std::string path;
};

/// Throws a usage error where an output would overwrite an input, or two outputs one file.
void require_distinct(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs);

/// Throws a usage error unless `output` can be written and holds only the verb's own content: it is
/// absent, empty, a device or a pipe, or `is_own` is true of its first 64 KiB. `what` names the
/// verb's own content: "a page".
void require_own(const NamedFile& output, std::string_view what,
                 const std::function<bool(std::string_view)>& is_own);

/// The same for a text that names a schema near its beginning, in YAML or JSON: "tilewright.best/".
void require_own_schema(const NamedFile& output, std::string_view what, std::string_view schema);

/// The file of a PROBLEM "@FILE"; empty for other problems.
std::string file_of_problem(const std::string& problem);

/// True where the file's extension is a picture's.
bool is_picture(const std::string& path);

/// Throws a usage error unless the path is of a picture of its kind, or of no file with content.
void require_own_picture(const std::string& path);

}  // namespace tilewright
