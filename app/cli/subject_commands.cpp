#include "cli/subject_commands.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/shared_options.hpp"
#include "layout/smem/tile_pattern.hpp"
#include "layout/text/layout_expression.hpp"
#include "layout/text/layout_report.hpp"
#include "model/accuracy.hpp"
#include "tile/config/decomposition.hpp"
#include "tile/config/group_schedule.hpp"
#include "tile/config/raster.hpp"
#include "tile/workload/product_kind.hpp"
#include "tile/workload/workload.hpp"
#include "verbs/sweep.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

// The subject answers with a report, which `answer` makes of its options.
void set_action(CLI::App& subject, Action& action, Console& console, const Format& form,
                const std::function<Report()>& answer) {
  subject.callback([&action, &console, &form, answer] {
    action = [&console, &form, answer] { return print(answer(), form, console); };
  });
}

// As set_action(), for an answer that is a picture and notes about it.
void set_picture(CLI::App& subject, Action& action, Console& console,
                 const std::function<Report()>& answer) {
  static constexpr Format kText = Format::Text;
  set_action(subject, action, console, kText, answer);
}

std::string raster_words() {
  return raster_spellings() +
         "; F, F2: width of a group in tiles, and of a group inside it; @m (the default) groups "
         "rows of tiles, @n columns";
}

void add_grid_options(CLI::App& subject, GridOptions& o) {
  subject
      .add_option("GRID", o.grid,
                  "tiles, MxN; with --from-harness, and for analyze --rank: a problem, MxNxK")
      ->required();
  subject
      .add_option(
          "--raster", o.raster,
          raster_words() + "; or file:PATH, the order m,n by slot (tilewright help rasters)")
      ->default_str("row");
  subject.add_option("--from-harness", o.harness,
                     "FILE[:axis=value,...]: the tiles and the order that a foreign kernel exports "
                     "(tilewright help harness)");
  subject.add_option("--device", o.device, "adds waves and memory traffic; with --cta and --k");
  subject.add_option("--cta", o.cta, "CTA tile, MxNxK elements");
  add_whole(subject, "--k", o.k, 1, kMaxSize, "inner dimension, elements");
  add_dtype(subject, o.dtype);
  subject.add_option("--cluster", o.cluster, "CTAs of a cluster, MxN")->default_str("1x1");
  add_whole(subject, "--ctas", o.ctas, 1, kMaxSize,
            "persistent CTAs (default: one for each multiprocessor)");
  add_parallel(subject, o.parallel, o.gpus);
  add_whole(subject, "--gpu", o.gpu, 0, tw::kMaxGpus - 1,
            "the GPU whose order of tiles it is, with --parallel");
  add_whole(subject, "--chunks", o.chunks, 1, 32, "blocks of rows of each GPU, with --parallel");
  add_parsed(subject, "--rank-order", o.rank_order, parse_rank_order,
             listed(kRankOrders) +
                 ": the order of blocks, with --parallel (tilewright help "
                 "parallel)")
      ->default_str("chunks");
}

void add_picture(CLI::App& subject, PictureOptions& o) {
  subject.add_option("-o,--output", o.output, "FILE.svg, .png or .pdf; '-' is SVG on stdout")
      ->required();
  add_look(subject, o.look);
}

