// The whole command line: adds the verbs, and explains words that it cannot parse.

#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/file_commands.hpp"
#include "cli/gate_commands.hpp"
#include "cli/help_marks.hpp"
#include "cli/help_topics.hpp"
#include "cli/shared_options.hpp"
#include "cli/subject_commands.hpp"
#include "cli/verb_help.hpp"
#include "request/options.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

void add_regime(CLI::App& verb, Regime& regime) {
  add_parsed(verb, "--regime", regime, parse_regime,
             "the state of L2 before a timed launch: rotate: data of other launches on other "
             "operands; hot: data of the same launch; cold: none of the operands, because a "
             "sweep overwrites L2")
      ->default_str(std::string(kRegimes[0]));
}

void add_tune(CLI::App& app, TuneOptions& o, Action& action, Console& console) {
  CLI::App* const tune =
      app.add_subcommand("tune", "enumerate, predict, run, verify, and choose the best config");
  tune->add_option("PROBLEM", o.problems, format("{}; or @FILE.yaml; repeatable", kProblemForms));
  tune->add_option(
          "--device", o.device,
          "cuda:N, all (all GPUs of the host), a preset such as h200, a device file, or auto: the "
          "first GPU; if a launcher starts several ranks, each takes the GPU of its local rank")
      ->default_str("auto");
  add_kind(*tune, o.kind);
  tune->add_option("-o,--output", o.output,
                   "the artefact, best.yaml; it keeps its answers of other problems");
  tune->add_flag("--overwrite", o.overwrite, "start with an empty -o; pinned rows stay");
  tune->add_option("--config", o.config,
                   "key=value,...: search only configs with these values (tilewright help config)");
  tune->add_option(
      "--incumbent", o.incumbent,
      "a config as tune prints it: it stays the choice unless another config is faster");
  tune->add_option("--store", o.store,
                   "append every measurement to FILE.jsonl as soon as it is made");
  tune->add_flag("--resume", o.resume,
                 "continue the run of --store that had the same options, and skip the problems "
                 "that any rank has answered");
  tune->add_option("--rank", o.rank,
                   "R/N: this is process R of N; it tunes its share of the problems and writes "
                   "FILE.rank-RofN.jsonl, which merge joins; default: the variables of mpirun or "
                   "srun (OMPI_COMM_WORLD_*, PMI_*, SLURM_*)");
  tune->add_option("--replay", o.replay,
                   "compare search strategies on the times in a store; no kernel runs");
  CLI::Option* const dispatch = tune->add_option(
      "--dispatch", o.dispatch,
      "BEST.yaml: time its winners at PROBLEMs that are not tuned (default: at some between each "
      "two tuned ones), and record in -o which config is best in which range");
  tune->add_option(
          "--pin-library", o.pin_library,
          "BEST.yaml: time the tuned config of each product, or of PROBLEMs, beside the algorithms "
          "of the loaded cuBLASLt, and record the fastest one of that version in -o")
      ->excludes(dispatch);
  tune->add_option("--harness", o.harness,
                   "FILE[:axis=value,...]: search the parameters of a foreign kernel, a shared "
                   "library or a manifest of cubins (tilewright help harness)");
  add_race(*tune, o.race);
  add_parsed(*tune, "--strategy", o.strategy, parse_strategy,
             "model, exhaustive, random or local (default: model; with --replay: all four)");
  add_parsed(*tune, "--budget", o.budget, parse_budget,
             "60s or a number of configs, for each problem; the final comparison follows and "
             "is not counted");
  add_parsed(*tune, "--objective", o.objective, parse_objective,
             "what to minimize: time, energy (joules of a launch) or edp, their product")
      ->default_str(std::string(kObjectives[0]));
  add_regime(*tune, o.regime);
  add_shared(*tune, o.shared);
  add_parsed(*tune, "--require", o.require, parse_requirement,
             "deterministic: the same bits in every run; batch-invariant: a row of D has the same "
             "bits at every M (batch-invariant:decomposition=split-k:2:serial: by that order of "
             "sums); export:cutlass, export:triton or "
             "export:nvfuser: only configs that best --export can express in that format");
  tune->add_flag("--dry-run", o.dry_run, "print how many configs each rule rejects, and stop");
  tune->add_flag_callback(
      "--no-counters", [&o] { o.counters = false; }, "do not read hardware counters");
  add_whole(*tune, "--top", o.top, 1, 1000, "rows of the table for each problem");
  add_rounds(*tune, o.rounds,
             "rounds of the final comparison (default: depends on the kernel's time)");
  add_whole(*tune, "--seed", o.seed, 0, std::numeric_limits<int64_t>::max(),
            "seed of the operands and of the order of rounds");
  add_format(*tune, o.format, "the columns of the tables");
  add_examples(*tune, "tune 4096x4096x4096 --device h200 -o best.yaml",
               "tune 8192x1280x8192 --device h200 --config cluster=2x1 --dry-run");
  add_notes(*tune, artefact_uses());
  tune->callback([&] {
    action = [&] {
      const TuneRequest request = read_tune(o);
      const auto verb = [&](const ReportSink& show) { return run_tune(request, show, console); };
      Console shown = beside_document(o.output, console);
      return print_parts(verb, o.format, shown);
    };
  });
}

