#include "harness/argument_block.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "store/cubin_manifest_file.hpp"
#include "support/cubin_folder.hpp"

using namespace tilewright;

namespace {

// The parameter of the example's kernel `sum`, as a compiler lays it out.
struct Sum {
  const float* partial;
  void* d;
  int m;
  int n;
  int parts;
  int64_t ldd;
  float alpha;
};

TEST_CASE("parameters have the bytes that a compiler gives them") {
  const testing::CubinFolder folder;
  const CubinManifest manifest = load_cubin_manifest(folder.file());
  Workload workload = workload_of(Problem{.shape = {1000, 520, 264}});
  workload.kind.epilogue.alpha = 2.5F;
  const CubinPlan plan = plan_cubins(manifest, workload, {{"tile_m", 64}, {"parts", 4}});
  REQUIRE(plan.launches.size() == 2);

  alignas(256) static char memory[1024];
  const void* const a = memory;
  const void* const b = memory + 64;
  void* const d = memory + 128;
  const TilewrightHarnessOperands operands{.abi_version = TILEWRIGHT_HARNESS_ABI,
                                           .struct_size = sizeof(TilewrightHarnessOperands),
                                           .a = &a,
                                           .b = &b,
                                           .c = nullptr,
                                           .d = &d,
                                           .bias = nullptr,
                                           .scale_a = nullptr,
                                           .scale_b = nullptr,
                                           .workspace = memory + 256,
                                           .row_offsets = nullptr};
  std::vector<const void*> encoded;
  const auto encode = [&encoded](const CubinArgument&, const void* address) {
    encoded.push_back(address);
    ArgumentBlock::EncodedMap map{};
    map.fill(std::byte{static_cast<unsigned char>(encoded.size())});
    return map;
  };

  ArgumentBlock multiply(plan.launches[0], operands, encode);
  CHECK(encoded == std::vector<const void*>{a, b});
  for (int i = 0; i < 2; ++i) {
    CHECK(reinterpret_cast<uintptr_t>(multiply.pointers()[i]) % 64 == 0);
    const std::string bytes(static_cast<const char*>(multiply.pointers()[i]), 128);
    CHECK(bytes == std::string(128, static_cast<char>(i + 1)));
  }
  CHECK(*static_cast<void**>(multiply.pointers()[2]) == memory + 256);
  CHECK(*static_cast<int*>(multiply.pointers()[3]) == 1000);
  CHECK(*static_cast<int*>(multiply.pointers()[4]) == 520);
  CHECK(*static_cast<int*>(multiply.pointers()[5]) == 96);  // a quarter of 264 in steps of 32

  ArgumentBlock sum(plan.launches[1], operands, encode);
  REQUIRE(plan.launches[1].parameter_bytes == std::vector<int>{sizeof(Sum)});
  Sum given{};
  std::memcpy(&given, sum.pointers()[0], sizeof(given));
  CHECK(static_cast<const void*>(given.partial) == memory + 256);
  CHECK(given.d == d);
  CHECK(given.m == 1000);
  CHECK(given.n == 520);
  CHECK(given.parts == 4);
  CHECK(given.ldd == 520);
  CHECK(given.alpha == 2.5F);
  const std::string bytes(static_cast<const char*>(sum.pointers()[0]), sizeof(Sum));
  CHECK(bytes.substr(28, 4) == std::string(4, 0));
}

}  // namespace