void add_analyze_layout(CLI::App& analyze, LayoutOptions& o, Action& action, Console& console) {
  CLI::App* const layout =
      analyze.add_subcommand("layout", "sizes and offsets of a layout, and the algebra of layouts");
  layout->add_option("EXPR", o.expression, "(8,64):(64,1), or a call such as composition(A,B)")
      ->required();
  layout->add_option("--dtype", o.dtype, "element type such as f16: sizes also in bytes");
  layout->add_flag("--offsets", o.offsets, "list the offsets, first mode fastest");
  layout->add_option("--equal", o.equal,
                     "EXPR, or a Triton attribute: exit with code 1 if the layouts differ");
  layout->add_flag("--explain", o.explain, "derive the result step by step");
  layout->add_option("--dialect", o.dialect,
                     "print in the syntax of cute-cpp, cute-dsl, pycute, cutegen or triton");
  layout->add_option(
      "--access", o.access,
      "wavefronts of ldmatrix.x4, st.v4, ld.b32@col ... on the layout; needs --dtype");
  layout->add_option("--threads", o.threads, "thread-value layout of the copy for --access");
  layout->add_flag("--as-wgmma", o.as_wgmma,
                   "whether wgmma can read the layout, or the first stage of (M, K, stage), as an "
                   "operand, and if "
                   "not, why; needs --dtype");
  layout->add_flag("--linear", o.linear,
                   "the layout as a bit matrix over F2: each index bit flips bits of the offset");
  layout->add_flag("--show", o.show, "a small grid of the offsets");
  add_checks(*layout, o.checks, "footprint<=64");
  add_sweep(*layout, o.sweep, "s=64..96", "{s} in EXPR, --access or --threads",
            {"--offsets", "--explain", "--linear", "--show", "--equal"});
  add_format(*layout, o.format, "the format of the table of --sweep");
  add_examples(*layout, "analyze layout 'Sw<3,3,3> o 0 o (8,64):(64,1)'",
               "analyze layout --explain 'composition((6,2):(8,2), (4,3):(3,1))' --show");
  set_action(*layout, action, console, o.format, [&o, &console] {
    return o.sweep.range ? sweep_layout(o, console) : run_analyze_layout(read_layout_options(o));
  });
}

void add_schedule_options(CLI::App& subject, ScheduleOptions& o) {
  subject
      .add_option("PROBLEM", o.problem,
                  "MxNxK, or -m M -n N -k K; several separated by commas, or @FILE.yaml, are one "
                  "group, and BxMxNxK is a batch")
      ->required();
  subject.add_option(
      "--config", o.config,
      "key=value,... as for bench; tilewright chooses the other keys (tilewright help config)");
  subject.add_option("--cta", o.cta, "CTA tile, MxNxK elements; instead of --config");
  add_device(subject, o.device);
  add_dtype(subject, o.kind.dtype);
  subject.add_option("--layout", o.kind.layout, join_words(kMatrixLayouts, "or"))
      ->default_str("tn");
  add_whole(subject, "--ctas", o.ctas, 1, kMaxCtas,
            "CTAs of the launch (default: one for each multiprocessor)");
  subject.add_option("--cluster", o.cluster, "CTAs of a cluster, MxN")->default_str("1x1");
  subject.add_option("--raster", o.raster, raster_words() + " (tilewright help rasters)")
      ->default_str("row");
  std::string reductions;
  for (const tw::ReductionRecord& record : tw::kReductions) {
    reductions += format("{}{}", reductions.empty() ? "" : ", ", record.name);
  }
  subject
      .add_option("--decomposition", o.decomposition,
                  format("data-parallel, split-k:S[:REDUCTION], "
                         "stream-k[:two-tile|one-tile|all][:REDUCTION]; reductions: {} "
                         "(tilewright help decompositions, help reductions)",
                         reductions))
      ->default_str("data-parallel");
  add_parsed(subject, "--group-schedule", o.group_schedule, parse_group_schedule,
             listed(kGroupSchedules))
      ->default_str("device-only");
  add_parsed(subject, "--problem-order", o.problem_order, parse_problem_order,
             listed(kProblemOrders))
      ->default_str("given");
  add_scales(subject, o.kind.scale_a, o.kind.scale_b, o.kind.accumulate);
  subject.add_option("--op", o.kind.op, listed(op_names()))->default_str("gemm");
  subject
      .add_option("--uplo", o.kind.uplo,
                  "lower, upper: the triangle that is computed and stored; full: the whole of D, "
                  "one triangle mirrored")
      ->default_str("lower");
  add_parallel(subject, o.kind.parallel, o.kind.gpus);
  add_sms(subject, o.kind.sms);
  subject.add_flag("--plain", o.plain,
                   "triangles: launch the whole square; CTAs outside of the triangle exit early");
  add_parsed(subject, "--emulate", o.emulation, parse_emulation,
             "cutlass3-grouped: reproduce a fault of that scheduler, which the proof finds");
  subject.add_option(
      "--from", o.from,
      "FILE of cta,problem,m,n,k_begin,k_end in CSV or JSON, '-' is stdin: the work list of "
      "another scheduler; with --cta; exit code 1 unless every k-step is computed exactly once");
}

