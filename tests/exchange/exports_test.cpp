#include "exchange/exports.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "search/complete.hpp"
#include "search/rank.hpp"
#include "stats/random.hpp"
#include "store/dispatch.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/legality.hpp"

namespace tilewright {
namespace {

using testing::contains;

const std::string kPresets = std::string(TILEWRIGHT_SOURCE_DIR) + "/presets/tuned/";

std::vector<TuneEntry> tuned_products() {
  std::vector<TuneEntry> entries = load_best(kPresets + "h200-dense.yaml").entries;
  for (const TuneEntry& entry : load_best(kPresets + "h200-fp8.yaml").entries) {
    entries.push_back(entry);
  }
  return entries;
}

TuneEntry entry_of(const std::string& shape, const std::string& config) {
  TuneEntry entry;
  entry.problem = workload_of({.shape = parse_shape(shape)});
  entry.choice = config_of(parse_config("family=sm90,l2_promotion=128," + config));
  return entry;
}

Dispatched tuned(const TuneEntry& entry) {
  return {.entry = entry, .source = DispatchSource::Tuned, .from = entry.problem};
}

std::string cutlass(const std::string& shape, const std::string& config) {
  return export_cutlass(tuned(entry_of(shape, config))).text;
}

TEST_CASE("every export of a tuned product has a text, or a reason for each config") {
  int64_t with_words = 0;
  for (const TuneEntry& entry : tuned_products()) {
    for (const auto make : {export_cutlass, export_triton, export_nvfuser}) {
      const Export made = make(tuned(entry));
      if (!made.text.empty()) ++with_words;
      if (made.text.empty()) CHECK(made.unsupported.size() == 1 + entry.ties.size());
      // The text also lists what it could not express.
      if (!made.text.empty()) CHECK(contains(made.text, "not expressible: "));
    }
  }
  CHECK(with_words >= 60);
}

// A text's words, independent of the line breaks of its comments.
std::string comment_words(const std::string& text) {
  std::string words;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view word : split(line, ' ')) {
      if (word.empty() || word == "#" || word == "//") continue;
      words += words.empty() ? "" : " ";
      words += word;
    }
  }
  return words;
}

TEST_CASE("an export names a faster library in a comment") {
  TuneEntry entry = entry_of("4096x2048x4096",
                             "cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,"
                             "raster=split-merge:4,decomposition=data-parallel");
  for (const double ratio : {0.97, 1.03}) {
    entry.reference =
        ReferenceResult{"cublasLt/7", 100, {ratio, {ratio - 0.01, ratio + 0.01}}, std::nullopt};
    const std::string sentence = format(
        "the library was faster: cublasLt/7 takes {:.3f} of this config's time (95 % interval "
        "{:.3f} to {:.3f}).",
        ratio, ratio - 0.01, ratio + 0.01);
    for (const auto make : {export_cutlass, export_triton, export_nvfuser}) {
      const std::string text = make(tuned(entry)).text;
      REQUIRE(!text.empty());
      CHECK(contains(comment_words(text), sentence) == (ratio < 1));
    }
    Artefact artefact;
    artefact.entries = {entry, entry};
    artefact.entries[1].problem.shapes[0].m = 100;
    artefact.entries[1].reference.reset();
    const std::string table = export_cpp(artefact, tuned(entry)).text;
    CHECK(contains(comment_words(table), "for 1 of the tuned products the library was faster") ==
          (ratio < 1));
    CHECK(contains(table, format("Source::Tuned, {:.4f}, {:.4f}, {:.4f}}}", ratio, ratio - 0.01,
                                 ratio + 0.01)));
    CHECK(contains(table, "Source::Tuned, 0.0000, 0.0000, 0.0000}"));
  }
}

