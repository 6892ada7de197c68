#include "help_topics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "base/text.hpp"
#include "help_layouts.hpp"
#include "help_scales.hpp"
#include "page/artefact_section.hpp"
#include "page/report_page.hpp"
#include "page/store_summary.hpp"
#include "store/cubin_manifest_file.hpp"
#include "store/device_preset.hpp"
#include "store/harness_json.hpp"
#include "store/suite.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/grid_proof.hpp"
#include "tile/plan/legality.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using Meanings = std::map<std::string_view, std::string_view>;

// The explanation of a word that the program's tables do not explain.
std::string meaning_in(const Meanings& meanings, std::string_view word) {
  const auto found = meanings.find(word);
  return found == meanings.end() ? std::string() : std::string(found->second);
}

// The slot of each tile, m down, n right; overhang in brackets.
std::string raster_drawing(const Raster& raster) {
  constexpr TileCoord kGrid{4, 6};
  TileCoord box = kGrid;
  const std::vector<TileCoord> order = raster_order(raster, kGrid);
  for (const TileCoord tile : order) {
    box = {std::max(box.m, tile.m + 1), std::max(box.n, tile.n + 1)};
  }
  std::vector<std::string> cells(static_cast<size_t>(box.m) * static_cast<size_t>(box.n));
  for (size_t slot = 0; slot < order.size(); ++slot) {
    const TileCoord tile = order[slot];
    cells[static_cast<size_t>(tile.m) * static_cast<size_t>(box.n) + static_cast<size_t>(tile.n)] =
        tw::is_inside(kGrid, tile) ? format("{}", slot) : format("({})", slot);
  }
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    text += format("{:>5}{}", cells[i], (i + 1) % static_cast<size_t>(box.n) == 0 ? "\n" : "");
  }
  return format("{}:\n{}", to_string(raster), text);
}

std::vector<HelpEntry> rasters() {
  std::vector<HelpEntry> entries;
  for (const tw::RasterRecord& record : tw::kRasters) {
    const std::string example = record.most_factors == 0 ? "" : record.has_axis ? ":3" : ":2";
    entries.push_back({format("{}{}", record.name, record.factors), record.meaning,
                       raster_drawing(parse_raster(record.name + example))});
  }
  const auto drawn = [](const char* raster) { return raster_drawing(parse_raster(raster)); };
  entries.push_back(
      {"F, F2, ...",
       "F: the width of a group in tiles; F2 divides each group along the other axis,\nthe next "
       "factor each of those along the first one. triton calls F G, cutlass N",
       drawn("swizzle-merge:2,3")});
  entries.push_back({"@m, @n",
                     "@m, the default: a group is F rows of tiles, visited along n; @n: F "
                     "columns,\nvisited along m",
                     drawn("swizzle-merge:3@m") + drawn("swizzle-merge:3@n")});
  entries.push_back({"file:PATH",
                     "the order of another kernel, m,n by slot in CSV or JSON; for analyze "
                     "grid\nand draw grid; exit code 1 where a tile is missing or appears twice",
                     ""});
  return entries;
}

// One row per CTA, one letter per k-step of a tile.
std::string plan_drawing(const std::string& decomposition) {
  constexpr int64_t kCtas = 4;
  const DeviceSpec device = load_device_preset("h200");
  TileConfig config;
  config.cta = {128, 128, 64};
  config.decomposition = parse_decomposition(decomposition);
  config.stages = 4;
  const bool cluster = launch_cluster_size(config) > 1;
  const Problem problem{.shape = {.m = cluster ? 256 : 1152, .n = 128, .k = 256}};
  const Plan plan = make_plan(problem, config, device, {.ctas = kCtas, .resident = kCtas});
  std::string text =
      format("{} of {} tiles of {} k-steps on {} CTAs:\n", decomposition,
             plan.problems.front().work.slots, plan.problems.front().work.k_steps, kCtas);
  const std::vector<std::vector<WorkTile>> lists = assignments(plan);
  for (size_t cta = 0; cta < lists.size(); ++cta) {
    std::string steps;
    for (const WorkTile& work : lists[cta]) {
      if (!steps.empty()) steps += ' ';
      steps += std::string(static_cast<size_t>(work.k_end - work.k_begin),
                           static_cast<char>('A' + work.m));
    }
    text += format("CTA {}  {}\n", cta, steps);
  }
  return text;
}