void add_analyze_schedule(CLI::App& analyze, ScheduleOptions& o, Action& action, Console& console) {
  CLI::App* const schedule = analyze.add_subcommand(
      "schedule", "which CTA computes which work, with a proof that the schedule is complete");
  add_schedule_options(*schedule, o);
  schedule->add_flag("--assignments", o.assignments, "list the work of every CTA");
  schedule->add_flag("--table", o.table,
                     "list the table that the host precomputes, or each step of the device's "
                     "search for a problem of the group");
  add_parsed(*schedule, "--invariant-with", o.invariant_with, parse_config,
             "key=value,...: exit with code 1 unless this config adds the terms of every element "
             "in the same order, so that both write the same bits");
  add_checks(*schedule, o.checks, "imbalance<1.1");
  add_sweep(*schedule, o.sweep, "splits=1..32",
            "factor, splits, ctas, m, n, k, cta.m, cta.n, cta.k, a number of --config such as "
            "stages, or {NAME} in the other arguments",
            {"--assignments", "--table", "--invariant-with"});
  add_format(*schedule, o.format, "the format of the table of --sweep");
  add_examples(*schedule,
               "analyze schedule 1152x768x128,1152x768x1024 --cta 128x128x64 --device a100 "
               "--problem-order k-descending",
               "analyze schedule 1024x1024x32768 --cta 128x256x64 --device h200 "
               "--decomposition split-k:4:serial-tma --format json");
  set_action(*schedule, action, console, o.format, [&o, &console] {
    return o.sweep.range ? sweep_schedule(o, console)
                         : run_analyze_schedule(read_schedule_request(o));
  });
}

void add_analyze_pad(CLI::App& analyze, PadOptions& o, Action& action, Console& console) {
  CLI::App* const pad = analyze.add_subcommand(
      "pad", "what rows further apart, or sizes padded with zeros, would gain");
  pad->add_option("PROBLEM", o.problem, "MxNxK, or -m M -n N -k K")->required();
  add_device(*pad, o.device);
  add_kind(*pad, o.kind);
  add_checks(*pad, o.checks, "best_time_pct>95");
  add_format(*pad, o.format, "the ways to pad");
  add_examples(*pad, "analyze pad 4096x4096x588 --device h200",
               "analyze pad 4096x4100x4096 --device h200 --layout nn --format json");
  set_action(*pad, action, console, o.format, [&o] { return run_analyze_pad(o); });
}

void add_analyze_grid(CLI::App& analyze, GridOptions& o, Action& action, Console& console) {
  CLI::App* const grid = analyze.add_subcommand("grid", "which slot computes which output tile");
  add_grid_options(*grid, o);
  grid->add_flag("--order", o.order, "list the tile of every slot");
  grid->add_flag("--rank", o.rank, "rank all rasters for the problem MxNxK; needs --cta")
      ->excludes(grid->get_option("--raster"));
  add_whole(*grid, "--top", o.top, 1, 100000, "number of rasters that --rank lists");
  add_checks(*grid, o.checks, "waste_pct<5");
  add_sweep(*grid, o.sweep, "factor=1..64",
            "factor, m, n, k, ctas, cta.m, cta.n, cta.k, or {NAME} in the other arguments",
            {"--order", "--rank"});
  add_format(*grid, o.format, "the format of the table of --rank or --sweep");
  add_examples(*grid, "analyze grid 13x10 --raster split-merge:4",
               "analyze grid 8192x8192x8192 --rank --cta 128x256x64 --device h200 --top 5");
  set_action(*grid, action, console, o.format, [&o, &console] {
    return o.rank          ? run_rank_grid(read_rank_request(o), console)
           : o.sweep.range ? sweep_grid(o, console)
                           : run_analyze_grid(read_grid_request(o));
  });
}