TEST_CASE("a CUTLASS kernel name has the transposed tile, its line the transposed product") {
  const std::regex name(
      "gemm_(\\w+?)_\\1_f32_void_\\w+?_(\\d+)x(\\d+)x(\\d+)_(\\d)x(\\d)x1_0_..n_");
  int64_t count = 0;
  for (const TuneEntry& entry : tuned_products()) {
    const std::string text = export_cutlass(tuned(entry)).text;
    if (text.empty()) continue;
    ++count;
    std::smatch parts;
    REQUIRE(std::regex_search(text, parts, name));
    const GemmShape& s = entry.problem.shapes.front();
    CHECK(contains(text, format(" --m={} --n={} --k={} ", s.n, s.m, s.k)));
    std::set<std::string> tiles;
    for (const TileConfig& c : candidates_of(entry)) {
      const int m = c.swap_ab ? c.cta.m : c.cta.n;
      tiles.insert(format("{}x{}x{}", m, c.cta.m + c.cta.n - m, c.cta.k));
    }
    CHECK(tiles.count(format("{}x{}x{}", parts.str(2), parts.str(3), parts.str(4))) == 1);
  }
  CHECK(count >= 20);
}

TEST_CASE("golden: names as CUTLASS 4.7's generator lists them") {
  const std::string plain =
      cutlass("4096x4096x4096",
              "cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,raster=row,"
              "decomposition=data-parallel");
  CHECK(
      contains(plain,
               "--kernels=cutlass3x_sm90_tensorop_gemm_bf16_bf16_f32_void_bf16_256x128x64_1x2x1_0_"
               "tnn_align8_warpspecialized_cooperative_epi_tma "));
  CHECK(contains(plain, " --raster_order=along_m --swizzle_size=1\n"));
  const std::string swapped =
      cutlass("4096x4096x4096",
              "cta=64x256x64,cluster=1x1,stages=4,schedule=pingpong,raster=swizzle-merge:4@n,"
              "decomposition=data-parallel,swap_ab=true");
  CHECK(contains(swapped, "_64x256x64_1x1x1_0_tnn_align8_warpspecialized_pingpong_epi_tma "));
  CHECK(contains(swapped, " --raster_order=along_m --swizzle_size=4\n"));
  const std::string split =
      cutlass("512x512x16384",
              "cta=128x128x64,cluster=1x1,stages=4,schedule=cooperative,raster=col,"
              "decomposition=split-k:8:workspace");
  CHECK(contains(split, "_align8_stream_k_warpspecialized_cooperative_epi_tma "));
  CHECK(contains(split, " --raster_order=along_n --swizzle_size=1 --split_k_slices=8\n"));
  CHECK(contains(split, "not expressible: decomposition=split-k:8:workspace"));
}

// The types of the operands and of D for which GenerateSM90_TensorOp_16b_WGMMA_gemm and
// GenerateSM90_TensorOp_fp8_WGMMA_gemm of CUTLASS 4.7 emit kernels that accumulate in f32 and have
// no C, and whether they do so in all four layouts. At level 9993 they list 4014 (D of 16 bits),
// 3306 (f32), 4818 and 3762 (8-bit operands) kernels with an epilogue that stores by TMA.
struct GeneratedTypes {
  DataType operand, output;
  bool all_layouts;
};

constexpr GeneratedTypes kGenerated[] = {
    {DataType::BF16, DataType::BF16, true},  {DataType::BF16, DataType::F32, true},
    {DataType::F16, DataType::F16, true},    {DataType::F16, DataType::F32, true},
    {DataType::E4M3, DataType::BF16, false}, {DataType::E4M3, DataType::F16, false},
    {DataType::E4M3, DataType::F32, false},  {DataType::E5M2, DataType::BF16, false},
    {DataType::E5M2, DataType::F16, false},  {DataType::E5M2, DataType::F32, false}};

TEST_CASE("a kernel name has only pairs of types that CUTLASS's generator makes") {
  int64_t named = 0;
  for (const tw::ElementRecord& operand : tw::kElements) {
    for (const tw::ElementRecord& output : tw::kElements) {
      for (const MatrixLayout layout :
           {MatrixLayout::TN, MatrixLayout::NN, MatrixLayout::NT, MatrixLayout::TT}) {
        if (!operand.operand || !output.output) continue;
        const auto known = std::find_if(
            std::begin(kGenerated), std::end(kGenerated), [&](const GeneratedTypes& types) {
              return types.operand == operand.type && types.output == output.type &&
                     (types.all_layouts || layout == MatrixLayout::TN);
            });
        for (const char* const schedule : {"cooperative", "pingpong"}) {
          TuneEntry entry = entry_of(
              "4096x2048x4096", format("cta=128x128x{},cluster=1x1,stages=4,raster=row,schedule={}",
                                       128 / operand.bytes, schedule));
          entry.problem =
              workload_of({.shape = entry.problem.shapes[0],
                           .kind = normalised({.dtype = operand.type,
                                               .layout = layout,
                                               .epilogue = {.out_dtype = output.type}})});
          CAPTURE(to_string(entry.problem));
          const Export made = export_cutlass(tuned(entry));
          CHECK(made.text.empty() == (known == std::end(kGenerated)));
          const std::string types =
              format("gemm_{0}_{0}_f32_void_{1}_128x128x", operand.name, output.name);
          if (!made.text.empty()) CHECK(contains(made.text, types));
          if (made.text.empty()) CHECK(contains(made.unsupported.front(), operand.name));
          named += made.text.empty() ? 0 : 1;
        }
      }
    }
  }
  CHECK(named == 2 * (4 * 4 + 3 + 3));
}

