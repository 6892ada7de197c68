#include "store/cubin_manifest_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/cubin_folder.hpp"
#include "support/error_message.hpp"

using namespace tilewright;
using testing::contains;
using testing::CubinFolder;
using testing::error_message_of;
using testing::replaced;

namespace {

struct Fault {
  std::string from;  // in cubin_gemm.yaml
  std::string to;
  std::string sentence;  // behind the file's name
};

const std::vector<Fault> kFaults = {
    {"tilewright.cubins/1", "tilewright.cubins/2", "gemm.yaml:2: schema: "},
    {"about:", "abuot:", "gemm.yaml:3: abuot: unknown key 'abuot' - did you mean 'about'?"},
    {"name: cubin_gemm", "name: my gemm", "gemm.yaml:4: name: 'my gemm' is no name"},
    {"op: [gemm]", "op: [syrk]", "gemm.yaml:5: op[0]: is not gemm, which a manifest computes"},
    {"  parts: [1, 2, 4]", "  k: [1]", "gemm.yaml:10: axes.k: is a size of the problem"},
    {"  parts: [1, 2, 4]", "  lda: [1]", "gemm.yaml:10: axes.lda: 'lda' has a value already"},
    {"  parts: [1, 2, 4]", "  min: [1]", "gemm.yaml:10: axes.min: 'min' is no name"},
    {"  tiles_m: ceil", "  tile_m: ceil", "gemm.yaml:12: let.tile_m: 'tile_m' has a value already"},
    {"ceil_div(m, tile_m)", "ceil_div(m, tiles_n)",
     "gemm.yaml:12: let.tiles_m: 'tiles_n' is not a size, an axis or a definition"},
    {"ceil_div(m, tile_m)", "ceil_div(m tile_m)",
     "gemm.yaml:12: let.tiles_m: expression 'ceil_div(m tile_m)': ',' is missing at character 12"},
    {"lda % 8 == 0", "ldx % 8 == 0", "gemm.yaml:15: requires[0]: 'ldx' is not a size"},
    {"name: partial", "name: d", "gemm.yaml:17: scratch[0].name: 'd' names memory already"},
    {"4 * parts * m * n", "4, alignment: 24", "alignment: 24 is no power of two"},
    {"4 * parts * m * n", "4, init: zero", "gemm.yaml:17: scratch[0].init: 'zero'"},
    {"- {name: partial, bytes: 4 * parts * m * n}",
     "- {name: partial, bytes: 4, init: zero-once}\n  - {name: more, bytes: 4, init: zero-each}",
     "has zero-once beside zero-each"},
    {"[tiles_m * tiles_n, 1, parts]", "[1, 1, 1, 1]",
     "gemm.yaml:19: launches[0].grid: has 4 extents, not 1 to 3"},
    {"  - grid: [tiles_m * tiles_n, 1, parts]\n    block", "  - block",
     "launches[0].kernels[0]: neither it nor its launch has a grid"},
    {"tile_m == 128", "tile_m = 128", "launches[0].kernels[0].when: expression 'tile_m = 128'"},
    {"gemm_64.cubin", "gemm_32.cubin", "gemm.yaml:23: launches[0].kernels[1].cubin: cannot read"},
    {"gemm_64.cubin", "text.cubin", "is no cubin"},
    {"entry: multiply", "entry: multiple",
     "launches[0].kernels[0].entry: gemm_128.cubin has no kernel 'multiple' - did you mean "
     "'multiply'"},
    {"      - {i32: k_part}\n", "",
     "gemm.yaml:22: launches[0].kernels[0].entry: multiply has 6 parameters in the cubin, and "
     "arguments lists 5"},
    {"{i32: k_part}", "{i64: k_part}",
     "parameter 5 of multiply has 4 bytes in the cubin, and i64 ("},
    {"{pointer: partial}", "{pointer: whole}", "arguments[2].pointer: 'whole'"},
    {"{i32: k_part}", "{int: k_part}",
     "has no type: one of pointer, tensor_map, u8, u16, i32, u32, i64, u64, f32 or struct"},
    {"{i32: k_part}", "{i32: k_part, u64: k_part}", "has two types"},
    {"{i32: k_part}", "{i32: k_part, box: [1]}", "unknown key 'box'"},
    {"{i32: k_part}", "{i32: k_part, at: 0}", "unknown key 'at'"},
    {"{i32: k_part}", "{i32: k_part, divisible_by: 0}", "divisible_by: 0 is not 1 to 65536"},
    {"struct: 48", "struct: 56", "parameter 0 of sum has 48 bytes in the cubin, and struct ("},
    {"struct: 48", "struct: 0", "launches[1].arguments[0].struct: 0 bytes are not 1 to 32764"},
    {"struct: 48", "struct: 48\n        i32: m", "unknown key 'i32'"},
    {"struct: 48", "struct: 48\n        at: 0", "unknown key 'at'"},
    {"{at: 16, i32: m}", "{i32: m}", "arguments[0].fields[2]: lacks the key 'at'"},
    {"{at: 16, i32: m}", "{at: 16, m: 4}",
     "fields[2]: has no type: one of pointer, tensor_map, u8, u16, i32, u32, i64, u64 or f32"},
    {"{at: 16, i32: m}", "{at: 12, i32: m}",
     "fields[2].at: 12 lies in the field before, which ends at 16: list fields in order"},
    {"{at: 32, i64: ldd}", "{at: 28, i64: ldd}",
     "fields[5].at: 28 is no multiple of 8, as the place of a i64 is"},
    {"{at: 40, f32: alpha}", "{at: 48, f32: alpha}",
     "fields[6].at: a f32 at 48 ends outside of the struct's 48 bytes"},
    {"{at: 40, f32: alpha}", "{at: 40, f32: gamma}", "'gamma' is neither alpha, beta nor a number"},
    {"element: bf16", "element: bf17", "element: "},
    {"extents: [k, m]", "extents: [k]", "box: has 2 dimensions, and extents 1"},
    {"strides: [2 * lda], ", "", "has 0 strides, not 1"},
    {"box: [32, tile_m]", "box: [32, tile_m], swizzle: 16",
     "swizzle: 16 is none of 0, 32, 64, 128"},
    {"tile: [tile_m, 64]", "tile: [tile_m]", "mapping.tile: is no pair of sizes, of m and n"},
    {"axes:", "default: {tile_m: 128}\naxes:", "default: lacks the key 'parts'"},
    {"axes:", "default: {tile_m: 96, parts: 1}\naxes:",
     "default.tile_m: is none of the axis's values"},
    {"axes:", "default: {tile_m: 64, parts: 1, stages: 2}\naxes:", "unknown key 'stages'"},
    {"axes:", "configs: [{tile_m: 64, parts: 1}]\ndefault: {tile_m: 128, parts: 1}\naxes:",
     "default: is none of the configs"},
    {"axes:", "default: 128\naxes:", "default: "},
    {"axes:", "needs: [bias]\naxes:", "needs[0]: 'bias' is not in epilogue"},
    {"axes:", "compiler: ' '\naxes:", "compiler: is empty"},
    {"axes:", "compiler: [triton]\naxes:", "compiler: "},
    {"m: slot / tiles_n", "m: slots / tiles_n", "mapping.m: 'slots' is not a size"},
};

TEST_CASE("every fault of a manifest has a sentence with the file, the line and the key") {
  const CubinFolder folder;
  const std::string text = testing::cubin_gemm_text();
  for (const Fault& fault : kFaults) {
    CAPTURE(fault.to);
    const std::string file = folder.manifest(replaced(text, fault.from, fault.to));
    const std::string complaint = error_message_of([&] { load_cubin_manifest(file); });
    CHECK_MESSAGE(contains(complaint, folder.file() + ":"), complaint);
    CHECK_MESSAGE(contains(complaint, fault.sentence), complaint);
  }
}

TEST_CASE("the example's manifest is read as it is written") {
  const CubinFolder folder;
  const CubinManifest manifest = load_cubin_manifest(folder.file());
  CHECK(manifest.description.name == "cubin_gemm");
  CHECK(manifest.description.maps);
  CHECK(!manifest.description.on_host);
  CHECK(manifest.description.axes ==
        std::vector<HarnessAxis>{{"tile_m", {128, 64}}, {"parts", {1, 2, 4}}});
  REQUIRE(manifest.launches.size() == 2);
  CHECK(manifest.launches[0].kernels.size() == 2);
  CHECK(manifest.launches[0].arguments[1].map.box[1].value.text == "64");
  REQUIRE(manifest.launches[1].parameters.size() == 1);
  CHECK(manifest.launches[1].parameters[0].bytes == 48);
  REQUIRE(manifest.launches[1].arguments.size() == 7);
  CHECK(manifest.launches[1].arguments[5].at == 32);
  CHECK(manifest.launches[1].arguments[6].scalar == "alpha");
}

TEST_CASE("a manifest states its default config, its compiler and what a product must have") {
  const CubinFolder folder;
  const std::string text = testing::cubin_gemm_text();
  const HarnessDescription plain = load_cubin_manifest(folder.file()).description;
  CHECK(plain.default_values.empty());
  CHECK(plain.compiler.empty());
  CHECK(plain.takes.needs.empty());
  const std::string file = folder.manifest(replaced(
      text,
      "axes:", "default: {parts: 2, tile_m: 64}\ncompiler: triton 3.9.0\nneeds: [alpha]\naxes:"));
  const HarnessDescription full = load_cubin_manifest(file).description;
  // In the order of the axes.
  CHECK(full.default_values == std::vector<AxisValue>{{"tile_m", 64}, {"parts", 2}});
  CHECK(default_config(full).build == full.build);
  CHECK(full.compiler == "triton 3.9.0");
  CHECK(full.takes.needs == std::vector<std::string>{"alpha"});
}

TEST_CASE("the build changes with a cubin's bytes and with the manifest's") {
  const CubinFolder folder;
  const std::string first = load_cubin_manifest(folder.file()).description.build;
  CHECK(load_cubin_manifest(folder.file()).description.build == first);
  write_file(folder.folder() + "/gemm_64.cubin", testing::made_up_gemm_cubin() + " ");
  const std::string second = load_cubin_manifest(folder.file()).description.build;
  CHECK(second != first);
  const std::string other = folder.manifest(testing::cubin_gemm_text() + "# more\n");
  CHECK(load_cubin_manifest(other).description.build != second);
}

}  // namespace