std::vector<HelpEntry> decompositions() {
  const Meanings meanings = {
      {"data-parallel",
       "every CTA computes whole tiles; in a last wave that is not full, CTAs are idle"},
      {"split-k",
       "every tile is divided into S slices along K, which a reduction joins; for few\ntiles with "
       "a long K. In a group, the product with the largest K has S slices,\nand the others have as "
       "many as keep their slices equally long"},
      {"stream-k",
       "the first tiles are divided by k-steps, so that all CTAs compute equally many;\nthe rest "
       "are whole tiles"},
      {"two-tile",
       "divides the tiles of the last, partial wave and of one full wave (the default)"},
      {"one-tile", "divides only the tiles of the last, partial wave"},
      {"all", "divides every tile"}};
  const Meanings forms = {{"split-k", ":S[:REDUCTION]"}, {"stream-k", "[:VARIANT][:REDUCTION]"}};
  std::vector<HelpEntry> entries;
  for (const std::string_view name : decomposition_names()) {
    entries.push_back({format("{}{}", name, meaning_in(forms, name)), meaning_in(meanings, name),
                       plan_drawing(format("{}{}", name, name == "split-k" ? ":2" : ""))});
  }
  for (const std::string_view variant : stream_k_variants()) {
    entries.push_back({format("stream-k:{}", variant), meaning_in(meanings, variant),
                       plan_drawing(format("stream-k:{}", variant))});
  }
  return entries;
}

// What each of three splits of a tile does; their main loops end at different times.
std::string wait_drawing(Reduction reduction) {
  constexpr size_t kLengths[] = {4, 7, 5};
  const tw::WaitMode mode = tw::wait_mode_of(reduction);
  const bool output = tw::partial_storage_of(reduction) == tw::PartialStorage::Output;
  std::string text;
  size_t done = 0;  // when the previous split has added its partial result
  for (size_t part = 0; part < std::size(kLengths); ++part) {
    const bool last = part + 1 == std::size(kLengths);
    const bool latest = kLengths[part] == 7;
    std::string line(kLengths[part], '=');
    if (mode == tw::WaitMode::Previous) {
      line.resize(std::max(line.size(), done), '.');
      line += output ? "D" : last ? "+D" : "+";
      done = line.size();
    } else if (mode == tw::WaitMode::All) {
      line += "+";
      line.resize(8, '.');
      line += "D";
    } else {
      line += "+";
      if (mode == tw::WaitMode::LastArrives && latest) line += "D";
    }
    text += format("part {}  {}\n", part, line);
  }
  if (mode == tw::WaitMode::None) text += "kernel 2          D\n";
  return text;
}