TEST_CASE("a config that a stack cannot express gives no text and no substitute") {
  const std::string rest = "cluster=1x1,stages=4,raster=row,decomposition=data-parallel,schedule=";
  // 19 rows of tiles are not a multiple of 4: CUTLASS would run padded groups.
  CHECK(!contains(cutlass("2432x4096x512",
                          "cta=128x128x64,cluster=1x1,stages=4,raster=swizzle-merge:4,"
                          "decomposition=data-parallel,schedule=pingpong"),
                  "--raster_order"));
  CHECK(cutlass("4096x4096x4096", "cta=128x160x64," + rest + "pingpong").empty());
  CHECK(cutlass("4096x4096x4095", "cta=128x128x64," + rest + "pingpong").empty());
  const TuneEntry odd = entry_of("4096x4096x4096", "cta=128x160x64," + rest + "cooperative");
  CHECK(export_triton(tuned(odd)).text.empty());
  CHECK(contains(export_triton(tuned(odd)).unsupported.front(), "powers of two"));
  CHECK(export_nvfuser(tuned(entry_of("512x512x512", "cta=128x128x64," + rest + "pingpong")))
            .text.empty());
  TuneEntry tied = odd;
  tied.ties.push_back({odd.choice, 1.001});
  tied.ties.back().config.cta.n = 128;
  CHECK(contains(export_cutlass(tuned(tied)).substitution, "takes 1.001 of the choice's time"));
  TuneEntry group = odd;
  group.problem.shapes.push_back(group.problem.shapes.front());
  for (const auto make : {export_cutlass, export_triton, export_nvfuser}) {
    CHECK(make(tuned(group)).text.empty());
    CHECK(contains(make(tuned(group)).unsupported.front(), "a group of products"));
  }
  Artefact groups;
  groups.entries = {group};
  CHECK(export_cpp(groups, tuned(group)).text.empty());
  groups.entries.push_back(odd);
  CHECK(contains(export_cpp(groups, tuned(group)).text, "// Not contained: 1 group of products"));
}

// The fields of nvFuser's interface that a plugin sets, by its documentation.
constexpr const char* kPluginApi = R"(#pragma once
#include <array>
#include <cstdint>
#include <memory>
namespace nvfuser::matmul_heuristic_plugin {
struct KernelConfig {
  struct Problem { uint32_t m = 0, n = 0, k = 0; const char* precision = "TST"; } problem;
  std::array<uint16_t, 3> cta_tile{}, warp_tile{}, instruction_tile{}, cluster_dims{};
  uint16_t splitk_factor = 0;
  uint8_t load_stages = 0, grid_swizzle_factor = 0, cta_order = 9;
  virtual void configure() = 0;
  virtual ~KernelConfig() = default;
};
}
)";

// Prints the config of every shape on its input, then what the plugin sets for two problems.
constexpr const char* kMain = R"(
#include <iostream>
#include "table.hpp"
#include "plugin.cpp"
static_assert(tilewright_tuned::dispatch("bf16 tn", 1, 2, 3) == nullptr);
constexpr const char* kSources[] = {"tuned ", "tried ", "asked ", "range "};
void tell(uint32_t m) {
  const auto c = makeConfig();
  c->problem.m = m, c->problem.n = 2048, c->problem.k = 4096;
  c->configure();
  for (const auto& tile : {c->cta_tile, c->warp_tile, c->instruction_tile, c->cluster_dims}) {
    for (const int v : tile) std::cout << v << ' ';
  }
  std::cout << c->splitk_factor << ' ' << int(c->load_stages) << ' '
            << int(c->grid_swizzle_factor) << ' ' << int(c->cta_order) << '\n';
}
int main() {
  std::string kind;
  for (long m, n, k; std::getline(std::cin, kind, ';') && std::cin >> m >> n >> k;) {
    const auto* const row = tilewright_tuned::dispatch(kind, m, n, k);
    if (row != nullptr) std::cout << kSources[static_cast<int>(row->source)];
    std::cout << (row == nullptr ? "none" : row->config) << '\n';
    std::cin.ignore();
  }
  tell(4096);
  tell(4097);
}
)";

