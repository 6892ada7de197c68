#include "harness/cubin_plan.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "store/cubin_manifest_file.hpp"
#include "support/cubin_folder.hpp"
#include "support/error_message.hpp"
#include "support/golden.hpp"
#include "tile/plan/grid_proof.hpp"

using namespace tilewright;
using testing::contains;
using testing::CubinFolder;
using testing::error_message_of;
using testing::replaced;

namespace {

Workload product(int64_t m, int64_t n, int64_t k) {
  return workload_of(Problem{.shape = {m, n, k}});
}

std::vector<AxisValue> values(int64_t tile_m, int64_t parts) {
  return {{"tile_m", tile_m}, {"parts", parts}};
}

std::string list_text(const auto& list) {
  std::vector<std::string> parts;
  for (const auto one : list) parts.push_back(format("{}", one));
  return "[" + join(parts, ", ") + "]";
}

std::string value_text(const CubinArgument& argument) {
  constexpr std::string_view kMemory[] = {"a",    "b",       "c",       "d",
                                          "bias", "scale_a", "scale_b", "workspace"};
  const std::string_view type = kArgumentTypes[static_cast<size_t>(argument.type)];
  const std::string memory =
      format("{} {}+{}", type, kMemory[static_cast<size_t>(argument.memory)], argument.offset);
  if (argument.type == ArgumentType::Pointer) return memory;
  if (argument.type != ArgumentType::TensorMap) return format("{} {:#x}", type, argument.bits);
  const CubinTensorMap& map = argument.map;
  return format("{} {} extents {} strides {} box {} swizzle {}", memory, to_string(map.element),
                list_text(map.extents), list_text(map.strides), list_text(map.box),
                map.swizzle_bytes);
}

std::string argument_text(const CubinArgument& argument) {
  return format("{}+{}: {}", argument.parameter, argument.at, value_text(argument));
}

std::string plan_text(const CubinPlan& plan) {
  std::string text = format("workspace {} bytes, aligned to {}, init {}\n", plan.workspace_bytes,
                            plan.workspace_alignment, plan.workspace_init);
  for (const CubinLaunch& launch : plan.launches) {
    text += format("{} of {} grid {} block {} cluster {} shared memory {} parameters {}\n",
                   launch.entry, launch.cubin.substr(launch.cubin.rfind('/') + 1),
                   list_text(launch.grid), list_text(launch.block), list_text(launch.cluster),
                   launch.shared_memory, list_text(launch.parameter_bytes));
    for (const CubinArgument& argument : launch.arguments) {
      text += format("  {}\n", argument_text(argument));
    }
  }
  return text;
}

TEST_CASE("a plan has the numbers of the problem in place of expressions") {
  const CubinFolder folder;
  const CubinManifest manifest = load_cubin_manifest(folder.file());
  const std::string text = plan_text(plan_cubins(manifest, product(1000, 520, 264), values(64, 4)));
  const std::string difference = golden_difference("cubin_gemm.plan", text);
  CHECK_MESSAGE(difference.empty(), difference);
}

TEST_CASE(
    "every plan's grid holds one CTA for each tile and part, and the mapping is a bijection") {
  const CubinFolder folder;
  const CubinManifest manifest = load_cubin_manifest(folder.file());
  for (const int64_t m : {1, 63, 64, 65, 1000}) {
    for (const int64_t n : {1, 64, 129}) {
      for (const int64_t k : {8, 100, 264}) {
        for (const int64_t tile_m : {64, 128}) {
          for (const int64_t parts : {1, 4}) {
            const Workload workload = product(m, n, k);
            CAPTURE(to_string(workload));
            // Rows of A and B have k elements, of two bytes; TMA needs multiples of 16 bytes.
            if (k % 8 != 0) {
              const std::string why =
                  error_message_of([&] { plan_cubins(manifest, workload, values(tile_m, parts)); });
              CHECK(contains(why, "gemm.yaml:15: 'lda % 8 == 0' does not hold; lda = 100"));
              continue;
            }
            const CubinPlan plan = plan_cubins(manifest, workload, values(tile_m, parts));
            const TileCoord grid{static_cast<int>((m - 1) / tile_m + 1),
                                 static_cast<int>((n - 1) / 64 + 1)};
            REQUIRE(plan.launches.size() == 2);
            CHECK(plan.launches[0].grid == CubinExtents{int64_t{grid.m} * grid.n, 1, parts});
            CHECK(plan.launches[1].grid[0] == (m * n + 255) / 256);
            CHECK(plan.workspace_bytes == 4 * parts * m * n);
            const ForeignMapping mapping = mapping_of(manifest, workload, values(tile_m, parts));
            CHECK(mapping.tile_m == tile_m);
            CHECK(prove_order(mapping.tiles, grid).bijective);
          }
        }
      }
    }
  }
}

TEST_CASE("what a problem breaks is a sentence with the place and the values") {
  struct Breach {
    std::string from;
    std::string to;
    std::string sentence;
  };
  const std::vector<Breach> breaches = {
      {"when: tile_m == 64", "when: tile_m == 32", "gemm.yaml:19: no kernel is for tile_m=64"},
      {"cubin: gemm_64.cubin", "cubin: fixed.cubin",
       "fixed.cubin was compiled for 128 threads in a CTA, and block has 256"},
      {"block: 256", "block: 2048", "gemm.yaml:20: block '2048' is 2048, not 1 to 1024"},
      {"block: 256", "block: [256, 8]", "a CTA has 2048 threads; at most 1024 are possible"},
      {"block: 256", "block: 256\n    cluster: [3]",
       "the grid's 8 CTAs along x are no multiple of the cluster's 3"},
      {"block: 256", "block: 256\n    shared_memory: 2 - k", "is -254, not 0 to 1048576; k = 256"},
      {"{i32: k_part}", "{i32: k_part, divisible_by: 512}",
       "'k_part' is 64, and the cubin needs a multiple of 512; k_part = 64"},
      {"{i32: k_part}", "{i32: k_part * 100000000}", "is 6400000000, not -2147483648 to"},
      {"{i32: k_part}", "{u32: 0 - k}", "u32 '0 - k' is -256, not 0 to"},
      {"{i32: k_part}", "{i32: k / (k - 256)}", "divides by 0; k = 256"},
      {"{at: 16, i32: m}", "{at: 16, u8: 2 * m}", "u8 '2 * m' is 256, not 0 to 255; m = 128"},
      {"{at: 16, i32: m}", "{at: 16, u16: 1024 * m}", "is 131072, not 0 to 65535; m = 128"},
      {"{at: 32, i64: ldd}", "{at: 32, i64: ldd + 1, divisible_by: 8}",
       "'ldd + 1' is 257, and the cubin needs a multiple of 8; ldd = 256"},
      {"strides: [2 * lda]", "strides: [lda + 1]", "is 257 bytes, no multiple of 16; lda = 256"},
      {"box: [32, tile_m]", "box: [512, tile_m]", "box '512' is 512, not 1 to 256"},
      {"box: [32, tile_m]", "box: [3, tile_m]", "rows of 6 bytes, no multiple of 16"},
      {"box: [32, tile_m]", "box: [32, tile_m], swizzle: 32", "longer than its swizzle of 32"},
      {"bytes: 4 * parts * m * n", "bytes: m - 1000", "scratch 'm - 1000' is -872"}};
  const CubinFolder folder;
  const std::string text = testing::cubin_gemm_text();
  for (const Breach& breach : breaches) {
    CAPTURE(breach.to);
    const CubinManifest manifest =
        load_cubin_manifest(folder.manifest(replaced(text, breach.from, breach.to)));
    const std::string why =
        error_message_of([&] { plan_cubins(manifest, product(128, 256, 256), values(64, 4)); });
    CHECK_MESSAGE(contains(why, breach.sentence), why);
    CHECK_MESSAGE(contains(why, "gemm.yaml:"), why);
  }
}

TEST_CASE("an address that a cubin's specialisation does not allow is refused before a launch") {
  const CubinFolder folder;
  const CubinManifest manifest = load_cubin_manifest(folder.manifest(
      replaced(testing::cubin_gemm_text(), "pointer: d}", "pointer: d, divisible_by: 64}")));
  const CubinPlan plan = plan_cubins(manifest, product(128, 64, 64), values(128, 1));
  alignas(256) static char memory[1024];
  const void* a = memory;
  const void* b = memory;
  for (int offset = 0; offset < 512; offset += 8) {
    void* d = memory + offset;
    const TilewrightHarnessOperands operands{.abi_version = TILEWRIGHT_HARNESS_ABI,
                                             .struct_size = sizeof(TilewrightHarnessOperands),
                                             .a = &a,
                                             .b = &b,
                                             .c = nullptr,
                                             .d = &d,
                                             .bias = nullptr,
                                             .scale_a = nullptr,
                                             .scale_b = nullptr,
                                             .workspace = memory,
                                             .row_offsets = nullptr};
    CHECK(misaligned_address(plan, operands).empty() == (offset % 64 == 0));
  }
}

}  // namespace