void add_analyze_access(CLI::App& analyze, AccessOptions& o, Action& action, Console& console) {
  CLI::App* const access =
      analyze.add_subcommand("access", "wavefronts or sectors of warp instructions");
  add_accesses(*access, o);
  add_space(*access, o.space);
  access->add_flag("--show", o.show, "words by bank, phase by phase");
  add_checks(*access, o.checks, "wavefronts<=4");
  add_format(*access, o.format);
  add_examples(*access, "analyze access --op ldmatrix.x1 --addresses 0,128,256,384,512,640,768,896",
               "analyze access --op ldmatrix.x1 --addresses 0,144,288,432,576,720,864,1008 "
               "--show --check 'wavefronts<=1'");
  set_action(*access, action, console, o.format,
             [&o] { return run_analyze_access(read_access_request(o)); });
}

void add_swizzle_options(CLI::App& swizzle, SwizzleOptions& o) {
  swizzle.add_option("--tile", o.tile, "ROWSxCOLS elements, row-major")->required();
  swizzle.add_option("--dtype", o.dtype, "f64, f32, f16, bf16, e4m3, i8, ...")->default_str("f16");
  add_whole(swizzle, "--vector", o.vector, 1, 128,
            "elements that stay together (default: the widest access)");
  swizzle.add_option("--write", o.write,
                     "st.v4 along rows, st.b32@col down columns, stmatrix.x4, ..., or tma: only "
                     "the swizzle modes of a tensor map; without it the read alone counts");
  swizzle.add_option("--read", o.read, "ldmatrix.x4[.trans], ld.v4, ld.b32@col, ...");
  swizzle.add_option(
      "--swizzle", o.swizzle,
      "B,M,S in elements: cost this swizzle only; without --write and --read: show its periods");
}

void add_analyze_swizzle(CLI::App& analyze, SwizzleOptions& o, Action& action, Console& console) {
  CLI::App* const swizzle = analyze.add_subcommand(
      "swizzle", "the swizzle and the padding that minimize the wavefronts of a tile");
  add_swizzle_options(*swizzle, o);
  add_whole(*swizzle, "--top", o.top, 1, 100000, "candidates listed");
  swizzle->add_flag("--show", o.show, "where the vectors of each row lie");
  add_checks(*swizzle, o.checks, "read_wavefronts<=4");
  add_sweep(*swizzle, o.sweep, "rows=8..64", "rows, cols, vector, or {NAME} in the other arguments",
            {"--show"});
  add_format(*swizzle, o.format, "the format of the table of --sweep");
  add_examples(
      *swizzle,
      "analyze swizzle --dtype f16 --tile 8x64 --vector 8 --write st.v4 --read ldmatrix.x4",
      "analyze swizzle --dtype f32 --tile 32x16 --vector 1 --write st.b32 "
      "--read ld.b32@col --swizzle 4,0,5 --show");
  set_action(*swizzle, action, console, o.format, [&o, &console] {
    return o.sweep.range ? sweep_swizzle(o, console) : run_analyze_swizzle(o);
  });
}

void add_nested_options(CLI::App& nested, NestedOptions& o) {
  nested.add_option("TEXT", o.text, "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], ...>")
      ->required();
  nested.add_option("--shape", o.shape, "shape of the vector, such as 64x64, to verify against");
  add_whole(nested, "--subgroup-size", o.workgroup.subgroup_size, 1, 65536,
            "threads (default: the smallest power of two that the thread strides ask for, at least "
            "the product of the thread tile); where a subgroup ends within the thread tile, thread "
            "numbers continue over the workgroup, as in IREE's compiler, and the lint thread-ids "
            "shows what its documentation states instead");
  add_whole(nested, "--subgroups", o.workgroup.subgroups, 1, 65536,
            "subgroups of the hardware (default: the number that the subgroup strides ask for)");
  add_whole(nested, "--thread", o.thread, 0, 65535, "list the elements of this thread");
}