// Trials of all winners at products with N = K = 4096. The fewer rows a product has, the smaller
// the tile that wins; in each third trial the model's choice wins.
std::vector<Trial> made_up_trials(const Artefact& artefact) {
  std::vector<Trial> trials;
  for (int64_t m = 576; m < 4096; m = m * 5 / 4 / 8 * 8) {
    Trial trial;
    trial.problem = workload_of({.shape = {m, 4096, 4096}});
    trial.date = "2026-11-23";
    trial.predicted = config_of(parse_config("family=sm80,cta=64x64x32,stages=4,raster=row"));
    trial.times.push_back({trial.predicted, trials.size() % 3 == 2 ? 90.0 : 400.0});
    for (const TuneEntry& entry : artefact.entries) {
      const double fit = static_cast<double>(m) / (16.0 * entry.choice.cta.m);
      trial.times.push_back({entry.choice, 100 + 50 * std::abs(std::log2(fit))});
    }
    trials.push_back(trial);
  }
  return trials;
}

// The landed winners with real and made-up trials, and pinned answers: for a tuned product (after
// its own entry), for a tried one, inside a range, and far from all.
Artefact with_all_sources() {
  Artefact artefact = load_best(kPresets + "h200-dense.yaml");
  add_trials(artefact, made_up_trials(artefact));
  const GemmShape pinned[] = {artefact.entries[7].problem.shapes[0],
                              artefact.trials.back().problem.shapes[0],
                              {1001, 4096, 4096},
                              {77, 88, 99}};
  for (const GemmShape& shape : pinned) {
    TuneEntry row = entry_of("8x8x8", "cta=192x104x64,cluster=1x1,stages=3,raster=col");
    row.problem.shapes = {shape};
    row.pinned = true;
    artefact.entries.push_back(row);
  }
  return artefact;
}

// A random product of the range, sometimes a corner of it.
Workload product_in(const Bucket& bucket, Random& random) {
  const auto size = [&random](const SizeRange& range) {
    const int64_t least = (range.low + range.multiple - 1) / range.multiple;
    const int64_t most = (range.high - 1) / range.multiple;
    const uint32_t die = random.below(4);
    const int64_t any = least + random.below(static_cast<uint32_t>(most - least + 1));
    return range.multiple * (die == 0 ? least : die == 1 ? most : any);
  };
  Workload product = bucket.kind;
  product.shapes = {{size(bucket.m), size(bucket.n), size(bucket.k)}};
  return product;
}

// Ranges with a winner that is legal at all sizes.
std::set<const Bucket*> winners_ranges(const Artefact& artefact, const DeviceSpec& device) {
  std::set<const Bucket*> ranges;
  Random random(2);
  for (const Bucket& bucket : artefact.buckets) {
    bool is_legal = !bucket.by_model;
    for (int i = 0; i < 300 && is_legal; ++i) {
      is_legal = !reject_workload(product_in(bucket, random), bucket.choice, device);
    }
    if (is_legal) ranges.insert(&bucket);
  }
  return ranges;
}

// The expected answer of a table without a model, computed from the artefact.
std::string answer_by(const Artefact& artefact, const DeviceSpec& device,
                      const std::set<const Bucket*>& ranges, const Workload& asked) {
  if (const TuneEntry* const entry = find_entry(artefact, asked)) {
    return "tuned " + to_string(entry->choice);
  }
  if (const auto tried = fastest_of_trial(artefact, asked, device)) {
    return "tried " + to_string(*tried->fastest);
  }
  const Bucket* const bucket = find_bucket(artefact.buckets, asked);
  return ranges.count(bucket) == 0 ? "none" : "range " + to_string(bucket->choice);
}