void add_bench(CLI::App& app, BenchOptions& o, Action& action, Console& console) {
  CLI::App* const bench = app.add_subcommand("bench", "compare named configs, no search");
  bench->add_option("PROBLEM", o.problem, format("{}; or @FILE.yaml", kProblemForms))->required();
  bench->add_option("--config", o.configs, "key=value,...; repeatable for one problem");
  bench->add_option("--harness", o.harnesses,
                    "FILE[:axis=value,...]: a foreign kernel, a shared library or a manifest of "
                    "cubins (tilewright help harness); repeatable");
  bench->add_option(
      "--from", o.from,
      "best.yaml: run each problem with its tuned config; a file of vLLM's or SGLang's "
      "launch parameters: the values of --harness, from the row of the nearest M");
  add_whole(*bench, "--top-k", o.top_k, 1, kMaxProducts,
            "with such a file of experts: the experts that a token goes to, so that M rows of a "
            "group are M / TOP_K tokens");
  add_parsed(
      *bench, "--against", o.against, parse_references,
      "cublaslt, or cublas with its grouped product: its best algorithm runs in the same rounds");
  add_device(*bench, o.device);
  add_kind(*bench, o.kind);
  add_rounds(*bench, o.rounds, "default: depends on the kernel's time");
  add_regime(*bench, o.regime);
  add_parsed(
      *bench, "--beside", o.beside, parse_beside,
      "copy[:K] or collective[:K]: a kernel that moves data on K multiprocessors runs during "
      "the rounds, and its rate is shown; collective: the local part of an all-reduce, no "
      "link is used (tilewright help parallel; default: K is what --sms leaves, or 32)");
  add_shared(*bench, o.shared);
  bench->add_flag("--counters", o.counters,
                  "measure the DRAM traffic of each config after the rounds, and show it beside "
                  "the predicted traffic");
  add_sweep(*bench, o.sweep, "k=64..4096*2",
            "m, n, k, or {NAME} in PROBLEM: plot the configs' times, and their ratios to the first "
            "config's time",
            {"--from", "--against", "--counters", "--beside"});
  add_format(*bench, o.format, "the table");
  add_examples(*bench,
               "bench 4096x4096x4096 --config raster=row --config raster=swizzle-merge:8 "
               "--device h200",
               "bench @presets/problems/quickstart.yaml --from presets/tuned/h200.yaml "
               "--device h200");
  bench->callback([&] {
    action = [&] {
      const BenchRequest request = read_bench(o);
      return print(request.sweep ? sweep_bench(request, console) : run_bench(request, console),
                   o.format, console);
    };
  });
}

void add_profile_access(CLI::App& profile, AccessOptions& o, Action& action, Console& console) {
  CLI::App* const access = profile.add_subcommand(
      "access", "wavefronts of one warp instruction: counter beside prediction");
  add_accesses(*access, o);
  add_device(*access, o.device);
  add_checks(*access, o.checks, "measured<=4");
  add_format(*access, o.format);
  add_examples(*access, "profile access --op ldmatrix.x1 --addresses 0,128,256,384,512,640,768,896",
               "profile access --op ldmatrix.x1 --addresses 0,144,288,432,576,720,864,1008 "
               "--format json");
  access->callback(
      [&] { action = [&] { return print(run_profile_access(o, console), o.format, console); }; });
}

