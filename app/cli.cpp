// The one user of CLI11: every verb's options, help and examples.

#include "cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/version.hpp"
#include "options.hpp"
#include "tile/raster.hpp"
#include "verbs.hpp"

namespace tilewright {
namespace {

using Action = std::function<ExitCode()>;

Format parse_format(const std::string& name) {
  if (name == "text") return Format::Text;
  if (name == "json") return Format::Json;
  throw usage_error(format("unknown format '{}': --format is text or json", name));
}

void add_format(CLI::App& verb, Format& chosen) {
  verb.add_option_function<std::string>(
          "--format", [&chosen](const std::string& name) { chosen = parse_format(name); },
          "text (for people) or json")
      ->default_str("text");
}

void add_device(CLI::App& verb, std::string& device) {
  verb.add_option("--device", device, "cuda:N, a preset such as h200, or auto")
      ->default_str("auto");
}

void add_dtype(CLI::App& verb, std::string& dtype) {
  verb.add_option("--dtype", dtype, "bf16 or f16, accumulated in fp32")->default_str("bf16");
}

void add_examples(CLI::App& verb, const std::string& first, const std::string& second) {
  verb.footer(format("Examples:\n  tilewright {}\n  tilewright {}", first, second));
}

void add_grid_options(CLI::App& subject, GridOptions& o) {
  subject.add_option("GRID", o.grid, "tiles, MxN")->required();
  subject.add_option("--raster", o.raster, std::string(kRasterSpellings))->default_str("row");
  subject.add_option("--device", o.device, "adds waves and memory traffic; with --cta and --k");
  subject.add_option("--cta", o.cta, "CTA tile, MxNxK elements");
  subject.add_option("--k", o.k, "inner dimension, elements");
  add_dtype(subject, o.dtype);
  subject.add_option("--cluster", o.cluster, "CTAs of a cluster, MxN")->default_str("1x1");
  subject.add_option("--ctas", o.ctas, "persistent CTAs (default: one a multiprocessor)");
}

void add_checks(CLI::App& subject, std::vector<std::string>& checks, const char* example) {
  subject
      .add_option("--check", checks, format("'{}': exit 1 unless it holds; repeatable", example))
      ->allow_extra_args(false);  // a word after it is the subject's own
}

void add_analyze_layout(CLI::App& analyze, LayoutOptions& o, Action& action, Console& console) {
  CLI::App* const layout =
      analyze.add_subcommand("layout", "a layout's sizes and offsets, and the algebra of layouts");
  layout->add_option("EXPR", o.expression, "(8,64):(64,1), or a call such as composition(A,B)")
      ->required();
  layout->add_option("--dtype", o.dtype, "element type such as f16: sizes also in bytes");
  layout->add_flag("--offsets", o.offsets, "list the offsets, first mode fastest");
  layout->add_option("--equal", o.equal, "EXPR, or a Triton attribute: exit 1 unless equal");
  layout->add_flag("--explain", o.explain, "derive the result step by step");
  layout->add_option("--dialect", o.dialect,
                     "print as cute-cpp, cute-dsl, pycute, cutegen or triton does");
  layout->add_option("--access", o.access,
                     "wavefronts of ldmatrix.x4, st.v4, ld.b32@col ... over it; with --dtype");
  layout->add_option("--threads", o.threads, "thread-value layout of the copy that --access does");
  layout->add_flag("--as-wgmma", o.as_wgmma,
                   "which wgmma operand it is, or why none; with --dtype");
  layout->add_flag("--linear", o.linear, "the layout as a bit matrix over F2");
  layout->add_flag("--show", o.show, "a small grid of the offsets");
  add_checks(*layout, o.checks, "footprint<=64");
  add_format(*layout, o.format);
  add_examples(*layout, "analyze layout 'Sw<3,3,3> o 0 o (8,64):(64,1)'",
               "analyze layout --explain 'composition((6,2):(8,2), (4,3):(3,1))' --show");
  layout->callback([&] { action = [&] { return run_analyze_layout(o, console); }; });
}

void add_schedule_options(CLI::App& subject, ScheduleOptions& o) {
  subject.add_option("PROBLEM", o.problem, "MxNxK; several with commas are one group")->required();
  subject.add_option("--cta", o.cta, "CTA tile, MxNxK elements")->required();
  add_device(subject, o.device);
  add_dtype(subject, o.dtype);
  subject.add_option("--ctas", o.ctas, "CTAs of the launch (default: one a multiprocessor)");
  subject.add_option("--cluster", o.cluster, "CTAs of a cluster, MxN")->default_str("1x1");
  subject.add_option("--raster", o.raster, std::string(kRasterSpellings))->default_str("row");
  subject
      .add_option("--decomposition", o.decomposition,
                  "data-parallel, split-k:S[:REDUCTION], "
                  "stream-k[:two-tile|one-tile|all][:REDUCTION]; serial, serial-tma, atomic-tma, "
                  "atomic, workspace, cluster")
      ->default_str("data-parallel");
  subject.add_option("--group-schedule", o.group_schedule, "device-only, host-precompute, dynamic")
      ->default_str("device-only");
  subject.add_option("--problem-order", o.problem_order, "given, k-descending, lpt")
      ->default_str("given");
  subject.add_option("--op", o.op, "gemm, syrk, syr2k, her2k")->default_str("gemm");
  subject.add_option("--uplo", o.uplo, "lower, upper")->default_str("lower");
  subject.add_flag("--plain", o.plain, "triangles: walk the whole square and leave early");
  subject.add_option("--emulate", o.emulate, "cutlass3-grouped: its fault, for the proof to find");
}

void add_analyze_schedule(CLI::App& analyze, ScheduleOptions& o, Action& action, Console& console) {
  CLI::App* const schedule =
      analyze.add_subcommand("schedule", "which CTA computes what, proved complete");
  add_schedule_options(*schedule, o);
  schedule->add_flag("--assignments", o.assignments, "list the work of every CTA");
  add_checks(*schedule, o.checks, "imbalance<1.1");
  add_format(*schedule, o.format);
  add_examples(*schedule,
               "analyze schedule 1152x768x128,1152x768x1024 --cta 128x128x64 --device a100 "
               "--problem-order k-descending",
               "analyze schedule 1024x1024x32768 --cta 128x256x64 --device h200 "
               "--decomposition split-k:4:serial-tma --format json");
  schedule->callback([&] { action = [&] { return run_analyze_schedule(o, console); }; });
}

void add_analyze_grid(CLI::App& analyze, GridOptions& o, Action& action, Console& console) {
  CLI::App* const grid = analyze.add_subcommand("grid", "which slot computes which output tile");
  add_grid_options(*grid, o);
  grid->add_flag("--order", o.order, "list the tile of every slot");
  add_checks(*grid, o.checks, "waste_pct<5");
  add_format(*grid, o.format);
  add_examples(*grid, "analyze grid 13x10 --raster split-merge:4",
               "analyze grid 64x32 --raster swizzle-merge:8 --device h200 --cta 128x256x64 "
               "--k 8192 --format json");
  grid->callback([&] { action = [&] { return run_analyze_grid(o, console); }; });
}

void add_accesses(CLI::App& subject, AccessOptions& o) {
  subject
      .add_option("--op", o.op,
                  "ld or st .u8|.u16|.b32|.v2|.v4, ldmatrix or stmatrix .x1|.x2|.x4[.trans]")
      ->required();
  subject.add_option("--addresses", o.addresses, "a0,...,a31: byte addresses, -1 inactive");
  subject.add_option("--file", o.file, "CSV, one warp instruction a line; '-' is stdin");
}

void add_analyze_access(CLI::App& analyze, AccessOptions& o, Action& action, Console& console) {
  CLI::App* const access =
      analyze.add_subcommand("access", "wavefronts or sectors of warp instructions");
  add_accesses(*access, o);
  access->add_option("--space", o.space, "shared or global")->default_str("shared");
  access->add_flag("--show", o.show, "words by bank, phase by phase");
  add_checks(*access, o.checks, "wavefronts<=4");
  add_format(*access, o.format);
  add_examples(*access, "analyze access --op ldmatrix.x1 --addresses 0,128,256,384,512,640,768,896",
               "analyze access --op ldmatrix.x1 --addresses 0,144,288,432,576,720,864,1008 "
               "--show --check 'wavefronts<=1'");
  access->callback([&] { action = [&] { return run_analyze_access(o, console); }; });
}

void add_swizzle_options(CLI::App& swizzle, SwizzleOptions& o) {
  swizzle.add_option("--tile", o.tile, "ROWSxCOLS elements, row-major")->required();
  swizzle.add_option("--dtype", o.dtype, "f64, f32, f16, bf16, f8, i8, ...")->default_str("f16");
  swizzle.add_option("--vector", o.vector, "elements that stay together (default: widest access)")
      ->check(CLI::Range(1, 128));
  swizzle
      .add_option("--write", o.write, "st.v4 along rows, st.b32@col down columns, stmatrix.x4, ...")
      ->required();
  swizzle.add_option("--read", o.read, "ldmatrix.x4[.trans], ld.v4, ld.b32@col, ...")->required();
  swizzle.add_option("--swizzle", o.swizzle, "B,M,S in elements: cost this one only");
}

void add_analyze_swizzle(CLI::App& analyze, SwizzleOptions& o, Action& action, Console& console) {
  CLI::App* const swizzle =
      analyze.add_subcommand("swizzle", "the swizzle and padding that save a tile's wavefronts");
  add_swizzle_options(*swizzle, o);
  swizzle->add_option("--top", o.top, "candidates listed")->check(CLI::Range(1, 100000));
  swizzle->add_flag("--show", o.show, "where the vectors of each row lie");
  add_checks(*swizzle, o.checks, "read_wavefronts<=4");
  add_format(*swizzle, o.format);
  add_examples(
      *swizzle,
      "analyze swizzle --dtype f16 --tile 8x64 --vector 8 --write st.v4 --read ldmatrix.x4",
      "analyze swizzle --dtype f32 --tile 32x16 --vector 1 --write st.b32 "
      "--read ld.b32@col --swizzle 4,0,5 --show");
  swizzle->callback([&] { action = [&] { return run_analyze_swizzle(o, console); }; });
}

void add_nested_options(CLI::App& nested, NestedOptions& o) {
  nested.add_option("TEXT", o.text, "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], ...>")
      ->required();
  nested.add_option("--shape", o.shape, "of the vector, such as 64x64, to verify against");
  nested.add_option("--subgroup-size", o.subgroup_size, "threads (default: as the layout counts)")
      ->check(CLI::Range(1, 65536));
  nested.add_option("--subgroups", o.subgroups, "of the hardware (default: as the layout counts)")
      ->check(CLI::Range(1, 65536));
  nested.add_option("--thread", o.thread, "list the elements of this thread")
      ->check(CLI::Range(0, 65535));
}

void add_analyze_nested(CLI::App& analyze, NestedOptions& o, Action& action, Console& console) {
  CLI::App* const nested =
      analyze.add_subcommand("nested", "an IREE nested layout: which thread holds which element");
  add_nested_options(*nested, o);
  nested->add_flag("--show", o.show, "the thread of each element");
  add_checks(*nested, o.checks, "uncovered==0");
  add_format(*nested, o.format);
  add_examples(*nested,
               "analyze nested 'nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
               "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
               "subgroup_strides = [1, 0], thread_strides = [1, 16]>' --thread 16",
               "analyze nested 'subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], "
               "thread_tile = [1, 1], element_tile = [1, 1], subgroup_strides = [1, 4], "
               "thread_strides = [0, 0]' --subgroups 4 --show");
  nested->callback([&] { action = [&] { return run_analyze_nested(o, console); }; });
}

// The options of every subject of analyze.
struct AnalyzeOptions {
  GridOptions grid;
  AccessOptions access;
  LayoutOptions layout;
  NestedOptions nested;
  ScheduleOptions schedule;
  SwizzleOptions swizzle;
};

void add_analyze(CLI::App& app, AnalyzeOptions& o, Action& action, Console& console) {
  CLI::App* const analyze = app.add_subcommand("analyze", "numbers about a mapping, no GPU needed");
  analyze->require_subcommand(1);
  add_examples(*analyze, "analyze grid 13x10 --raster swizzle-merge:4",
               "analyze grid 13x10 --raster split-merge:4 --format json");
  add_analyze_grid(*analyze, o.grid, action, console);
  add_analyze_schedule(*analyze, o.schedule, action, console);
  add_analyze_access(*analyze, o.access, action, console);
  add_analyze_layout(*analyze, o.layout, action, console);
  add_analyze_nested(*analyze, o.nested, action, console);
  add_analyze_swizzle(*analyze, o.swizzle, action, console);
}

void add_output(CLI::App& subject, std::string& output) {
  subject.add_option("-o,--output", output, "FILE.svg, .png or .pdf")->required();
}

void add_draw_grid(CLI::App& draw, GridOptions& o, Action& action, Console& console) {
  CLI::App* const grid = draw.add_subcommand("grid", "the raster's path, waves and overhang");
  add_grid_options(*grid, o);
  add_output(*grid, o.output);
  add_examples(*grid, "draw grid 13x10 --raster split-merge:4 -o grid.svg",
               "draw grid 32x16 --raster swizzle-merge:8 --device h200 -o grid.png");
  grid->callback([&] { action = [&] { return run_draw_grid(o, console); }; });
}

void add_draw_layout(CLI::App& draw, DrawLayoutOptions& o, Action& action, Console& console) {
  CLI::App* const layout = draw.add_subcommand("layout", "offsets, banks or threads of a layout");
  layout->add_option("EXPR", o.expression, "(8,64):(64,1), or a call such as composition(A,B)")
      ->required();
  layout->add_option("--versus", o.versus, "EXPR to draw beside it");
  layout->add_option("--color", o.color, "value, bank or thread (default: bank with --dtype)");
  layout->add_option("--dtype", o.dtype, "of an element: f64, f32, f16, bf16, f8, i8, ...");
  layout->add_option("--element", o.element, "coordinate or index to outline, such as 3,5");
  layout->add_option("--tv", o.tv, "MxN: EXPR is (thread, value) to m + n * M; who holds what");
  layout->add_option("--thread", o.thread, "to outline, with --tv")->check(CLI::Range(0, 1 << 20));
  add_output(*layout, o.output);
  add_examples(*layout, "draw layout '((2,4),(2,2)):((1,4),(2,16))' -o layout.svg",
               "draw layout '(8,64):(64,1)' --versus 'Sw<3,3,3> o 0 o (8,64):(64,1)' --dtype f16 "
               "-o swizzled.png");
  layout->callback([&] { action = [&] { return run_draw_layout(o, console); }; });
}

void add_draw_access(CLI::App& draw, AccessOptions& o, Action& action, Console& console) {
  CLI::App* const access = draw.add_subcommand("access", "lanes by bank, phase by phase");
  add_accesses(*access, o);
  access->add_option("--space", o.space, "shared or global")->default_str("shared");
  add_output(*access, o.output);
  add_examples(*access,
               "draw access --op ldmatrix.x1 --addresses 0,128,256,384,512,640,768,896 "
               "-o access.svg",
               "draw access --op ldmatrix.x1 --addresses 0,144,288,432,576,720,864,1008 "
               "-o padded.png");
  access->callback([&] { action = [&] { return run_draw_access(o, console); }; });
}

void add_draw_swizzle(CLI::App& draw, SwizzleOptions& o, Action& action, Console& console) {
  CLI::App* const swizzle =
      draw.add_subcommand("swizzle", "banks of a tile before and after the best swizzle");
  add_swizzle_options(*swizzle, o);
  add_output(*swizzle, o.output);
  add_examples(*swizzle,
               "draw swizzle --dtype f16 --tile 8x64 --vector 8 --write st.v4 --read ldmatrix.x4 "
               "-o swizzle.svg",
               "draw swizzle --dtype f32 --tile 32x32 --vector 1 --write st.b32 "
               "--read ld.b32@col -o transpose.png");
  swizzle->callback([&] { action = [&] { return run_draw_swizzle(o, console); }; });
}

void add_draw_nested(CLI::App& draw, NestedOptions& o, Action& action, Console& console) {
  CLI::App* const nested =
      draw.add_subcommand("nested", "an IREE nested layout: the thread of each element");
  add_nested_options(*nested, o);
  add_output(*nested, o.output);
  add_examples(*nested,
               "draw nested 'nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
               "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
               "subgroup_strides = [1, 0], thread_strides = [1, 16]>' --thread 16 -o nested.svg",
               "draw nested 'subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], "
               "thread_tile = [1, 1], element_tile = [1, 1], subgroup_strides = [1, 4], "
               "thread_strides = [0, 0]' --subgroups 4 -o uncovered.png");
  nested->callback([&] { action = [&] { return run_draw_nested(o, console); }; });
}

// The options of every subject of draw.
struct DrawOptions {
  GridOptions grid;
  AccessOptions access;
  DrawLayoutOptions layout;
  SwizzleOptions swizzle;
  NestedOptions nested;
};

void add_draw(CLI::App& app, DrawOptions& o, Action& action, Console& console) {
  CLI::App* const draw = app.add_subcommand("draw", "the same subjects as a diagram");
  draw->require_subcommand(1);
  add_examples(*draw, "draw grid 13x10 --raster swizzle-merge:4 -o grid.svg",
               "draw grid 13x10 --raster split-merge:4 -o grid.png");
  add_draw_grid(*draw, o.grid, action, console);
  add_draw_access(*draw, o.access, action, console);
  add_draw_layout(*draw, o.layout, action, console);
  add_draw_swizzle(*draw, o.swizzle, action, console);
  add_draw_nested(*draw, o.nested, action, console);
}

void add_tune(CLI::App& app, TuneOptions& o, Action& action, Console& console) {
  CLI::App* const tune =
      app.add_subcommand("tune", "enumerate, predict, run, verify, choose the best config");
  tune->add_option("PROBLEM", o.problems, "MxNxK, or @FILE.yaml; several")->required();
  add_device(*tune, o.device);
  add_dtype(*tune, o.dtype);
  tune->add_option("-o,--output", o.output, "the artefact, best.yaml");
  tune->add_option("--config", o.config, "key=value,...: only configs with these values");
  tune->add_flag("--dry-run", o.dry_run, "print how many configs each rule removes, and stop");
  tune->add_flag("!--no-counters", o.counters, "leave the hardware counters out");
  tune->add_option("--top", o.top, "rows of the table a problem")->check(CLI::Range(1, 1000));
  tune->add_option("--rounds", o.rounds, "of the final comparison (default: by length)")
      ->check(CLI::Range(5, 10000));
  tune->add_option("--seed", o.seed, "of the operands and of the order of rounds");
  add_format(*tune, o.format);
  add_examples(*tune, "tune 4096x4096x4096 --device h200 -o best.yaml",
               "tune 8192x1280x8192 --device h200 --config cluster=2x1 --dry-run");
  tune->callback([&] { action = [&] { return run_tune(o, console); }; });
}

void add_bench(CLI::App& app, BenchOptions& o, Action& action, Console& console) {
  CLI::App* const bench = app.add_subcommand("bench", "named configs side by side, no search");
  bench->add_option("PROBLEM", o.problem, "MxNxK")->required();
  bench->add_option("--config", o.configs, "key=value,...; repeatable")->required();
  bench->add_option("--against", o.against, "cublaslt: its best algorithm in the same rounds");
  add_device(*bench, o.device);
  add_dtype(*bench, o.dtype);
  bench->add_option("--rounds", o.rounds, "default: by length")->check(CLI::Range(5, 10000));
  add_format(*bench, o.format);
  add_examples(*bench,
               "bench 4096x4096x4096 --config raster=row --config raster=swizzle-merge:8 "
               "--device h200",
               "bench 8192x8192x8192 --config cta=128x256x64 --device h200 --format json");
  bench->callback([&] { action = [&] { return run_bench(o, console); }; });
}

void add_profile_access(CLI::App& profile, AccessOptions& o, Action& action, Console& console) {
  CLI::App* const access = profile.add_subcommand(
      "access", "wavefronts of one warp instruction, counted beside predicted");
  add_accesses(*access, o);
  add_device(*access, o.device);
  add_checks(*access, o.checks, "measured<=4");
  add_format(*access, o.format);
  add_examples(*access, "profile access --op ldmatrix.x1 --addresses 0,128,256,384,512,640,768,896",
               "profile access --op ldmatrix.x1 --addresses 0,144,288,432,576,720,864,1008 "
               "--format json");
  access->callback([&] { action = [&] { return run_profile_access(o, console); }; });
}

void add_profile(CLI::App& app, ProfileOptions& o, AccessOptions& access, Action& action,
                 Console& console) {
  CLI::App* const profile =
      app.add_subcommand("profile", "hardware counters beside their predictions");
  profile->add_option("PROBLEM", o.problem, "MxNxK");
  profile->add_option("--config", o.config, "key=value,...; what is left out is chosen");
  profile->add_option("--trace", o.trace, "write the kernel's own trace, JSON, '-' for stdout");
  add_device(*profile, o.device);
  add_dtype(*profile, o.dtype);
  add_format(*profile, o.format);
  add_examples(*profile, "profile 4096x4096x4096 --config raster=swizzle-merge:8 --device h200",
               "profile 4096x4096x4096 --config cta=128x256x64 --device h200 --format json");
  add_profile_access(*profile, access, action, console);
  profile->callback([&, profile] {
    if (profile->get_subcommands().empty()) action = [&] { return run_profile(o, console); };
  });
}

void add_best(CLI::App& app, BestOptions& o, Action& action, Console& console) {
  CLI::App* const best = app.add_subcommand("best", "look a winner up");
  best->add_option("PROBLEM", o.problem, "MxNxK")->required();
  best->add_option("--from", o.from, "the artefact")->default_str("best.yaml");
  add_dtype(*best, o.dtype);
  best->add_option("--export", o.export_format, "config, yaml or json")->default_str("config");
  add_examples(*best, "best 4096x4096x4096 --from best.yaml",
               "best 4096x4096x4096 --from best.yaml --export json");
  best->callback([&] { action = [&] { return run_best(o, console); }; });
}

void add_gate(CLI::App& app, GateOptions& o, Action& action, Console& console) {
  CLI::App* const gate = app.add_subcommand("gate", "CI gate: exit 1 when a suite got worse");
  gate->add_option("SUITE", o.suite, "FILE.yaml")->required();
  gate->add_option("--baseline", o.baseline, "FILE.yaml that --update wrote")->required();
  gate->add_flag("--update", o.update, "write the baseline instead of comparing");
  gate->add_option("--mode", o.mode, "auto, static (exact numbers, no GPU) or gpu")
      ->default_str("auto");
  add_device(*gate, o.device);
  gate->add_option("--from", o.from, "best.yaml with the tuned configs");
  gate->add_option("--junit", o.junit, "write JUnit XML");
  gate->add_option("--threshold", o.threshold_pct, "slowdown in percent that fails")
      ->default_str("2");
  gate->add_option("--rounds", o.rounds, "default: by length")->check(CLI::Range(5, 10000));
  add_format(*gate, o.format);
  add_examples(*gate,
               "gate presets/suites/smoke.yaml --mode static --baseline baseline.yaml --update",
               "gate presets/suites/smoke.yaml --mode static --baseline baseline.yaml");
  gate->callback([&] { action = [&] { return run_gate(o, console); }; });
}

void add_device_verb(CLI::App& app, DeviceOptions& o, Action& action, Console& console) {
  CLI::App* const device = app.add_subcommand("device", "what the GPU or a preset offers");
  device->add_option("NAME", o.name, "cuda:N, a preset, or auto")->default_str("auto");
  add_format(*device, o.format);
  add_examples(*device, "device h200", "device h100 --format json");
  device->callback([&] { action = [&] { return run_device(o, console); }; });
}

std::vector<std::string> names_below(const CLI::App& level) {
  std::vector<std::string> names;
  for (const CLI::App* sub : level.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::string explain_unknown_flag(const CLI::App& app, const std::string& message) {
  const size_t at = message.find("--");
  if (at == std::string::npos) return message;
  const std::string flag = message.substr(at, message.find_first_of(" ='", at) - at);
  const CLI::App* level = &app;
  while (!level->get_subcommands().empty()) level = level->get_subcommands().front();
  std::vector<std::string> names;
  for (const CLI::Option* option : level->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return format("unknown option '{}'{}", flag, did_you_mean(flag, views));
}

// CLI11 says "The following argument was not expected" or "A subcommand is required"; people want
// to know which word was meant and which words there are. Empty when verb and subject are right.
std::string explain_words(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* level = &app;
  for (int i = 1;; ++i) {
    const std::vector<std::string> names = names_below(*level);
    if (names.empty() || level->get_require_subcommand_min() == 0) return {};
    if (i < argc && argv[i][0] == '-') {
      return explain_unknown_flag(app, format("unknown option '{}'", argv[i]));
    }
    const std::string what = level == &app ? "verb" : "subject";
    if (i >= argc) return format("a {} is missing; known are {}", what, join(names, ", "));
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (std::find(names.begin(), names.end(), argv[i]) == names.end()) {
      return format("unknown {} '{}'{}; known are {}", what, argv[i], did_you_mean(argv[i], views),
                    join(names, ", "));
    }
    level = level->get_subcommand(argv[i]);
  }
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv, Console& console) {
  CLI::App app("Tile-mapping analyzer and autotuner for GPU matrix multiplication.", "tilewright");
  app.require_subcommand(1);
  app.set_version_flag("--version", format("tilewright {}", kVersion));
  add_examples(app, "tune 4096x4096x4096 --device h200 -o best.yaml",
               "draw grid 13x10 --raster swizzle-merge:4 -o grid.svg");
  AnalyzeOptions analyze;
  DrawOptions draw;
  TuneOptions tune;
  BenchOptions bench;
  ProfileOptions profile;
  AccessOptions profile_access;
  BestOptions best;
  GateOptions gate;
  DeviceOptions device;
  Action action;
  add_analyze(app, analyze, action, console);
  add_draw(app, draw, action, console);
  add_tune(app, tune, action, console);
  add_bench(app, bench, action, console);
  add_profile(app, profile, profile_access, action, console);
  add_best(app, best, action, console);
  add_gate(app, gate, action, console);
  add_device_verb(app, device, action, console);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help, console.out, console.err);
    return ExitCode::Good;
  } catch (const CLI::ParseError& error) {
    const std::string word = explain_words(app, argc, argv);
    if (!word.empty()) throw usage_error(word);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
      throw usage_error(explain_unknown_flag(app, error.what()));
    }
    throw usage_error(error.what());
  }
  return action();
}

}  // namespace tilewright