void add_analyze_nested(CLI::App& analyze, NestedOptions& o, Action& action, Console& console) {
  CLI::App* const nested =
      analyze.add_subcommand("nested", "an IREE nested layout: which thread holds which element");
  add_nested_options(*nested, o);
  nested->add_option("--access", o.access,
                     "ld.v4, st.b32, ...: cost of a copy of the row-major vector; needs --dtype");
  add_parsed(*nested, "--dtype", o.element_bytes, parse_element_bytes,
             "element type such as f16, with --access");
  add_space(*nested, o.space, ", with --access");
  nested->add_flag("--levels", o.levels,
                   "the vector level by level, divided over subgroups and threads");
  nested->add_flag("--show", o.show, "the thread of each element");
  add_checks(*nested, o.checks, "uncovered==0");
  add_sweep(*nested, o.sweep, "b=1..8", "{b} in TEXT, --shape or --access", {"--levels", "--show"});
  add_format(*nested, o.format, "the format of the table of --sweep");
  add_examples(*nested,
               "analyze nested 'nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
               "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
               "subgroup_strides = [1, 0], thread_strides = [1, 16]>' --thread 16",
               "analyze nested 'subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], "
               "thread_tile = [1, 1], element_tile = [1, 1], subgroup_strides = [1, 4], "
               "thread_strides = [0, 0]' --subgroups 4 --show");
  set_action(*nested, action, console, o.format, [&o, &console] {
    return o.sweep.range ? sweep_nested(o, console) : run_analyze_nested(read_nested_request(o));
  });
}

// Accepts "3,5", "(3,5)" and an index.
IntTuple parse_element(const std::string& text) {
  const bool bare = text.find(',') != std::string::npos && text.front() != '(';
  return parse_int_tuple(bare ? format("({})", text) : text);
}

void add_draw_grid(CLI::App& draw, GridOptions& o, Action& action, Console& console) {
  CLI::App* const grid = draw.add_subcommand("grid", "the path, waves and overhang of the raster");
  add_grid_options(*grid, o);
  add_parsed(*grid, "--color", o.color, parse_grid_color,
             "slot, wave, l2 or owner (default: owner with --parallel, wave with a device or "
             "--ctas)");
  grid->add_option("--versus", o.versus, "a second raster, drawn beside the first");
  grid->add_option("--tiles", o.tiles, "m0:m1,n0:n1: draw these tiles only; half-open ranges");
  add_picture(*grid, o.picture);
  add_examples(*grid, "draw grid 13x10 --raster split-merge:4 -o grid.svg",
               "draw grid 64x32 --raster swizzle-merge:8 --device h200 --cta 128x256x64 --k 8192 "
               "--color l2 -o grid.png");
  set_picture(*grid, action, console, [&o] { return run_draw_grid(read_draw_grid_request(o)); });
}

void add_draw_schedule(CLI::App& draw, DrawScheduleOptions& o, Action& action, Console& console) {
  CLI::App* const schedule =
      draw.add_subcommand("schedule", "which CTA computes which work, and the predicted timeline");
  add_schedule_options(*schedule, o.schedule);
  add_parsed(*schedule, "--view", o.look.view, parse_schedule_view,
             "grid, k-bars or gantt (default: gantt, below grids or divided tiles)");
  add_parsed(*schedule, "--color", o.look.color, parse_unit_color,
             "cta, wave or product of a group (default: cta up to 8 CTAs, else wave)");
  schedule->add_option("--versus", o.versus,
                       "key=value,...: a second schedule, drawn beside the first, such as "
                       "raster=hilbert,decomposition=stream-k");
  add_picture(*schedule, o.picture);
  add_examples(*schedule,
               "draw schedule 256x256x512,256x256x512 --cta 128x128x64 --op syr2k --plain --ctas 8 "
               "--device h200 --versus plain=no -o schedule.svg",
               "draw schedule 1024x1024x8192 --cta 128x256x64 --device h200 "
               "--decomposition stream-k -o stream-k.png");
  set_picture(*schedule, action, console,
              [&o] { return run_draw_schedule(read_draw_schedule_request(o)); });
}

