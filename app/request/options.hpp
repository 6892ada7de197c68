// The options of each verb: app/cli fills these structs, and the requests read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/answer_range.hpp"
#include "base/check_expression.hpp"
#include "base/limits.hpp"
#include "base/sweep.hpp"
#include "draw/grid_diagram.hpp"
#include "draw/layout_diagram.hpp"
#include "draw/picture.hpp"
#include "draw/schedule_diagram.hpp"
#include "draw/thread_value_diagram.hpp"
#include "gate/gate.hpp"
#include "host/console.hpp"
#include "layout/smem/access_op.hpp"
#include "layout/text/nested_report.hpp"
#include "search/beside.hpp"
#include "search/budget.hpp"
#include "search/requirement.hpp"
#include "search/result.hpp"
#include "search/runner.hpp"
#include "search/strategy.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/config/group_schedule.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {

/// The maximum of a size in elements, and of the number of CTAs in a grid.
constexpr int64_t kMaxSize = 2'147'483'647;

/// The memories that accesses can be costed in.
enum class MemorySpace { Shared, Global };
inline constexpr std::string_view kSpaces[] = {"shared", "global"};

/// Options of every picture.
struct PictureOptions {
  std::string output;  // FILE.{svg,png,pdf}; empty: no picture
  PictureLook look;
};

/// `--sweep` of every subject of analyze.
struct SweepOptions {
  std::optional<SweepRange> range;   // none: no sweep
  std::vector<std::string> metrics;  // numbers to show; empty: the subject's default
  PictureOptions picture;            // empty output: none
};

/// What analyze grid and draw grid take as it is given.
struct GridSettings {
  bool order = false;
  int64_t k = 0;  // elements, with a device
  DataType dtype = DataType::BF16;
  int64_t ctas = 0;  // persistent CTAs; 0: one per multiprocessor
  std::vector<CheckExpression> checks;
};

/// `analyze grid` and, with `picture`, `draw grid`.
struct GridOptions : GridSettings {
  std::string grid;          // MxN in tiles; with `rank` a problem, MxNxK
  std::string raster;        // empty: row
  std::string harness = {};  // FILE[:axis=value,...] with a problem's mapping; empty: none
  std::string device;        // empty: no device columns
  std::string cta;           // MxNxK, with a device
  std::string cluster = "1x1";
  Collective parallel = Collective::None;
  int64_t gpus = 1;  // this and the next three with `parallel`
  int64_t gpu = 0;
  int64_t chunks = 1;                   // blocks of rows of each GPU
  std::optional<RankOrder> rank_order;  // none: chunks
  bool rank = false;
  int64_t top = 20;    // rasters listed with `rank`
  SweepOptions sweep;  // analyze
  Format format = Format::Text;
  std::optional<GridColor> color;  // draw; none: wave where there are CTAs, else slot
  std::string versus;              // draw: a second raster beside it; empty: none
  std::string tiles;               // draw: m0:m1,n0:n1, the part to draw; empty: all
  PictureOptions picture;          // draw
};

/// `analyze access`, `profile access` and, with `picture`, `draw access`: warp instructions by
/// their byte addresses.
struct AccessOptions {
  AccessOp op;
  std::string addresses;  // a0,...,a31
  std::string file;       // CSV, one warp instruction a line; "-" is stdin
  MemorySpace space = MemorySpace::Shared;
  std::string device = "auto";  // profile
  bool show = false;
  std::vector<CheckExpression> checks;
  Format format = Format::Text;
  PictureOptions picture;
};

/// What analyze layout takes as it is given.
struct LayoutSettings {
  bool as_wgmma = false;
  bool offsets = false;
  bool explain = false;
  bool linear = false;
  bool show = false;
  std::vector<CheckExpression> checks;
  Format format = Format::Text;
};

/// `analyze layout`.
struct LayoutOptions : LayoutSettings {
  std::string expression;
  std::string dtype;    // empty: sizes in elements only
  std::string dialect;  // empty: canonical
  std::string equal;    // another expression; empty: none
  std::string access;   // a TilePattern to cost over the layout; empty: none
  std::string threads;  // thread-value layout of the copy that `access` is part of; empty: none
  SweepOptions sweep;
};