void add_profile(CLI::App& app, ProfileOptions& o, AccessOptions& access, Action& action,
                 Console& console) {
  CLI::App* const profile =
      app.add_subcommand("profile", "hardware counters beside their predictions");
  profile->add_option("PROBLEM", o.problem, std::string(kProblemForms));
  profile->add_option("--config", o.config,
                      "key=value,...; tilewright chooses the keys that are not given");
  profile->add_option("--harness", o.harness,
                      "FILE[:axis=value,...]: counters of a foreign kernel, without a trace");
  profile->add_option("--trace", o.trace,
                      "record the kernel's trace beside the predicted timeline: FILE.json ('-' is "
                      "stdout) for Perfetto, or FILE.svg, .png or .pdf");
  add_look(*profile, o.picture.look);
  add_device(*profile, o.device);
  add_kind(*profile, o.kind);
  add_regime(*profile, o.regime);
  add_format(*profile, o.format, "the table");
  add_examples(*profile, "profile 4096x4096x4096 --config raster=swizzle-merge:8 --device h200",
               "profile 4096x4096x4096 --config cta=128x256x64 --device h200 --format json");
  add_profile_access(*profile, access, action, console);
  profile->callback([&, profile] {
    if (!profile->get_subcommands().empty()) return;
    action = [&] {
      Console shown = beside_document(o.trace, console);
      return print(run_profile(read_profile(o), console), o.format, shown);
    };
  });
}

void add_best(CLI::App& app, BestOptions& o, Action& action, Console& console) {
  CLI::App* const best = app.add_subcommand(
      "best", "look up a winner; for a product that was not tuned, choose one of the winners");
  best->add_option("PROBLEM", o.problem, std::string(kProblemForms))->required();
  CLI::Option* const from = best->add_option("--from", o.from, "the artefact");
  from->default_str("best.yaml");
  add_kind(*best, o.kind);
  best->add_option(
          "--among", o.among,
          "artefacts: print which kernel the library that ship makes from them uses, for any size")
      ->excludes(from);
  add_race(*best, o.race);
  add_device(*best, o.device);
  best->add_flag("--pin", o.pin,
                 "write this answer to the artefact; tune and merge keep it there; --config gives "
                 "another config");
  best->add_option("--config", o.config,
                   "with --pin: key=value,...; tilewright chooses the keys that are not given");
  add_parsed(*best, "--export", o.export_as, parse_best_export,
             "config, yaml or json; cpp: a header with all winners; cutlass: a profiler "
             "command; triton: a list of configs; nvfuser: a plugin of its scheduler; vllm: files "
             "of launch parameters from tune --harness, for PROBLEM or @FILE.yaml; groups are "
             "layers of experts")
      ->default_str("config");
  best->add_option("-o,--output", o.output, "with --export vllm: the folder of the files");
  add_whole(*best, "--top-k", o.top_k, 1, kMaxProducts,
            "with --export vllm: the experts that a token goes to, so that M rows of a group are "
            "M / TOP_K tokens");
  best->add_flag("--down", o.is_down,
                 "with --top-k: the groups are the second products of their layers, hidden x N; "
                 "default: the first, 2N x hidden");
  add_examples(*best, "best 4096x4096x4096 --from best.yaml",
               "best 1000x4096x4096 --among best.yaml --export json");
  add_notes(*best, artefact_uses());
  best->callback([&] {
    action = [&] { return print(run_best(read_best(o), console), Format::Text, console); };
  });
}

void add_ship(CLI::App& app, ShipOptions& o, Action& action, Console& console) {
  CLI::App* const ship =
      app.add_subcommand("ship", "write the winners as a library that other programs call");
  ship->add_option("BEST", o.files, "best.yaml; repeatable")->required();
  ship->add_option("-o,--output", o.output,
                   "the folder: absent, empty, or an earlier shipment, which is replaced")
      ->required();
  ship->add_option("--name", o.name, "of the library; the names of its functions begin with it")
      ->default_str("tuned");
  ship->add_option_function<std::vector<std::string>>(
      "--for",
      [&o](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) o.ranges.push_back(parse_product_range(text));
      },
      "precompute the answers of a range: 'm=1..8192 of {m}x4096x4096'; repeatable");
  ship->add_option("--license", o.license,
                   "an SPDX licence expression, which every generated "
                   "file names");
  ship->add_flag("--no-library", o.no_library, "never call cuBLASLt, not even where it was faster");
  add_examples(*ship, "ship best.yaml -o shipped --name mygemm",
               "ship best.yaml -o shipped --for 'm=1..64 of {m}x4096x4096'");
  ship->callback(
      [&] { action = [&] { return print(run_ship(o, console), Format::Text, console); }; });
}

