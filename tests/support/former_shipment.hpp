// A shipped folder as versions without a manifest wrote it, reduced to one file of each kind.
#pragma once

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "serve/blob_names.hpp"
#include "serve/payload.hpp"
#include "serve/payload_section.hpp"

namespace tilewright::testing {

/// A library's bytes: the magic alone, as code that searches for it has it, then the payload.
inline std::string former_library() {
  const Blob answers{kAnswersBlob, "some answers"};
  const std::string payload = pack_payload({&answers, 1});
  PayloadHeader header;
  header.bytes = payload.size();
  const std::string magic(kPayloadMagic.data(), kPayloadMagic.size());
  return "\x7f"
         "ELF" +
         magic + std::string(40, '.') +
         std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
}

inline void write_former_shipment(const std::filesystem::path& folder, const std::string& name) {
  const auto write = [&folder](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder / path).parent_path());
    write_file(folder / path, text);
  };
  write("README.md", "# lib" + name + "\n");
  write("include/" + name + ".h", "uint32_t " + name + "_abi_version(void);\n");
  write("lib/lib" + name + ".so", former_library());
  write("python/" + name + "/_torch.py", "import torch\n");
  write("src/host/lib/a.cpp", "int a;\n");
  write("src/kernels/12.cu", "// a kernel\n");
}

}  // namespace tilewright::testing