/// `analyze swizzle` and, with `picture`, `draw swizzle`.
struct SwizzleOptions {
  std::string tile;  // RxC elements, row-major
  std::string dtype = "f16";
  int64_t vector = 0;   // elements that move as one; 0: the widest access
  std::string write;    // a TilePattern
  std::string read;     // likewise
  std::string swizzle;  // B,M,S to cost; empty: solve
  int64_t top = 8;      // candidates and paddings listed
  bool show = false;
  std::vector<CheckExpression> checks;
  SweepOptions sweep;  // analyze
  Format format = Format::Text;
  PictureOptions picture;
};

/// What analyze nested and draw nested take as it is given.
struct NestedSettings {
  Workgroup workgroup;  // zeros: as the layout's strides ask for
  int64_t thread = -1;  // list its elements; -1: none
  bool levels = false;  // the vector level by level
  bool show = false;
  std::vector<CheckExpression> checks;
};

/// `analyze nested` and, with `picture`, `draw nested`.
struct NestedOptions : NestedSettings {
  std::string text;       // the attribute
  std::string shape;      // the vector's, to verify against; empty: any
  int64_t subgroup = -1;  // draw: its slice of the vector; -1: all
  std::string access;     // instruction of a copy of the row-major vector; empty: none
  int element_bytes = 0;  // with access; 0: not given
  MemorySpace space = MemorySpace::Shared;
  SweepOptions sweep;  // analyze
  Format format = Format::Text;
  PictureOptions picture;
};

/// `draw layout`.
struct DrawLayoutOptions {
  ComposedLayout layout;
  std::optional<ComposedLayout> versus;  // a second layout
  std::optional<CellColor> color;        // none: bank with a type, else value
  int element_bytes = 0;                 // 0: unknown
  std::optional<IntTuple> element;       // coordinate or index to outline
  std::optional<ThreadValueTile> tv;     // a thread-value layout over that tile
  std::optional<ThreadValueTile> named;  // the tile that the layout's text names
  int64_t thread = -1;                   // to outline, with tv; -1: none
  PictureOptions picture;
};

/// Everything about a problem except its sizes.
struct KindOptions {
  std::string dtype = "bf16";
  std::string out_dtype;  // empty: the same as dtype
  std::string layout = "tn";
  bool bias = false;
  std::string epilogue = {};  // for example gelu(bias); empty: none
  std::string scale_a = {};   // such as tensor; empty: none
  std::string scale_b = {};
  std::string accumulate = {};  // empty: fast
  std::string scale_d = {};
  bool absmax = false;
  std::string op = "gemm";
  std::string uplo = {};  // triangle of rank-k updates; empty: lower
  Collective parallel = Collective::None;
  int64_t gpus = 1;  // that share the product
  int64_t sms = 0;   // multiprocessors that the launch keeps to; 0: all
};

/// What analyze pad takes as it is given.
struct PadOptions {
  std::string problem;  // MxNxK
  KindOptions kind = {};
  std::string device = "auto";
  std::vector<CheckExpression> checks;
  Format format = Format::Text;
};

/// What analyze schedule and draw schedule take as it is given.
struct ScheduleSettings {
  std::optional<GroupSchedule> group_schedule;  // none: the config's, or device-only
  std::optional<ProblemOrder> problem_order;    // none: the config's, or given
  Emulation emulation = Emulation::None;        // a scheduler with a known fault to reproduce
  bool plain = false;
  int64_t ctas = 0;  // 0: one per multiprocessor
  bool assignments = false;
  bool table = false;
  std::optional<ConfigRequest> invariant_with;  // a config that must add in the same order
  std::vector<CheckExpression> checks;
};

/// `analyze schedule`.
struct ScheduleOptions : ScheduleSettings {
  std::string problem;  // MxNxK[,MxNxK...]
  KindOptions kind = {};
  std::string config;  // key=value,...; empty: `cta` and the next ones
  std::string cta;
  std::string cluster;        // with `cta`; empty: 1x1
  std::string raster;         // likewise; empty: row
  std::string decomposition;  // likewise; empty: data-parallel
  std::string device = "auto";
  std::string from;    // file with every CTA's work; empty: the config decides it
  SweepOptions sweep;  // analyze
  Format format = Format::Text;
};

/// How many kernels race where --race names no number.
inline constexpr int64_t kUsualRace = 8;

