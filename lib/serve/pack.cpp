// pack OUTPUT ANSWERS CUBIN...: the payload of a library that is built from its sources. A cubin's
// name is the number of its program.

#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "serve/payload.hpp"

namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void pack(const std::vector<std::filesystem::path>& paths) {
  std::vector<tilewright::Blob> blobs = {{"answers", content_of(paths.at(1))}};
  for (size_t i = 2; i < paths.size(); ++i) {
    blobs.push_back({"kernel " + paths[i].stem().string(), content_of(paths[i])});
  }
  std::ofstream output(paths.front(), std::ios::binary);
  output.exceptions(std::ios::failbit | std::ios::badbit);
  output << tilewright::pack_payload(blobs);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    pack({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "pack: " << error.what() << '\n';
    return 1;
  }
}