void add_draw_trace(CLI::App& draw, DrawTraceOptions& o, Action& action, Console& console) {
  CLI::App* const trace = draw.add_subcommand(
      "trace", "the timeline of profile --trace, beside the predicted one; needs no GPU");
  trace->add_option("FILE", o.file, "JSON of profile --trace; '-' is stdin")->required();
  trace
      ->add_option("--device", o.device,
                   "the device of the prediction: cuda:N, a preset such as h200, or auto")
      ->default_str("auto");
  add_picture(*trace, o.picture);
  add_examples(*trace, "draw trace trace.json --device h200 -o trace.svg",
               "draw trace trace.json --device h100 -o trace.png");
  set_picture(*trace, action, console, [&o] { return run_draw_trace(o); });
}

void add_draw_layout(CLI::App& draw, DrawLayoutOptions& o, Action& action, Console& console) {
  CLI::App* const layout = draw.add_subcommand("layout", "offsets, banks or threads of a layout");
  const auto drawn = [&o](const std::string& text) { return read_drawn_layout(text, o.named); };
  const auto second = [](const std::string& text) {
    return as_layout(read_layout(text), "--versus");
  };
  add_parsed(*layout, "EXPR", o.layout, drawn, "(8,64):(64,1), or a call such as composition(A,B)")
      ->required();
  add_parsed(*layout, "--versus", o.versus, second, "a second EXPR, drawn beside the first");
  add_parsed(*layout, "--color", o.color, parse_cell_color,
             "value, bank or thread (default: bank with --dtype)");
  add_parsed(*layout, "--dtype", o.element_bytes, parse_element_bytes,
             "element type: f64, f32, f16, bf16, e4m3, i8, ...");
  add_parsed(*layout, "--element", o.element, parse_element,
             "coordinate or index to outline, such as 3,5");
  add_parsed(
      *layout, "--tv", o.tv, parse_thread_value_tile,
      "MxN: EXPR maps (thread, value) to m + n * M; show the thread and value of each element "
      "(default: the tile of a tiled MMA)");
  add_whole(*layout, "--thread", o.thread, 0, 1 << 20, "the thread to outline, with --tv");
  add_picture(*layout, o.picture);
  add_examples(*layout, "draw layout '((2,4),(2,2)):((1,4),(2,16))' -o layout.svg",
               "draw layout '(8,64):(64,1)' --versus 'Sw<3,3,3> o 0 o (8,64):(64,1)' --dtype f16 "
               "-o swizzled.png");
  set_picture(*layout, action, console, [&o] { return run_draw_layout(o); });
}

void add_draw_access(CLI::App& draw, AccessOptions& o, Action& action, Console& console) {
  CLI::App* const access = draw.add_subcommand("access", "lanes by bank, phase by phase");
  add_accesses(*access, o);
  add_space(*access, o.space);
  add_picture(*access, o.picture);
  add_examples(*access,
               "draw access --op ldmatrix.x1 --addresses 0,128,256,384,512,640,768,896 "
               "-o access.svg",
               "draw access --op ldmatrix.x1 --addresses 0,144,288,432,576,720,864,1008 "
               "-o padded.png");
  set_picture(*access, action, console,
              [&o] { return run_draw_access(read_access_request(o), o.picture); });
}

