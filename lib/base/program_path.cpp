#include "base/program_path.hpp"

#include <system_error>

namespace tilewright {

std::filesystem::path program_folder() {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path(".") : program.parent_path();
}

}  // namespace tilewright
