#include "base/error.hpp"

#include <filesystem>
#include <new>
#include <system_error>

#include "base/text.hpp"

namespace tilewright {

Error as_error(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const Error*>(&error)) return *known;
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return environment_error(
        "out of memory: this process gets no more; use smaller sizes or files, or raise its limit");
  }
  if (const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return environment_error(
        format("cannot use '{}': {}", file->path1().string(), file->code().message()));
  }
  if (const auto* const failed = dynamic_cast<const std::system_error*>(&error)) {
    return environment_error(format("the system refuses: {}", failed->code().message()));
  }
  return internal_error(error.what());
}

}  // namespace tilewright