/// What tune takes as it is given; an empty path stands for no file.
struct TuneSettings {
  std::string device = "auto";
  std::string output;       // best.yaml
  std::string store;        // FILE.jsonl to which all records are appended
  std::string replay;       // store: its recorded times replace measurements
  std::string dispatch;     // best.yaml: its winners are timed at the problems
  std::string pin_library;  // best.yaml: its configs are timed beside cuBLASLt
  Regime regime = Regime::Rotate;
  bool resume = false;  // from the store's records
  bool shared = false;  // measures although other processes use the GPU
  bool dry_run = false;
  bool overwrite = false;  // begins `output` anew
  bool counters = true;
  int64_t top = 5;     // rows per problem in the printed table
  int64_t rounds = 0;  // of the final comparison; 0: chosen by the kernel's length
  int64_t race = 0;    // the length of a short list that races in place of a search; 0: a search
  Requirement require;
  std::optional<Strategy> strategy;  // none: the model's; with `replay` all
  Budget budget;
  Objective objective = Objective::Time;
};

struct TuneOptions : TuneSettings {
  std::vector<std::string> problems;  // MxNxK or @FILE.yaml
  KindOptions kind = {};
  std::string config;     // keys that every candidate must have
  std::string incumbent;  // a whole config that wins ties; empty: none
  std::string rank;       // "R/N"; empty: from the launcher's variables
  std::string harness;    // foreign kernel to search, FILE[:axis=value,...]; empty: our kernels
  int64_t seed = 1;
  Format format = Format::Text;
};

struct ReferenceLibraries;

struct BenchOptions {
  std::string problem;
  std::string device = "auto";
  KindOptions kind = {};
  std::vector<std::string> configs;
  std::vector<std::string> harnesses = {};  // FILE[:axis=value,...]
  std::string from;   // best.yaml with the configs, or a file of vLLM's; empty: none
  int64_t top_k = 0;  // of a layer's file: the experts that a token goes to; 0: none
  const ReferenceLibraries* against = nullptr;  // null: no library runs
  int64_t rounds = 0;
  bool counters = false;
  SweepOptions sweep;
  Regime regime = Regime::Rotate;
  std::optional<Beside> beside = {};  // runs while launches are timed
  bool shared = false;                // measures although other processes use the GPU
  Format format = Format::Text;
};

/// What profile takes as it is given.
struct ProfileSettings {
  std::string device = "auto";
  std::string trace;       // the kernel's own trace, JSON or a picture; empty: none
  PictureOptions picture;  // of the trace
  Regime regime = Regime::Rotate;
};

struct ProfileOptions : ProfileSettings {
  std::string problem;  // empty with `profile access`
  KindOptions kind = {};
  std::string config;
  std::string harness;  // foreign kernel, FILE[:axis=value,...]; empty: ours
  Format format = Format::Text;
};

/// The values of `best --export`, in the order of BestExport.
inline constexpr std::string_view kExports[] = {"config",  "yaml",   "json",    "cpp",
                                                "cutlass", "triton", "nvfuser", "vllm"};
enum class BestExport { Config, Yaml, Json, Cpp, Cutlass, Triton, Nvfuser, Vllm };

/// What best takes as it is given; all strings are paths.
struct BestSettings {
  std::string from = "best.yaml";
  BestExport export_as = BestExport::Config;
  std::string output = {};      // folder of BestExport::Vllm; empty: none
  int64_t top_k = 0;            // of BestExport::Vllm: experts of a token; 0: no groups
  bool is_down = false;         // likewise: groups are the second products of layers
  bool pin = false;             // writes the answer as pinned into `from`
  std::string device = "auto";  // on which a race runs
  int64_t race = 0;  // if the product was not tuned, so many kernels race; 0: nothing runs
  // Artefacts, instead of `from`: the answer is the kernel that a library of all of them would
  // choose.
  std::vector<std::string> among = {};
};

struct BestOptions : BestSettings {
  std::string problem;
  KindOptions kind = {};
  std::string config = {};  // with pin: the answer from now on; empty: unchanged
};

struct ShipOptions {
  std::vector<std::string> files;  // artefacts and histories
  std::string output;
  std::string name = "tuned";
  std::vector<ProductRange> ranges;
  std::string license;      // an SPDX licence expression
  bool no_library = false;  // the shipped code never calls cuBLASLt
};