// Checks that `best` gives the table's answer, except in a range where the model predicts the
// winner to be slow.
void compare_with_best(const Artefact& artefact, const DeviceSpec& device, const Workload& asked,
                       const std::string& answered) {
  CAPTURE(to_string(asked));
  const auto answer = dispatch(artefact, asked, device);
  REQUIRE(answer);
  const std::string best = to_string(answer->entry.choice);
  CHECK((answer->trial != nullptr) == (answered == "tried " + best));
  if (!answered.starts_with("range ")) return;
  const Bucket& range = *find_bucket(artefact.buckets, asked);
  const double winner_us = estimate(make_plan(asked, range.choice, device), device).us;
  const TileConfig own = complete_config({}, asked, device);
  const double own_us = estimate(make_plan(asked, own, device), device).us;
  if (winner_us <= own_us * (1 + kMaxInBucket)) CHECK(answered == "range " + best);
  CHECK((answer->bucket == &range) == (range.choice == answer->entry.choice));
}

TEST_CASE("the compiled table answers as best does, and the plugin sets its config") {
  const testing::TemporaryFolder folder;
  const Artefact artefact = with_all_sources();
  const DeviceSpec device = *device_of(artefact);
  const std::set<const Bucket*> ranges = winners_ranges(artefact, device);
  Dispatched asked{.entry = entry_of("100x200x304", "cta=64x64x64,cluster=1x1,stages=4,raster=row"),
                   .source = DispatchSource::Fallback,
                   .from = {}};
  const Export made = export_cpp(artefact, asked);
  write_file(folder.path() / "table.hpp", made.text);
  write_file(folder.path() / "matmul_heuristic_plugin_api.h", kPluginApi);
  write_file(folder.path() / "plugin.cpp",
             export_nvfuser(tuned(entry_of("4096x2048x4096",
                                           "cta=128x256x64,cluster=2x1,stages=4,"
                                           "schedule=cooperative,raster=split-merge:4,"
                                           "decomposition=split-k:2")))
                 .text);
  write_file(folder.path() / "main.cpp", kMain);

  // Many products for each source of answers, and as many with sizes or layouts of other products
  // or off by one.
  Random random(1);
  const auto one_of = [&random](const auto& all) -> const auto& {
    return all[random.below(static_cast<uint32_t>(all.size()))];
  };
  std::string input = "bf16 tn;100 200 304\n";
  std::string expected = "asked " + to_string(asked.entry.choice) + "\n";
  std::map<std::string, int64_t> counts;
  std::map<std::string, int64_t> compared;
  constexpr int kShapes = 10000;
  for (int i = 0; i < kShapes; ++i) {
    Workload product = i % 4 == 0   ? one_of(artefact.entries).problem
                       : i % 4 == 1 ? one_of(artefact.trials).problem
                                    : product_in(one_of(artefact.buckets), random);
    if (i % 5 == 3) product.shapes[0].m += int64_t{random.below(2)};
    if (i % 7 == 5) product.shapes[0].n = one_of(artefact.entries).problem.shapes[0].n;
    if (i % 11 == 7) product.kind.layout = one_of(artefact.entries).problem.kind.layout;
    const GemmShape& s = product.shapes[0];
    input += format("bf16 {};{} {} {}\n", to_string(product.kind.layout), s.m, s.n, s.k);
    const std::string answered = answer_by(artefact, device, ranges, product);
    expected += answered + '\n';
    std::string way = answered.substr(0, answered.find(' '));
    if (way == "tuned" && find_entry(artefact, product)->pinned) way = "pinned";
    ++counts[way];
    // The model needs a second for an answer.
    const int64_t most_compared = way == "range" ? 2 : way == "tried" ? 1 : 0;
    if (compared[way]++ < most_compared) {
      compare_with_best(artefact, device, product, answered);
    }
  }
  for (const char* const way : {"tuned", "pinned", "tried", "range", "none"}) {
    CAPTURE(way);
    CHECK(counts[way] > kShapes / 100);
  }
  CHECK(ranges.size() >= 5);
  const auto says = [&made](const std::string& text) {
    return std::any_of(made.unsupported.begin(), made.unsupported.end(),
                       [&text](const std::string& line) { return contains(line, text); });
  };
  CHECK(says("in which the model chooses"));
  CHECK(says(format("{} ranges, the sizes at which the model expects the winner", ranges.size())));
  write_file(folder.path() / "input", input);
  expected +=
      "128 256 64 64 256 64 64 256 16 1 2 1 2 4 4 0\n"
      "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 9\n";
  const std::string command = format(
      "cd '{}' && {} -std=c++20 -O0 -Wall -Wextra -Werror -Wno-return-type-c-linkage main.cpp "
      "-o main > log 2>&1 && "
      "./main < input > output",
      folder.path().string(), TILEWRIGHT_CXX);
  const int status = std::system(command.c_str());
  INFO(read_file(folder.path() / "log"));
  REQUIRE(status == 0);
  CHECK(read_file(folder.path() / "output") == expected);
}

