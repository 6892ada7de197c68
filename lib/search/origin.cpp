#include "search/origin.hpp"

#include "base/text.hpp"

namespace tilewright {

Software software_of(std::string_view versions) {
  constexpr std::string_view kDriver = "driver ";
  constexpr std::string_view kRuntime = "runtime ";
  Software software;
  for (const std::string_view line : split(versions, '\n')) {
    if (line.starts_with(kDriver)) software.driver = line.substr(kDriver.size());
    if (line.starts_with(kRuntime)) software.runtime = line.substr(kRuntime.size());
    if (line.starts_with("NVRTC ")) software.compiler = line;
    if (line.starts_with("cublasLt ")) software.library = line;
  }
  return software;
}

}  // namespace tilewright