bool joins_streams(std::string_view reduction) {
  try {
    parse_decomposition(format("stream-k:{}", reduction));
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<HelpEntry> reductions() {
  std::vector<HelpEntry> entries;
  for (const tw::ReductionRecord& record : tw::kReductions) {
    const std::string repeats = determinism_of(SplitK{2, record.reduction});
    entries.push_back(
        {record.name,
         format("{}\n{}{}", record.meaning, repeats == "bitwise" ? "repeats bit for bit" : repeats,
                joins_streams(record.name) ? "" : "; split-k only"),
         wait_drawing(record.reduction)});
  }
  return entries;
}

std::vector<HelpEntry> config_words() {
  const Meanings meanings = {
      {"family", "sm90: TMA and wgmma; sm80: cp.async and mma.sync; skinny: at most 16 rows"},
      {"cta", "MxNxK in elements: the tile that a CTA computes, and the depth of its k-steps"},
      {"cluster", "MxN: CTAs that start together and share operands by multicast"},
      {"warps", "MxN: how the warps of a CTA divide its tile"},
      {"k_warps", "the number of warps that divide the K of one tile"},
      {"stages", "k-steps that are in flight in shared memory"},
      {"schedule", "cooperative: two consumer warpgroups share a tile; pingpong: each has its own"},
      {"smem", "fitted, none, pad:N or swizzle:B:M:S: the layout of tiles in shared memory"},
      {"raster", "the order of the tiles: tilewright help rasters"},
      {"l2_promotion", "0, 64, 128 or 256: bytes that a TMA load brings into L2 at once"},
      {"evict_first", "none, a, b or ab: operands whose lines L2 evicts first"},
      {"decomposition", "how tiles are divided along K: tilewright help decompositions"},
      {"group_schedule",
       "device-only, host-precompute or dynamic: what decides which work unit of a\ngroup a CTA "
       "computes next: a search on the device, the host's table, a counter"},
      {"problem_order", "given, k-descending or lpt: the order of the problems of a group"},
      {"visitor",
       "for triangles: triangular visits the tiles of the triangle; plain launches the\nwhole "
       "square, and CTAs outside of the triangle exit early"},
      {"swap_ab", "true: computes D transposed, with A and B exchanged"}};
  const Meanings examples = {
      {"cta", "128x256x64"}, {"warps", "2x4"}, {"k_warps", "4"}, {"stages", "4"}};
  std::vector<HelpEntry> entries;
  for (const ConfigKeyFacts& key : config_key_facts()) {
    std::vector<std::string> families;
    for (const Family family : key.families) families.push_back(to_string(family));
    // A key without a default has an example.
    const std::string example = meaning_in(examples, key.name);
    entries.push_back(
        {std::string(key.name),
         format("{}\nfamilies: {}", meaning_in(meanings, key.name), join(families, ", ")),
         format("{}={}\n", key.name, example.empty() ? key.default_value : example)});
  }
  entries.push_back(
      {"best.yaml", "the artefact; tune -o writes such configs into it", artefact_uses()});
  return entries;
}

std::vector<HelpEntry> exit_codes() {
  struct Code {
    ExitCode code;
    const char* meaning;
    const char* example;
  };
  constexpr Code kCodes[] = {
      {ExitCode::Good, "good", "analyze grid 13x10"},
      {ExitCode::No,
       "the command ran, and the answer is no: a violated --check, a regression, no\nlegal config",
       "analyze grid 13x10 --raster split-merge:4 --check 'waste_pct<5'"},
      {ExitCode::Usage,
       "bad input; one sentence on stderr states the fault, its place and the remedy",
       "analyze grid 13"},
      {ExitCode::Inconclusive,
       "the times are too noisy, or other processes use the GPU: measure again",
       "gate SUITE --mode ab ..."},
      {ExitCode::Environment,
       "the host lacks something: no usable GPU, counters not permitted, a full disk",
       "tune 4096x4096x4096 --device cuda:7"},
      {ExitCode::WrongResult, "a kernel computed wrong results", ""},
      {ExitCode::NoBaseline,
       "the gate has nothing to compare with: no baseline, only new cases, or a\nchanged model",
       "gate SUITE --accept-model ..."},
      {ExitCode::Internal, "an internal error of tilewright, in one problem: please report it", ""},
      {ExitCode::Interrupted,
       "interrupted by Ctrl-C (143 by SIGTERM); no file is left half-written", ""}};
  std::vector<HelpEntry> entries;
  for (const Code& code : kCodes) {
    const std::string example = *code.example == '\0' ? "" : format("{}\n", code.example);
    entries.push_back({format("{}", static_cast<int>(code.code)), code.meaning, example});
  }
  return entries;
}

void add_suite_keys(std::vector<HelpEntry>& entries, const char* before,
                    std::span<const SuiteKey> keys) {
  constexpr size_t kMeaningWidth = 78;
  for (const SuiteKey& key : keys) {
    entries.push_back({format("{}{}", before, key.key),
                       join(wrap(key.meaning, kMeaningWidth), "\n"), format("{}\n", key.example)});
  }
}

std::vector<HelpEntry> suite_words() {
  std::vector<HelpEntry> entries;
  add_suite_keys(entries, "", suite_keys());
  add_suite_keys(entries, "cases: ", case_keys());
  add_suite_keys(entries, "waivers: ", waiver_keys());
  return entries;
}

std::vector<HelpEntry> harness_words() {
  constexpr size_t kMeaningWidth = 78;
  std::vector<HelpEntry> entries = {
      {"--harness FILE[:axis=value,...]",
       "a shared library with the functions of presets/harness/tilewright_harness.h, or\n"
       "a manifest of cubins, NAME.yaml; examples and how they are built:\n"
       "presets/harness/cuda_gemm, cutlass_gemm, cubin_gemm, triton_gemm and triton_fp8",
       "bench 4096x4096x4096 --harness my.so:tile_m=128 --harness my.so:tile_m=64\n"
       "tune 4096x4096x4096 --harness my.so --budget 20 -o best.yaml\n"
       "analyze grid 4096x4096x4096 --from-harness my.so --device h200\n"},
      {"checks",
       "a worker process loads the library. If a config crashes, hangs, writes out of\nbounds, "
       "reuses an earlier result, works on another stream or does not free\nmemory, it is "
       "rejected, and the report names the reason",
       ""},
      {"winner",
       "in an artefact: harness:NAME with `harness`, its `build` (a hash of the file)\nand "
       "`values`; library or ours, if one of these was faster in the same rounds",
       "best 4096x4096x4096 --from best.yaml --export json\n"},
      {"default",
       "a search times the default config of a harness beside the best ones. best\n"
       "--export vllm writes the answers of a harness with the axes BLOCK_SIZE_M, ...,\n"
       "num_stages as files that vLLM and SGLang read; a row that is not faster than\n"
       "the default has the default's values. gate FOLDER --harness FILE times each\n"
       "row again beside the default",
       "best @problems.yaml --from best.yaml --export vllm -o configs\n"
       "gate configs --harness triton_fp8.yaml\n"}};
  for (const HarnessKey& key : harness_keys()) {
    entries.push_back({format("describe: {}", key.key),
                       join(wrap(key.meaning, kMeaningWidth), "\n"),
                       format("\"{}\": {}\n", key.key, key.example)});
  }
  entries.push_back(
      {"NAME.yaml",
       "a manifest has the keys of describe but memory and groups, and those below. A\n"
       "number is an expression over m, n, k, lda, ldb, ldc, ldd, axes and `let`",
       ""});
  for (const ManifestKey& key : cubin_manifest_keys()) {
    entries.push_back({format("manifest: {}{}{}", key.part, key.part.empty() ? "" : ".", key.key),
                       join(wrap(key.meaning, kMeaningWidth), "\n"),
                       format("{}: {}\n", key.key, key.example)});
  }
  return entries;
}

std::vector<HelpEntry> report_parts() {
  return {
      {"data",
       format("the numbers as JSON of schema {}, in the element with the id\n{}: `tool_version` "
              "and `sources`, a list of `file` with one\nof `artefact` (what tune --format json "
              "prints), `history` (its lines),\n`store` (`runs`, `records`, `rule`, `problems`: of "
              "each `fastest` configs),\n`sweep` and `trace` (the file's JSON)",
              kReportSchema, kReportDataId),
       format("json.loads(html.split('id=\"{}\">')[1].split('</script>')[0])\n", kReportDataId)},
      {"best.yaml",
       "written by tune: the verdict, predicted against measured times, the roofline,\nand a row "
       "for each problem, which opens to predictions beside counters, the\nchoice, the library's "
       "algorithms, ties, rejected configs by rule, the command\nthat repeats the measurement, and "
       "which CTA computes which tile when",
       format("pictures: rows 1 to {}; the other rows show the command\n", kMaxPictures)},
      {"history.jsonl",
       "written by gate --history: a row for each case, which opens to the ratio or\nthe predicted "
       "time over the runs, with the changes that gate trend finds",
       ""},
      {"store.jsonl",
       "written by tune --store, summarised: a row for each problem and GPU, which\nopens to its "
       "fastest configs beside their predictions, and to a map of the\nshortest time of each CTA "
       "tile and raster",
       format("problems: the first {}; configs: {} in all, at most {} of one problem\n",
              kMaxStoredProblems, kMaxStoredConfigs, kMaxConfigsOfOne)},
      {"sweep.json",
       "written by --sweep NAME=VALUES --format json: a chart for each number, and a\nrow for each "
       "value of the parameter",
       ""},
      {"trace.json",
       "written by profile --trace: both timelines, and a row for each\nmultiprocessor, which "
       "opens to its measured work above its predicted work",
       ""},
      {"interval",
       "a ratio and its 95 % interval, on one logarithmic scale for each table; above\n1 is "
       "better. `in noise`: the distance of the ratio from 1, in half widths of\nits interval",
       ""},
      {"table",
       "a click on a title sorts; the filter keeps rows that contain all its words;\nthe list "
       "keeps a verdict or a suite. Tab reaches every control; print shows\nall rows",
       format("rows at first: {}\n", kRowsShownFirst)}};
}

// The curve from -3 to 2: a column is 1/8, a line 1/4.
std::string curve_drawing(Activation activation) {
  constexpr int kColumns = 41;
  constexpr int kZero = 24;
  const auto line_of = [](double x) { return static_cast<int>(std::lround(4 * x)); };
  std::array<int, kColumns> lines{};
  for (int i = 0; i < kColumns; ++i) {
    lines[static_cast<size_t>(i)] = line_of(activation_value(activation, (i - kZero) / 8.0));
  }
  const auto [least, most] = std::minmax_element(lines.begin(), lines.end());
  std::string text;
  for (int line = *most; line >= *least; --line) {
    std::string row;
    for (int i = 0; i < kColumns; ++i) {
      const char axis = line == 0 ? '-' : i == kZero ? '|' : ' ';
      row += lines[static_cast<size_t>(i)] == line ? '*' : axis;
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

// A product with this epilogue as a formula.
std::string epilogue_drawing(const char* text) {
  return format("{}\n", to_string(Problem{{4096, 4096, 4096}, {.epilogue = parse_epilogue(text)}}));
}

std::vector<HelpEntry> epilogues() {
  std::vector<HelpEntry> entries = {
      {"bias", "adds a row of N elements of C's type to every row", epilogue_drawing("bias")},
      {"B*c",
       "adds B times C, which is M x N and has the type of the operands, or bf16 if\nthey have 8 "
       "bits",
       epilogue_drawing("0.5*c")},
      {"A*ab", "multiplies the product by A; with other terms: 2*ab+0.5*c+bias",
       epilogue_drawing("2*ab+0.5*c+bias")},
      {"row-bias", "adds a column of M elements of C's type to every column; it replaces bias",
       epilogue_drawing("row-bias")}};
  for (const tw::ActivationRecord& record : tw::kActivations) {
    if (record.activation == Activation::None) continue;
    const char* const halves =
        record.gated ? "gate and up are columns 2 j and 2 j + 1 of the sum, and D is M x N / 2; "
                     : "";
    entries.push_back(
        {record.name, format("{}; {}around a sum: {}(bias)", record.formula, halves, record.name),
         record.gated ? epilogue_drawing(record.name) : curve_drawing(record.activation)});
  }
  entries.push_back({"@stacked",
                     "behind a gated activation's name: gate and up are columns j and j + N / 2, "
                     "all gates before all ups; of one product whose B has k contiguous",
                     epilogue_drawing("swiglu@stacked(bias)")});
  const Epilogue scaled{.out_dtype = DataType::E4M3, .scale_d = true, .absmax = true};
  entries.push_back({"--scale-d tensor, --absmax",
                     "D is times an fp32 factor in device memory, behind everything else, and the "
                     "largest absolute value before that factor is left beside it; --out-dtype "
                     "e4m3 stores D in 8 bits, cut off at 448 either way, NaN as NaN",
                     format("{}\n", to_string(Problem{{4096, 4096, 4096}, {.epilogue = scaled}}))});
  return entries;
}

std::string indented(const std::string& text, size_t columns) {
  const std::string blank(columns, ' ');
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string& part : wrap(line, 80 - columns)) {
      // Keep the blanks of a drawing.
      const bool whole = part.size() >= trim(line).size();
      lines += line.empty() ? "" : format("{}{}\n", blank, whole ? std::string(line) : part);
    }
  }
  return lines;
}

}  // namespace

std::string artefact_uses() {
  return "Uses of best.yaml:\n  tilewright ship best.yaml -o lib                  # calls: C, C++, "
         "Python\n  tilewright best 4096x4096x4096 --export cutlass   # a profiler command\n  "
         "tilewright best 4096x4096x4096 --export triton    # input of autotune\n";
}

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = {
      {"rasters", "--raster: the order in which a launch computes tiles", rasters},
      {"decompositions", "--decomposition: how tiles and their K are divided", decompositions},
      {"reductions",
       "how the parts of a divided tile are joined\n= main loop   + stores or adds a part   . "
       "waits   D stores the result",
       reductions},
      {"epilogues", "--epilogue: what is computed from the sums before D is stored", epilogues},
      {"scales",
       "--scale-a, --scale-b, --accumulate: of 8-bit operands\n"
       "tensor goes with tensor, row with column, and block:1x128 with block:128x128\n"
       "or block:1x128",
       scale_words},
      {"config",
       "--config key=value,...: the keys that define a kernel\n"
       "Every command fills in the keys that are left out in one way: with the values\n"
       "of the fastest kernel by prediction among those with the named keys. Where\n"
       "analyze schedule and draw schedule take --cta instead, keys without an option\n"
       "have the defaults of --help, and the output lists them.",
       config_words},
      {"exit-codes", "the exit codes of all commands", exit_codes},
      {"suite", "the keys of a gate's suite", suite_words},
      {"harness", "--harness: foreign kernels, and the keys of their description", harness_words},
      {"report", "the contents of a page of `report`", report_parts},
      {"layouts", "the layouts of analyze layout, and the operations on them", layout_words}};
  return topics;
}

std::string help_text(const std::string& name) {
  std::vector<std::string_view> names;
  for (const HelpTopic& topic : help_topics()) {
    names.push_back(topic.name);
    if (topic.name != name) continue;
    std::string text = format("{}: {}\n", topic.name, topic.about);
    for (const HelpEntry& entry : topic.entries()) {
      text += format("\n{}\n{}{}", entry.spelling, indented(entry.meaning, 2),
                     indented(entry.drawing, 6));
    }
    return text;
  }
  if (!name.empty()) {
    throw usage_error(format("no help topic '{}'{}; the topics are {}", name,
                             did_you_mean(name, names),
                             join(std::vector<std::string>(names.begin(), names.end()), ", ")));
  }
  std::string text = "tilewright help TOPIC explains the words of\n";
  for (const HelpTopic& topic : help_topics()) {
    const std::string_view about = split(topic.about, '\n').front();
    text += format("  {:<16}{}\n", topic.name, about);
  }
  return text + "tilewright VERB --help lists the options of a verb.\n";
}

ExitCode run_help(const std::string& topic, Console& console) {
  console.out << help_text(topic);
  return ExitCode::Good;
}

}  // namespace tilewright