// Each text ends a line, a comment, a literal or a shell word in some language.
constexpr const char* kHostile[] = {"0.1\n#error pwn",
                                    "ends in a backslash \\",
                                    "a trigraph ?\?/",
                                    "*/ int pwn; /*",
                                    "\r#error pwn",
                                    "\xe2\x80\xa8#error pwn",
                                    "\xc2\x85#error pwn",
                                    "\"; int pwn; //",
                                    "'''\nimport pwn\n\"\"\"",
                                    "$(pwn) `pwn` ; pwn & | >",
                                    "\xff\xfe",
                                    "\x1b[2K\x07",
                                    "\xe2\x80\xae nwp"};

// Replaces every text in an artefact by `text`.
Artefact with_text(Artefact artefact, const std::string& text) {
  artefact.tool_version = artefact.device.name = artefact.device.compute = text;
  artefact.method = {.timer = text, .regime = text, .data = text, .reference = text};
  for (TuneEntry& entry : artefact.entries) {
    entry.reference = ReferenceResult{text, 100, {0.9, {0.8, 0.95}}, std::nullopt};
    entry.references = {{text, 100}};
    entry.predicted.us = 100;
    entry.why_no_counters = entry.determinism = entry.required = text;
    entry.verified = Verification{true, 0.1, text};
    entry.build = BuildResult{};
    entry.build->reason = text;
    entry.considered.rejected = {{text, 1}};
  }
  for (Trial& trial : artefact.trials) trial.date = text;
  for (Bucket& bucket : artefact.buckets) bucket.date = text;
  return artefact;
}

// The lines that a compiler reads: replaces trigraphs, joins lines that end with a backslash, and
// removes comments.
std::vector<std::string> code_lines(std::string text, const std::string& comment) {
  const std::string trigraph = "?\?/";
  for (size_t at = text.find(trigraph); at != std::string::npos; at = text.find(trigraph, at)) {
    text.replace(at, trigraph.size(), "\\");
  }
  text = std::regex_replace(text, std::regex(R"(\\[ \t]*(\r\n|\n|\r))"), "");
  std::replace(text.begin(), text.end(), '\r', '\n');
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = trim(line);
    if (!code.empty() && !code.starts_with(comment)) lines.emplace_back(code);
  }
  return lines;
}

// One entry, and an answer of its winner for another product, tried and in a range.
struct Answered {
  Artefact artefact;
  Dispatched answer() const {
    return {.entry = artefact.entries[0],
            .source = DispatchSource::Dispatched,
            .from = artefact.entries[0].problem,
            .bucket = artefact.buckets.data(),
            .trial = artefact.trials.data(),
            .tuned_entry = artefact.entries.data()};
  }
  std::vector<std::string> exports() const {
    const Dispatched asked = answer();
    return {export_cpp(artefact, asked).text, export_nvfuser(asked).text,
            export_cutlass(asked).text, export_triton(asked).text,
            commented(note_lines(asked), "# ")};
  }
};

Artefact one_of_all() {
  Artefact artefact;
  artefact.device = load_best(kPresets + "h200-dense.yaml").device;
  artefact.entries = {entry_of("4096x2048x4096",
                               "cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,"
                               "raster=split-merge:4,decomposition=data-parallel")};
  Trial trial;
  trial.problem = workload_of({.shape = {2048, 2048, 4096}});
  trial.predicted = artefact.entries[0].choice;
  trial.times = {{trial.predicted, 100}};
  add_trials(artefact, {trial});
  return artefact;
}

