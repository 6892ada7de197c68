// Fuzzes every format that the program reads, with libFuzzer. --format=NAME selects one; its rows
// below are the commands that read the input and then price, prove, print and draw it. A finding is
// a command that ends by a signal, with exit code 7, or after more than --seconds=S of processor
// time. `tests/fuzz/run S` runs every format for S seconds, starting from the repository's own
// files; --list prints the formats, --seeds=FOLDER writes a format's first inputs.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "exchange/vllm_file.hpp"
#include "harness/cubin_image.hpp"
#include "harness/cubin_plan.hpp"
#include "layout/text/layout_dialect.hpp"
#include "layout/text/layout_report.hpp"
#include "record/document.hpp"
#include "store/cubin_manifest_file.hpp"
#include "store/device_preset.hpp"
#include "store/record_store.hpp"
#include "support/made_up_cubin.hpp"
#include "worker/messages.hpp"
#include "worker/worker_runner.hpp"

namespace tilewright {
namespace {

struct Row {
  std::string_view format;
  std::string_view words;  // FILE: a file with the input; TEXT: the input; OUT/: a folder
};

constexpr Row kRows[] = {
    {"best", "best 4096x4096x4096 --from FILE"},
    {"best", "best 512x512x64 --from FILE --export json"},
    {"best", "best 4096x4096x4096 --from FILE --export yaml"},
    {"best", "best 4096x4096x4096 --from FILE --export cpp"},
    {"best", "best 4096x4096x4096 --from FILE --export cutlass"},
    {"best", "best 4096x4096x4096 --from FILE --export triton"},
    {"best", "best 4096x4096x4096 --from FILE --export nvfuser"},
    {"best", "bench 512x512x64 --from FILE --device h200 --format json"},
    {"best", "tune 64x64x64 --config cta=64x64x64,raster=row --device h200 -o FILE"},
    {"store", "merge FILE -o OUT/merged.jsonl --best OUT/best.yaml"},
    {"store", "tune 256x256x256 --replay FILE --device h200 --rounds 2"},
    {"baseline", "gate SUITE --mode static --baseline FILE --device h200"},
    {"baseline",
     "gate SUITE --mode static --baseline FILE --device h200 --format json --junit OUT/j.xml "
     "--summary OUT/s.md"},
    {"suite", "gate FILE --mode static --device h200 --baseline OUT/none.yaml"},
    {"suite", "gate FILE --mode static --device h200 --baseline OUT/b.yaml --update"},
    {"problems", "tune @FILE --device h200 --dry-run"},
    {"problems", "bench @FILE --device h200 --config cta=128x128x64,raster=row"},
    {"problems", "analyze schedule @FILE --device h200 --cta 128x128x64"},
    {"device", "device FILE"},
    {"device", "device FILE --format json"},
    {"device", "bench 512x512x512 --config cta=128x128x64,raster=row --device FILE"},
    {"device", "analyze schedule 1000x1000x1000 --cta 128x128x64 --device FILE --format json"},
    {"cubins", "analyze grid 512x520x264 --from-harness FILE"},
    {"trace", "draw trace FILE --device h200 -o OUT/x.svg"},
    {"order", "analyze grid 5x6 --raster file:FILE --order --format json"},
    {"order", "analyze grid 5x6 --raster file:FILE --device h200 --cta 128x256x64 --k 512"},
    {"order", "draw grid 5x6 --raster file:FILE -o OUT/x.svg"},
    {"work", "analyze schedule 512x768x256 --from FILE --cta 128x128x64 --device h200"},
    {"work", "draw schedule 512x768x256 --from FILE --cta 128x128x64 --device h200 -o OUT/x.svg"},
    {"addresses", "analyze access --op ld.v4 --file FILE"},
    {"addresses", "analyze access --op ld.b32 --space global --file FILE --format json"},
    {"addresses", "draw access --op ldmatrix.x4 --file FILE -o OUT/x.svg"},
    {"layout", "analyze layout TEXT --explain"},
    {"layout", "analyze layout TEXT --dtype f16 --access ld.v4 --format json"},
    {"layout", "analyze layout TEXT --equal (8,8):(8,1)"},
    {"layout", "draw layout TEXT -o OUT/x.svg"},
    {"nested", "analyze nested TEXT --levels"},
    {"nested", "analyze nested TEXT --access ld.v2 --dtype f16 --space global --format json"},
    {"nested", "draw nested TEXT -o OUT/x.svg"},
    {"config", "bench 1024x1024x1024 --device h200 --config TEXT"},
    {"config", "analyze schedule 1024x512x1024 --device h200 --config TEXT --format json"},
    {"config", "tune 256x256x256 --device h200 --config TEXT --dry-run"},
    {"problem", "analyze schedule TEXT --cta 128x128x64 --device h200"},
    {"problem", "draw schedule TEXT --cta 128x128x64 --device h200 -o OUT/x.svg"},
    {"raster", "analyze grid 13x10 --raster TEXT --order"},
    {"raster", "draw grid 13x10 --raster TEXT --ctas 32 -o OUT/x.svg"},
    {"decomposition",
     "analyze schedule 512x512x4096 --cta 128x128x64 --device h200 --decomposition TEXT"},
    {"swizzle", "analyze swizzle --dtype f16 --tile 8x64 --vector 8 --write st.v4 --read TEXT"},
    {"swizzle", "analyze swizzle --tile 32x16 --dtype f32 --swizzle TEXT"},
    {"check", "analyze grid 13x10 --check TEXT"},
    {"sweep", "analyze schedule 1024x1024x4096 --cta 128x256x64 --device h200 --sweep TEXT"},
    {"sweep", "analyze grid 16x16 --device h200 --cta 128x256x64 --k 512 --sweep TEXT"},
};

// Formats that functions below read, and no command.
constexpr std::string_view kWithoutRows[] = {"worker", "cubin", "vllm"};

bool contains_word(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A format's first input: a file of the repository, a command that writes one, or a text.
struct Seed {
  std::string_view format;
  std::string_view file = {};
  std::string_view command = {};
  std::string_view text = {};
};

const Seed kSeeds[] = {
    {.format = "best", .file = "presets/tuned/h200.yaml"},
    {.format = "store", .file = "tests/data/made_up_store.jsonl"},
    {.format = "baseline",
     .command = "gate SUITE --mode static --device h200 --update --baseline OUT/seed"},
    {.format = "suite", .file = "presets/suites/smoke.yaml"},
    {.format = "problems",
     .text = "schema: tilewright.problems/1\nabout: >-\n  Every key.\nop: syrk\nproblems:\n"
             "  - 256x256x64\n  - {problem: 128x128x64, op: her2k, uplo: upper}\n"
             "  - {problem: 64x512x64, op: gemm, dtype: e4m3, out_dtype: f32, layout: tn}\n"
             "  - {problem: 64x128x64, op: gemm, dtype: f16, layout: nn, bias: true}\n"},
    {.format = "problems", .file = "presets/problems/seed-003.yaml"},
    {.format = "problems",
     .text = "schema: tilewright.problems/1\nproblems:\n  - &a {group: [8x64x64, 0x64x64]}\n"
             "  - *a\n"},
    {.format = "device", .file = "presets/devices/h200.yaml"},
    {.format = "device", .file = "presets/devices/a100.yaml"},
    {.format = "cubins", .file = "presets/harness/cubin_gemm/cubin_gemm.yaml"},
    {.format = "cubins",
     .text = "schema: tilewright.cubins/1\nname: x\nop: [gemm]\ndtype: [bf16, e4m3]\nout_dtype: "
             "[f32]\nlayout: [tn, nt]\nepilogue: [beta, bias]\naxes: {a: [1, 2], b: [64]}\n"
             "configs: [{a: 2, b: 64}]\nconstraints: [m % a == 0]\nlaunches:\n  - kernels:\n"
             "      - {when: k % 16 == 0, cubin: gemm_64.cubin, entry: sum, block: [32, 4], grid: "
             "[m, n], cluster: 2, shared_memory: b, requires: [ldd > 0]}\n    cooperative: true\n"
             "    programmatic: true\n    arguments: [{struct: 48, fields: [{at: 0, pointer: c}, "
             "{at: 8, u16: m}, {at: 11, u8: a}, {at: 12, u32: m}, {at: 16, i32: n}, {at: 24, u64: "
             "lda, divisible_by: 8}, {at: 36, i32: -a}, {at: 44, f32: beta}]}]\n"},
    {.format = "trace", .file = "tests/data/made_up_trace.json"},
    {.format = "order", .text = "m,n,slot\n0,0,1\n1,0,0\n"},
    {.format = "order", .text = "{\"order\": [[0, 0], null, {\"m\": 1, \"n\": 0}]}"},
    {.format = "work", .text = "0 0 0 0 0 1\n"},
    {.format = "work", .text = "cta,m,n\n0,0,0\n1,1,2\n"},
    {.format = "work", .text = "[[{\"m\": 0, \"n\": 0, \"k_begin\": 0, \"k_end\": 4}], []]"},
    {.format = "addresses",
     .text = "0,16,32,48,64,80,96,112,-1,-1,-1,-1,-1,-1,-1,-1,0,16,32,48,"
             "64,80,96,112,128,144,160,176,192,208,224,240\n"},
    {.format = "layout", .text = "(8,64):(64,1)"},
    {.format = "layout", .text = "composition((6,2):(8,2), (4,3):(3,1))"},
    {.format = "layout", .text = "Sw<3,3,3> o 0 o ((8,2),64):((64,512),1)"},
    {.format = "layout",
     .text = "cute.make_composed_layout(cute.make_swizzle(3, 2, 3), 0, cute.make_layout((8, 32), "
             "stride=(32, 1)))"},
    {.format = "layout",
     .text = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
             "order = [1, 0]}>"},
    {.format = "layout",
     .text = "make_tiled_copy(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, Layout<Shape<_32,_1>>{}, "
             "Layout<Shape<_1,_8>>{})"},
    {.format = "layout",
     .text = "TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2,_2,_1>>>"},
    {.format = "layout",
     .text = "local_tile(Sw<3,3,3> o 0 o (64,128):(128,1), Shape<_8,_16,_32>{}, make_coord(2, 0, "
             "_), Step<_1, X, _1>{})"},
    {.format = "layout",
     .text = "%p = linalg.pack %s outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = "
             "[16, 4] into %d : tensor<64x32xf32> -> tensor<8x4x16x4xf32>"},
    {.format = "layout",
     .text = "#iree_encoding.layout<[#iree_cpu.cpu_encoding_resolver<configuration = "
             "{encoding_info = {innerDimsPos = [1, 0], innerTileSizes = [16, 8], outerDimsPerm = "
             "[1, 0]}}>]>"},
    {.format = "layout",
     .text = "#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16, operand_index = 0, col_major = true>"},
    {.format = "nested",
     .text = "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
             "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides "
             "= [1, 0], thread_strides = [1, 16]>"},
    {.format = "config",
     .text = "family=sm90,cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,raster="
             "swizzle-merge:8,4@n,l2_promotion=128,evict_first=a,decomposition=split-k:2:serial"},
    {.format = "config", .text = "family=sm80,cta=128x128x32,warps=2x2,stages=4,raster=row"},
    {.format = "problem", .text = "1152x768x128,1152x768x1024"},
    {.format = "raster", .text = "split-merge:4x2@n"},
    {.format = "raster", .text = "cutlass3:4@m"},
    {.format = "decomposition", .text = "stream-k:two-tile:workspace"},
    {.format = "decomposition", .text = "split-k:4:serial-tma"},
    {.format = "swizzle", .text = "ld.v4"},
    {.format = "swizzle", .text = "ldmatrix.x4@col"},
    {.format = "swizzle", .text = "4,0,4"},
    {.format = "check", .text = "waste_pct<=5.5"},
    {.format = "sweep", .text = "splits=1..8"},
    {.format = "sweep", .text = "k=64..4096*2"},
    {.format = "cubin"},
    {.format = "vllm",
     .text =
         "{\"triton_version\": \"3.5.0\",\n\"64\": {\"BLOCK_SIZE_M\": 64, \"BLOCK_SIZE_N\": 128, "
         "\"BLOCK_SIZE_K\": 128, \"GROUP_SIZE_M\": 32, \"num_warps\": 4, \"num_stages\": 2}}\n"},
    {.format = "vllm",
     .text =
         "E=8,N=64,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128, 128],"
         "per_channel_quant=True_down.json\n{\"1\": {\"BLOCK_SIZE_M\": 16, \"BLOCK_SIZE_N\": 32, "
         "\"BLOCK_SIZE_K\": 64, \"GROUP_SIZE_M\": 1, \"num_warps\": 4, \"num_stages\": 2, "
         "\"SPLIT_K\": 1, \"USE_TMA\": true, \"num_ctas\": 1, \"waves_per_eu\": 0, "
         "\"matrix_instr_nonkdim\": 16, \"kpack\": 2}}\n"},
    {.format = "worker",
     .text = "{\"answer\":{\"method\":{\"timer\":\"t\",\"regime\":\"r\",\"data\":\"d\","
             "\"reference\":\"f\"},\"references\":[{\"name\":\"lt\",\"algorithm\":1}]}}\n"
             "{\"answer\":[{\"registers\":1,\"spill_bytes\":0,\"smem_bytes\":1,\"cached\":"
             "true}]}\n{\"answer\":{\"ok\":true,\"rel_error\":0.1}}\n"
             "{\"answer\":[[1.5,0,0]]}\n{\"answer\":[{\"counters\":null}]}\n"
             "{\"answer\":{\"why_not\":\"x\"}}\n{\"answer\":[[0,0,0,0,0,true,0,1,0,1,0]]}\n"},
};

std::string wanted_format = "layout";  // NOLINT: set once, before the first input
double most_seconds = 5;               // NOLINT
std::filesystem::path scratch;         // NOLINT

std::string word_of(std::string_view word, const std::string& file, const std::string& text) {
  std::string filled(word);
  const auto replace = [&filled](std::string_view from, const std::string& to) {
    const size_t at = filled.find(from);
    if (at != std::string::npos) filled.replace(at, from.size(), to);
  };
  if (word == "TEXT") return text;
  replace("SUITE", TILEWRIGHT_SOURCE_DIR "/presets/suites/smoke.yaml");
  replace("FILE", file);
  replace("OUT", scratch.string());
  return filled;
}

[[noreturn]] void find(const std::string& command, const std::string& why) {
  std::fprintf(stderr, "finding: tilewright %s: %s\n", command.c_str(), why.c_str());
  std::abort();
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Runs a command as main does and discards its output.
void run(const Row& row, const std::string& file, const std::string& text) {
  std::vector<std::string> words = {"tilewright"};
  for (const std::string_view word : split(row.words, ' ')) {
    words.push_back(word_of(word, file, text));
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  ExitCode code = ExitCode::Good;
  std::string why;
  const std::clock_t begin = std::clock();
  try {
    code = run_command_line(static_cast<int>(arguments.size()), arguments.data(), console);
  } catch (const Error& error) {
    code = error.code();
    why = error.what();
  } catch (const std::exception& error) {
    code = ExitCode::Internal;
    why = error.what();
  }
  const std::string command(row.words);
  if (code == ExitCode::Internal || code == ExitCode::WrongResult) find(command, why);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (seconds > most_seconds) find(command, format("takes {:.1f} s", seconds));
}

// Uses the input as the answers of a worker process, line by line, and as questions to one.
void answer_as_worker(const std::string& file, const std::string& text) {
  const auto ask = [](const auto& question) {
    try {
      question();
    } catch (const Error& error) {
      if (error.code() == ExitCode::Internal) find("worker", error.what());
    }
  };
  const std::unique_ptr<Runner> runner = make_worker_runner(
      {"/bin/cat", file}, load_device_preset("h200"), {.launch_s = 1, .other_s = 1});
  const TileConfig config{.cta = {64, 64, 64}, .cluster = {}, .stages = 3, .raster = {}};
  const std::vector<Contender> field = {
      {.name = "ours", .config = config, .reference_algorithm = -1}};
  ask([&] {
    runner->prepare(Problem{{256, 256, 256}});
    runner->build(std::vector<TileConfig>{config});
    runner->verify(field[0]);
    runner->time_round(field);
    runner->count(field);
    runner->measure_energy(field[0], 0.1);
    runner->trace(field[0]);
  });
  for (const std::string_view line : split(text, '\n')) {
    const auto message = Node::find_json(line, "a message", 1);
    if (!message) continue;
    ask([&] { read_workload(message->at("workload")); });
    ask([&] { record_from<Contender>(message->at("contender")); });
    ask([&] { trace_from(message->at("answer")); });
  }
}

// Plans the first configs of a manifest for problems of several sizes. The cubins that the seeds
// name lie beside it.
void plan_manifest(const std::string& file) {
  try {
    const CubinManifest manifest = load_cubin_manifest(file);
    for (const GemmShape shape : {GemmShape{512, 520, 264}, GemmShape{96, 64, 100}}) {
      const Workload workload = workload_of(Problem{.shape = shape});
      plan_cubins(manifest, workload, first_legal(manifest.description, workload, {}).values);
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) find("a manifest's plan", error.what());
  }
}

// The kernels of any bytes.
void read_cubin(const std::string& image) {
  try {
    kernels_of_cubin(image);
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) find("a cubin", error.what());
  }
}

// The rows of a file for vLLM print and are read back; so is its name, the input's first line.
void read_vllm(const std::string& text) {
  const size_t end = text.find('\n');
  const std::optional<VllmFileName> name = parse_vllm_file_name(text.substr(0, end));
  if (name && parse_vllm_file_name(to_string(*name)) != name) {
    find("a file for vLLM", to_string(*name) + " is read as another name");
  }
  const std::string rows = name ? text.substr(std::min(end, text.size())) : text;
  const VllmFileName read_as = name.value_or(VllmFileName{});
  try {
    const std::string printed = print_vllm_rows(parse_vllm_file(rows, "input", read_as).rows);
    if (print_vllm_rows(parse_vllm_file(printed, "printed", read_as).rows) == printed) return;
    find("a file for vLLM", "is read as another one");
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) find("a file for vLLM", error.what());
  }
}

// Any text must be a usage error or a value that prints and parses back.
void read_back(const std::string& text) {
  try {
    Derivation why;
    const LayoutValue value = read_layout(text, &why);
    const auto* const layout = std::get_if<ComposedLayout>(&value);
    if (layout == nullptr) return;
    for (const std::string& printed :
         {to_string(*layout), print_layout(*layout, LayoutDialect::CuteCpp)}) {
      if (as_layout(read_layout(printed), "the printed layout") == *layout) continue;
      find("analyze layout", printed + " is read as another layout");
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::Usage) find("analyze layout", error.what());
  }
}

void write_seeds(const std::filesystem::path& folder) {
  int number = 0;
  for (const Seed& seed : kSeeds) {
    if (seed.format != wanted_format) continue;
    std::string text(seed.text);
    if (seed.format == "cubin") text = testing::made_up_gemm_cubin();
    if (!seed.command.empty()) {
      run({seed.format, seed.command}, "", "");
      text = read_file(scratch / "seed");
    }
    if (!seed.file.empty()) text = read_file(TILEWRIGHT_SOURCE_DIR "/" + std::string(seed.file));
    write(folder / format("seed-{}", number++), text);
  }
}

void list_formats() {
  std::string_view last;
  for (const Row& row : kRows) {
    if (row.format != last) std::printf("%s\n", std::string(row.format).c_str());
    last = row.format;
  }
  for (const std::string_view format : kWithoutRows) std::printf("%s\n", format.data());
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace tilewright;
  std::string seeds;
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (word == "--list") {
      list_formats();
      std::exit(0);
    }
    if (word.rfind("--seeds=", 0) == 0) seeds = word.substr(8);
    if (word.rfind("--format=", 0) == 0) wanted_format = word.substr(9);
    if (word.rfind("--seconds=", 0) == 0) most_seconds = std::atof((*argv)[i] + 10);
  }
  std::string folder = (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  scratch = folder;
  std::atexit([] { std::filesystem::remove_all(scratch); });
  for (const char* const cubin : {"gemm_64.cubin", "gemm_128.cubin"}) {
    write(scratch / cubin, testing::made_up_gemm_cubin());
  }
  const auto is_wanted = [](const Row& row) { return row.format == wanted_format; };
  const bool has_rows = std::any_of(std::begin(kRows), std::end(kRows), is_wanted);
  if (!has_rows && !contains_word(kWithoutRows, wanted_format)) {
    std::fprintf(stderr, "unknown format %s\n", wanted_format.c_str());
    std::exit(1);
  }
  if (!seeds.empty()) {
    write_seeds(seeds);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tilewright;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool is_file =
      contains_word(kWithoutRows, wanted_format) ||
      std::any_of(std::begin(kRows), std::end(kRows), [](const Row& row) {
        return row.format == wanted_format && row.words.find("FILE") != std::string_view::npos;
      });
  // The name ends in .yaml because the program distinguishes device files from presets by their
  // names; it distinguishes CSV from JSON by content.
  const std::string file = (scratch / "input.yaml").string();
  if (!is_file && text.find('\0') != std::string::npos) return 0;
  for (const Row& row : kRows) {
    if (row.format != wanted_format) continue;
    if (is_file) write(file, text);  // a command may have rewritten it
    run(row, file, text);
  }
  if (wanted_format == "layout") read_back(text);
  if (wanted_format == "cubins") plan_manifest(file);
  if (wanted_format == "cubin") read_cubin(text);
  if (wanted_format == "vllm") read_vllm(text);
  if (wanted_format == "worker") {
    write(file, text);
    answer_as_worker(file, text);
  }
  return 0;
}