struct ReportOptions {
  std::vector<std::string> files;  // best.yaml, a history, a store, a sweep, a trace
  std::string output;              // FILE.html
  std::string device = "auto";     // the device that a trace is compared with
};

struct MergeOptions {
  std::vector<std::string> stores;
  std::string output;  // the joined store; empty: none
  std::string best;    // artefact for the stores' answers; empty: none

  bool overwrite = false;  // begins `best` anew
};

struct RecordOptions {
  std::vector<std::string> command;  // a program and its arguments, where there is no "--"
  std::vector<std::string> behind;   // the same behind "--"
  std::string output;                // FILE.yaml
};

struct WorkerOptions {
  std::string device;
  uint64_t seed = 0;
  Regime regime = Regime::Rotate;
  std::optional<Beside> beside = {};
};

/// The values of `gate --mode` and `gate --annotations`.
inline constexpr std::string_view kGateModes[] = {"auto", "static", "baseline", "ab", "reference"};
inline constexpr std::string_view kAnnotations[] = {"github"};

/// The values of `gate trend --export`, in the order of TrendExport.
inline constexpr std::string_view kTrendExports[] = {"otava", "bmf"};
enum class TrendExport { Otava, Bencher };

struct GateTrendOptions {
  std::string history;
  std::optional<TrendExport> export_as = {};
  Format format = Format::Text;
};

struct GateBisectOptions {
  std::string suite;
  std::string good;  // a commit, as is `bad`
  std::string bad;
  std::vector<std::string> build;                // a command, its program first
  std::string program = "build/bin/tilewright";  // relative to a worktree, or a full path
  std::vector<std::string> cases;                // names from the suite; empty: all
  std::string device = "auto";
  GateMode mode = GateMode::Static;     // or Ab: by rounds beside GOOD's build
  std::string log;                      // JSON lines with the answers; empty: none
  std::optional<double> threshold_pct;  // of ab; overrides the suite's
  int64_t rounds = 0;                   // of ab; 0: by the kernels' length
  Format format = Format::Text;
};

/// What gate takes as it is given; an empty path stands for no file.
struct GateSettings {
  std::string suite;          // or a folder of vLLM's files
  std::string baseline;       // none for --mode reference and --self-check
  std::string against_build;  // folder or file with the other builds of harnesses
  bool update = false;
  bool self_check = false;
  std::optional<GateMode> mode;  // none: Baseline on a GPU, else Static
  std::string device = "auto";
  std::string from;                // best.yaml with the tuned configs; empty: the suite's own
  std::string junit;               // XML file; "-": stdout instead of the report
  std::string summary;             // markdown file, likewise
  bool annotates = false;          // for GitHub
  std::vector<std::string> cases;  // names from the suite; empty: all
  std::string history;             // JSON lines
  bool promote = false;            // records the improved cases
  bool accept_model = false;       // records the cases that a new model changed
  bool allow_new = false;          // a run that compared nothing may pass
  bool shared = false;             // measures although other processes use the GPU
  int64_t rounds = 0;
  int64_t hidden = 0;  // of experts' files in a folder: the layer's elements of a token; 0: none
  int64_t top_k = 0;   // likewise, the experts that a token goes to
};

struct GateOptions : GateSettings {
  std::string harness = {};             // of a folder, FILE[:axis=value,...]; empty: none
  std::optional<double> threshold_pct;  // overrides the suite's; without both: 1
  Format format = Format::Text;
  GateTrendOptions trend = {};  // of the subcommand `trend`
  GateBisectOptions bisect = {};
};

/// The actions of the verb device.
inline constexpr std::string_view kDeviceActions[] = {"calibrate", "doctor"};

struct DeviceOptions {
  std::string name = "auto";
  std::string action;  // one of kDeviceActions; empty: shows the device
  std::string output;  // device file of calibrate; empty: none
  bool links = false;  // of calibrate: links between GPUs instead of the other rates
  Format format = Format::Text;
};

/// `draw schedule`.
struct DrawScheduleOptions {
  ScheduleOptions schedule;
  std::string versus;  // "key=value,...": a second schedule with these changes; empty: none
  ScheduleLook look;
  PictureOptions picture;
};

/// `draw trace`.
struct DrawTraceOptions {
  std::string file;             // JSON of profile --trace; "-" is stdin
  std::string device = "auto";  // the device of the prediction
  PictureOptions picture;
};

}  // namespace tilewright