void add_draw_swizzle(CLI::App& draw, SwizzleOptions& o, Action& action, Console& console) {
  CLI::App* const swizzle =
      draw.add_subcommand("swizzle", "banks of a tile before and after the best swizzle");
  add_swizzle_options(*swizzle, o);
  add_picture(*swizzle, o.picture);
  add_examples(*swizzle,
               "draw swizzle --dtype f16 --tile 8x64 --vector 8 --write st.v4 --read ldmatrix.x4 "
               "-o swizzle.svg",
               "draw swizzle --dtype f32 --tile 32x32 --vector 1 --write st.b32 "
               "--read ld.b32@col -o transpose.png");
  set_picture(*swizzle, action, console, [&o] { return run_draw_swizzle(o); });
}

void add_draw_nested(CLI::App& draw, NestedOptions& o, Action& action, Console& console) {
  CLI::App* const nested =
      draw.add_subcommand("nested", "an IREE nested layout: the thread of each element");
  add_nested_options(*nested, o);
  add_whole(*nested, "--subgroup", o.subgroup, 0, 65535,
            "the thread whose slice of the vector is drawn");
  add_picture(*nested, o.picture);
  add_examples(*nested,
               "draw nested 'nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
               "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
               "subgroup_strides = [1, 0], thread_strides = [1, 16]>' --thread 16 -o nested.svg",
               "draw nested 'subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], "
               "thread_tile = [1, 1], element_tile = [1, 1], subgroup_strides = [1, 4], "
               "thread_strides = [0, 0]' --subgroups 4 -o uncovered.png");
  set_picture(*nested, action, console, [&o] {
    return run_draw_nested({read_nested_request(o), o.subgroup, o.picture});
  });
}

std::string prediction_errors() {
  std::string text =
      "Predictions on an H200, on shapes that were not fitted to; error in the median\n"
      "and for nine in ten, and the order's correlation with the measured one:\n"
      "              times          DRAM reads     order\n";
  for (const Accuracy& row : kAccuracy) {
    text += format("  {:<10}{:>4.1f} %, {:>2.0f} %    {:>3.1f} %, {:>2.0f} %    {:.2f}\n",
                   row.shape_class, row.time_median_pct, row.time_most_pct, row.reads_median_pct,
                   row.reads_most_pct, row.order);
  }
  return text;
}

}  // namespace

void add_analyze(CLI::App& app, AnalyzeOptions& o, Action& action, Console& console) {
  CLI::App* const analyze = app.add_subcommand("analyze", "numbers about a mapping; needs no GPU");
  analyze->require_subcommand(1);
  add_examples(*analyze, "analyze grid 13x10 --raster swizzle-merge:4",
               "analyze grid 64x32 --raster swizzle-merge --device h200 --cta 128x256x64 --k 8192 "
               "--sweep factor=1..16 -o sweep.svg");
  add_notes(*analyze, prediction_errors());
  add_analyze_grid(*analyze, o.grid, action, console);
  add_analyze_schedule(*analyze, o.schedule, action, console);
  add_analyze_pad(*analyze, o.pad, action, console);
  add_analyze_access(*analyze, o.access, action, console);
  add_analyze_layout(*analyze, o.layout, action, console);
  add_analyze_nested(*analyze, o.nested, action, console);
  add_analyze_swizzle(*analyze, o.swizzle, action, console);
}

void add_draw(CLI::App& app, DrawOptions& o, Action& action, Console& console) {
  CLI::App* const draw = app.add_subcommand("draw", "the same subjects as a diagram");
  draw->require_subcommand(1);
  add_examples(*draw, "draw grid 13x10 --raster swizzle-merge:4 -o grid.svg",
               "draw grid 13x10 --raster split-merge:4 -o grid.png");
  add_draw_grid(*draw, o.grid, action, console);
  add_draw_schedule(*draw, o.schedule, action, console);
  add_draw_access(*draw, o.access, action, console);
  add_draw_layout(*draw, o.layout, action, console);
  add_draw_swizzle(*draw, o.swizzle, action, console);
  add_draw_nested(*draw, o.nested, action, console);
  add_draw_trace(*draw, o.trace, action, console);
}

}  // namespace tilewright