TEST_CASE("no text of an artefact becomes code in any export") {
  const std::string usual = "2026-11-23";
  const Answered harmless{with_text(one_of_all(), usual)};
  const std::vector<std::string> as_usual = harmless.exports();
  const size_t yaml_lines = split(to_yaml(to_document(harmless.answer())), '\n').size();
  const testing::TemporaryFolder folder;
  std::string all_tables = "#include <cstdint>\n#include <string_view>\n";
  int number = 0;
  for (const std::string text : kHostile) {
    CAPTURE(text);
    const Answered hostile{with_text(harmless.artefact, text)};
    const std::vector<std::string> made = hostile.exports();
    for (size_t i = 0; i < made.size(); ++i) {
      const std::string comment = i < 2 ? "//" : "#";
      CHECK(made[i] != as_usual[i]);
      CHECK(code_lines(made[i], comment) == code_lines(as_usual[i], comment));
      CHECK(!contains(made[i], "\xe2\x80"));
      CHECK(!contains(made[i], "\xff"));
      CHECK(!contains(made[i], "\x1b"));
    }
    // YAML and JSON quote the text and, if it is UTF-8, read it back.
    const Document document = to_document(hostile.answer());
    CHECK(split(to_yaml(document), '\n').size() == yaml_lines);
    const bool is_utf8 = !text.starts_with('\xff');
    CHECK((Document::parse(to_json(document)) == document) == is_utf8);
    CHECK((parse_best(print_best(hostile.artefact), "best.yaml") == hostile.artefact) == is_utf8);
    write_file(folder.path() / format("table{}.hpp", number), made[0]);
    all_tables += format("namespace n{0} {{\n#include \"table{0}.hpp\"\n}}\n", number++);
  }
  write_file(folder.path() / "all.cpp", all_tables);
  const std::string command = format(
      "cd '{}' && {} -std=c++20 -trigraphs -fsyntax-only -Wall -Wextra -Werror all.cpp "
      "> log 2>&1",
      folder.path().string(), TILEWRIGHT_CXX);
  const int status = std::system(command.c_str());
  INFO(read_file(folder.path() / "log"));
  CHECK(status == 0);
}

// Replaces Triton if it is not installed.
constexpr const char* kTriton = R"(
class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages
)";

constexpr const char* kCheck = R"(
import sys
try:
    import triton
except ImportError:
    sys.path.append("stand_in")
    import triton
from tuned import configs
assert all(isinstance(c, triton.Config) for c in configs)
for c in configs:
    print(*(c.kwargs[k] for k in ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M")),
          c.num_stages, c.num_warps, len(c.kwargs))
)";

TEST_CASE("Triton's list can be imported and has the choice before its ties") {
  if (std::system("python3 -c 'import sys' > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: no python3 here");
    return;
  }
  TuneEntry entry = entry_of("4096x2048x4096",
                             "cta=128x256x64,cluster=2x1,stages=4,schedule=cooperative,"
                             "raster=swizzle-merge:6,decomposition=data-parallel");
  entry.ties.push_back({entry.choice, 1});
  entry.ties.back().config.cta.n = 160;
  entry.ties.push_back({entry.choice, 1});
  entry.ties.back().config.l2_promotion_bytes = 256;
  entry.ties.push_back({entry.choice, 1});
  entry.ties.back().config.schedule = KernelSchedule::PingPong;
  entry.ties.back().config.cta = {64, 128, 64};
  entry.ties.back().config.raster = parse_raster("swizzle-merge:6@n");
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "stand_in");
  write_file(folder.path() / "stand_in" / "triton.py", kTriton);
  write_file(folder.path() / "check.py", kCheck);
  const Export made = export_triton(tuned(entry));
  CHECK(contains(made.unsupported.front(), "cluster=2x1"));
  write_file(folder.path() / "tuned.py", made.text);
  const std::string command =
      format("cd '{}' && python3 check.py > output 2> log", folder.path().string());
  const int status = std::system(command.c_str());
  INFO(read_file(folder.path() / "log"));
  REQUIRE(status == 0);
  CHECK(read_file(folder.path() / "output") ==
        "128 256 64 6 4 8 4\n"
        "64 128 64 1 4 4 4\n64 128 64 4 4 4 4\n64 128 64 8 4 4 4\n64 128 64 16 4 4 4\n");
}

}  // namespace
}  // namespace tilewright