void add_device_verb(CLI::App& app, DeviceOptions& o, Action& action, Console& console) {
  CLI::App* const device = app.add_subcommand("device", "properties of the GPU or of a preset");
  device
      ->add_option("NAME", o.name,
                   "cuda:N, a preset (h200x2: two on one host), a device file, or auto; list: all")
      ->default_str("auto");
  device->add_option("ACTION", o.action,
                     "calibrate: measure the model's rates on the GPU; doctor: check the host");
  device->add_option("-o,--output", o.output,
                     "the device file that calibrate writes; --device takes it");
  device->add_flag("--links", o.links,
                   "of calibrate: measure the links between this host's GPUs instead, which need "
                   "peer access");
  add_format(*device, o.format, "the format of the table of list");
  add_examples(*device, "device h200", "device h100 --format json");
  device->callback([&] {
    action = [&] { return print(run_device(read_device(o), console), o.format, console); };
  });
}

void add_help(CLI::App& app, std::string& topic, Action& action, Console& console) {
  std::string names;
  for (const HelpTopic& t : help_topics()) {
    names += format("{}{}", names.empty() ? "" : ", ", t.name);
  }
  CLI::App* const help =
      app.add_subcommand("help", "the words of the options explained, with drawings");
  help->add_option("TOPIC", topic, names);
  add_examples(*help, "help rasters", "help exit-codes");
  help->callback([&] { action = [&] { return run_help(topic, console); }; });
}

// Hidden: tune, bench, profile and gate start it to run kernels on a GPU.
void add_worker(CLI::App& app, WorkerOptions& o, Action& action) {
  CLI::App* const worker =
      app.add_subcommand("worker", "run kernels on a GPU for another tilewright process");
  worker->group("");
  worker->add_option("--device", o.device, "cuda:N or host")->required();
  worker->add_option("--seed", o.seed, "seed of the operands")->required();
  add_parsed(*worker, "--regime", o.regime, parse_regime, "the state of L2 before a launch");
  add_parsed(*worker, "--beside", o.beside, parse_beside, "what runs beside the launches");
  worker->callback([&] { action = [&] { return run_worker(o); }; });
}

// Hidden: cmake --install writes these files beside the program.
void add_shell_files(CLI::App& app, std::string& kind, Action& action, Console& console) {
  CLI::App* const files = app.add_subcommand(
      "shell-file", "write a man page or a completion of bash, zsh or fish to stdout");
  files->group("");
  files->add_option("KIND", kind, "man, bash, zsh or fish")->required();
  files->callback([&] {
    action = [&] {
      console.out << shell_file(command_tree(app), kind);
      return ExitCode::Good;
    };
  });
}

// Hidden: shells ask what the last of the words may become.
constexpr std::string_view kComplete = "complete";
ExitCode complete(const CLI::App& app, const std::vector<std::string>& words, Console& console) {
  for (const std::string& word : completions(command_tree(app), words)) console.out << word << '\n';
  return ExitCode::Good;
}

std::vector<std::string> names_below(const CLI::App& level) {
  std::vector<std::string> names;
  for (const CLI::App* sub : level.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  }
  return names;
}

// The innermost verb or subject that the arguments name, and the words up to it.
const CLI::App& innermost(const CLI::App& app, std::string& words) {
  const CLI::App* level = &app;
  words = app.get_name();
  while (!level->get_subcommands().empty()) {
    level = level->get_subcommands().front();
    words += ' ' + level->get_name();
  }
  return *level;
}

