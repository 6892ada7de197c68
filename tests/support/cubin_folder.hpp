// A temporary folder with presets/harness/cubin_gemm's manifest and made-up cubins for it.
#pragma once

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "support/made_up_cubin.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright::testing {

inline std::string cubin_gemm_text() {
  return read_file(std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "presets" / "harness" /
                   "cubin_gemm" / "cubin_gemm.yaml");
}

class CubinFolder {
 public:
  CubinFolder() {
    for (const char* const name : {"gemm_128.cubin", "gemm_64.cubin"}) {
      write_file(folder_.path() / name, made_up_gemm_cubin());
    }
    write_file(folder_.path() / "fixed.cubin",
               made_up_cubin({{"multiply", {128, 128, 8, 4, 4, 4}, 128}}));
    write_file(folder_.path() / "text.cubin", "no ELF");
    manifest(cubin_gemm_text());
  }

  /// Writes a manifest and returns its path.
  std::string manifest(const std::string& text) const {
    const std::filesystem::path file = folder_.path() / "gemm.yaml";
    write_file(file, text);
    return file.string();
  }
  std::string file() const { return (folder_.path() / "gemm.yaml").string(); }
  std::string folder() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace tilewright::testing
