#include "harness/cubin_image.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "stats/random.hpp"
#include "support/error_message.hpp"
#include "support/made_up_cubin.hpp"

using namespace tilewright;
using testing::MadeUpKernel;

namespace {

std::vector<int> sizes_of(const CubinKernel& kernel) {
  std::vector<int> sizes;
  for (const CubinParameter& parameter : kernel.parameters) sizes.push_back(parameter.size);
  return sizes;
}

TEST_CASE("kernels and their parameters are those with which the image was written") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<MadeUpKernel> written;
    const int count = 1 + round % 4;
    for (int i = 0; i < count; ++i) {
      MadeUpKernel kernel{.name = "kernel_" + std::string(static_cast<size_t>(i), 'x'),
                          .parameter_bytes = {},
                          .required_threads = round % 3 * 128,
                          .registers = round % 5 * 51,
                          .local_bytes = round % 5 == 0 ? 0 : i * 8,
                          .shared_bytes = i * 1000};
      const uint64_t parameters = random.next() % 12;
      for (uint64_t p = 0; p < parameters; ++p) {
        constexpr int kSizes[] = {1, 2, 4, 8, 128, 4000};
        kernel.parameter_bytes.push_back(kSizes[random.next() % 6]);
      }
      written.push_back(kernel);
    }
    const std::vector<CubinKernel> read = kernels_of_cubin(testing::made_up_cubin(written));
    REQUIRE(read.size() == written.size());
    for (size_t i = 0; i < read.size(); ++i) {
      CHECK(read[i].name == written[i].name);
      CHECK(read[i].required_threads == written[i].required_threads);
      CHECK(read[i].registers == written[i].registers);
      CHECK(read[i].local_bytes == written[i].local_bytes);
      CHECK(read[i].shared_bytes == written[i].shared_bytes);
      CHECK(sizes_of(read[i]) == written[i].parameter_bytes);
    }
  }
}

// Without a CUDA Toolkit there are none.
TEST_CASE("the example's cubins, which nvcc compiled, have the parameters of their source") {
  const auto folder = std::filesystem::path(TILEWRIGHT_PROGRAM).parent_path() / "cubin_gemm";
  if (!std::filesystem::exists(folder / "gemm_64.cubin")) return;
  for (const char* const name : {"gemm_64.cubin", "gemm_128.cubin"}) {
    std::map<std::string, std::vector<int>> sizes;
    for (const CubinKernel& kernel : kernels_of_cubin(read_file(folder / name))) {
      sizes[kernel.name] = sizes_of(kernel);
      CHECK(kernel.required_threads == 0);
      CHECK(kernel.registers >= 16);
      CHECK(kernel.registers <= 255);
      CHECK(kernel.local_bytes == 0);
      // multiply has slabs of A and B for 32 of K, 8 blocks of 16 x 16 sums and a barrier.
      const int tile_m = name == std::string("gemm_64.cubin") ? 64 : 128;
      const int slabs = (tile_m + 64) * 32 * 2 + 8 * 16 * 16 * 4 + 8;
      CHECK(kernel.shared_bytes >= (kernel.name == "multiply" ? slabs : 0));
      CHECK(kernel.shared_bytes <= (kernel.name == "multiply" ? slabs : 0) + 1024);
    }
    CHECK(sizes == std::map<std::string, std::vector<int>>{{"multiply", {128, 128, 8, 4, 4, 4}},
                                                           {"sum", {48}}});
  }
}

TEST_CASE("a truncated or altered image is read as far as it goes, or is no cubin") {
  const std::string whole = testing::made_up_gemm_cubin();
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto read = [&] { return kernels_of_cubin(whole.substr(0, length)).size(); };
    if (length < sizeof(Elf64_Ehdr)) {
      CHECK(testing::contains(testing::error_message_of(read), "is no cubin"));
    } else {
      CHECK(read() <= 2);
    }
  }
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string altered = whole;
    for (int i = 0; i < 3; ++i) {
      altered[random.next() % altered.size()] = static_cast<char>(random.next() % 256);
    }
    try {
      kernels_of_cubin(altered);
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::Usage);
    }
  }
}

}  // namespace