std::string explain_extra(const CLI::App& app, const std::string& message) {
  std::string words;
  const CLI::App& level = innermost(app, words);
  const size_t at = message.find("--");
  if (at == std::string::npos) {
    constexpr std::string_view kBefore = "expected: ";
    const size_t extra = message.find(kBefore);
    if (extra == std::string::npos) return message;
    return format("unexpected '{}'; '{} --help' lists the options",
                  message.substr(extra + kBefore.size()), words);
  }
  const std::string flag = message.substr(at, message.find_first_of(" ='", at) - at);
  std::vector<std::string> names;
  for (const CLI::Option* option : level.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return format("unknown option '{}'{}", flag, did_you_mean(flag, views));
}

// CLI11's message about an option's value, as a sentence for people.
std::string explain_values(const std::string& message) {
  constexpr std::string_view kConversion = "Could not convert: ";
  if (message.rfind(kConversion, 0) == 0) {
    const size_t equals = message.find(" = ");
    return format("{} does not take '{}'",
                  message.substr(kConversion.size(), equals - kConversion.size()),
                  message.substr(equals + 3));
  }
  constexpr std::string_view kExcludes = " excludes ";
  if (const size_t excludes = message.find(kExcludes); excludes != std::string::npos) {
    return format("{} and {} exclude each other: omit one of them", message.substr(0, excludes),
                  message.substr(excludes + kExcludes.size()));
  }
  const size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  const std::string option = message.substr(0, colon);
  if (message.find(": At Most ") == colon) return format("{} is given more than once", option);
  if (message.ends_with(" missing")) return format("{} needs a value", option);
  return message;
}

// CLI11's messages are "The following argument was not expected" and "A subcommand is required".
// This text names the wrong word and the known ones instead. Empty when verb and subject are right.
std::string explain_words(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* level = &app;
  for (int i = 1;; ++i) {
    const std::vector<std::string> names = names_below(*level);
    if (names.empty() || level->get_require_subcommand_min() == 0) return {};
    if (i < argc && argv[i][0] == '-') {
      return explain_extra(app, format("unknown option '{}'", argv[i]));
    }
    const std::string what = level == &app ? "verb" : "subject";
    if (i >= argc) return format("a {} is missing; the choices are {}", what, join(names, ", "));
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::vector<const CLI::App*> named =
        level->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == argv[i]; });
    if (named.empty()) {
      return format("unknown {} '{}'{}; the choices are {}", what, argv[i],
                    did_you_mean(argv[i], views), join(names, ", "));
    }
    level = named.front();
  }
}

}  // namespace

ExitCode run_command_line(int argc, const char* const* argv, Console& console) {
  CLI::App app("Tile-mapping analyzer and autotuner for GPU matrix multiplication.", "tilewright");
  app.require_subcommand(1);
  app.formatter(help_formatter(console));
  app.set_version_flag("-V,--version", format("tilewright {}", kVersion));
  add_examples(app, "tune 4096x4096x4096 --device h200 -o best.yaml",
               "draw grid 13x10 --raster swizzle-merge:4 -o grid.svg");
  AnalyzeOptions analyze;
  DrawOptions draw;
  TuneOptions tune;
  BenchOptions bench;
  ProfileOptions profile;
  AccessOptions profile_access;
  BestOptions best;
  ShipOptions ship;
  MergeOptions merge;
  RecordOptions record;
  ReportOptions report;
  GateOptions gate;
  DeviceOptions device;
  WorkerOptions worker;
  std::string topic;
  std::string shell_file_kind;
  Action action;
  add_analyze(app, analyze, action, console);
  add_draw(app, draw, action, console);
  add_tune(app, tune, action, console);
  add_bench(app, bench, action, console);
  add_profile(app, profile, profile_access, action, console);
  add_best(app, best, action, console);
  add_ship(app, ship, action, console);
  add_merge(app, merge, action, console);
  add_record(app, record, action, console);
  add_report(app, report, action, console);
  add_gate(app, gate, action, console);
  add_device_verb(app, device, action, console);
  add_help(app, topic, action, console);
  add_worker(app, worker, action);
  add_shell_files(app, shell_file_kind, action, console);
  group_options(app);
  // Before the parser, which refuses unfinished words.
  if (argc > 1 && argv[1] == kComplete) return complete(app, {argv + 2, argv + argc}, console);
  std::string problem;
  const std::vector<const char*> own = without_command(argc, argv, record.behind);
  const std::vector<const char*> given =
      with_race_length(with_problem(static_cast<int>(own.size()), own.data(), problem));
  argc = static_cast<int>(given.size());
  argv = given.data();
  refuse_empty_values(app);
  refuse_empty_assignments(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help, console.out, console.err);
    return ExitCode::Good;
  } catch (const CLI::ParseError& error) {
    const std::string word = explain_words(app, argc, argv);
    if (!word.empty()) throw usage_error(word);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
      throw usage_error(explain_extra(app, error.what()));
    }
    // An unknown option is reported before a missing one.
    std::string words;
    const std::vector<std::string> extra = innermost(app, words).remaining();
    if (!extra.empty() && extra.front().rfind('-', 0) == 0) {
      throw usage_error(explain_extra(app, "not expected: " + extra.front()));
    }
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
      throw usage_error(format("{}; '{} --help' lists the options", error.what(), words));
    }
    throw usage_error(explain_values(error.what()));
  }
  return action();
}

}  // namespace tilewright
