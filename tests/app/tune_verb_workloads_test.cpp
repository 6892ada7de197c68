// Groups and rank-k updates in the verbs: tuned, answered by best, and run by bench and gate.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/fake_device.hpp"
#include "app/outcome.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "record/document.hpp"
#include "store/best_table.hpp"
#include "support/error_message.hpp"
#include "support/fake_backend.hpp"
#include "tile/config/config_keys.hpp"
#include "verbs/bench_verb.hpp"
#include "verbs/tune_verb.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::Outcome;

// A temporary folder, removed by the destructor.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / format("tilewright-workloads-{}", ::getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

const std::string kGroup = "700x1024x512,0x1024x512,9x1024x512";
const std::string kPermuted = "9x1024x512,700x1024x512,0x1024x512";

Workload group() {
  return {.shapes = parse_shapes(kGroup, MatrixOp::Gemm)};
}

Workload update() {
  Workload made;
  made.op = MatrixOp::Syr2k;
  made.uplo = Uplo::Upper;
  made.shapes = {{1024, 1024, 512}};
  return made;
}

Outcome tuned(const std::string& output, const ResolvedDevice& device,
              const std::string& store = "") {
  TuneOptions options;
  options.problems = {kPermuted};  // the share is what is tuned
  options.output = output;
  options.store = store;
  options.rounds = 20;
  options.config = "stages=4,schedule=cooperative,cluster=1x1";
  return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
    return tune_problems(read_tune(options), share_of({group(), update()}), {device}, show,
                         console);
  });
}

Outcome best(const std::string& problem, const std::string& from, const KindOptions& kind = {}) {
  BestOptions options;
  options.problem = problem;
  options.from = from;
  options.kind = kind;
  return testing::printed(Format::Text,
                          [&](Console& console) { return run_best(read_best(options), console); });
}

KindOptions upper_syr2k() {
  KindOptions kind;
  kind.op = "syr2k";
  kind.uplo = "upper";
  return kind;
}

TEST_CASE("a tuned group answers for every order of its rows, an update only for its triangle") {
  const Folder folder;
  const std::string from = folder.file("best.yaml");
  const Outcome outcome = tuned(from, testing::fake_gpu());
  CHECK(outcome.code == ExitCode::Good);
  CHECK(contains(outcome.out, "problem_order=lpt: "));
  CHECK(contains(outcome.out, "references: reference algorithm 0"));
  const Artefact artefact = load_best(from);
  REQUIRE(artefact.entries.size() == 2);
  const std::string choice = to_string(artefact.entries[0].choice) + "\n";
  CHECK(best(kGroup, from).out == choice);
  const Outcome permuted = best(kPermuted, from);
  CHECK(permuted.out == choice);
  CHECK(contains(permuted.err,
                 "tuned for another distribution of this layer's rows: 3 products of 0 to 700"));
  CHECK(best("700x1024x512,0x1024x512", from).code == ExitCode::No);
  // A single product is not a routing of the group, and the file has no winner of its kind.
  CHECK(contains(best("709x1024x512", from).err, "fallback: the model's best config"));
  CHECK(best("1024x1024x512", from, upper_syr2k()).out ==
        to_string(artefact.entries[1].choice) + "\n");
  KindOptions lower = upper_syr2k();
  lower.uplo = "lower";
  CHECK(contains(best("1024x1024x512", from, lower).err, "fallback: the model's best config"));
  const std::string text = read_file(from);
  CHECK(contains(text, "op: syr2k\n    uplo: upper\n    alpha: 1\n    beta: 0\n"));
  CHECK(contains(text, "total_rows: 709"));
}

TEST_CASE("the records of a group and an update resume, and merge into the same answers") {
  const Folder folder;
  const std::string store = folder.file("store.jsonl");
  const Outcome outcome = tuned(folder.file("best.yaml"), testing::fake_gpu(), store);
  CHECK(outcome.code == ExitCode::Good);
  TuneOptions options;
  options.problems = {kPermuted};
  options.store = store;
  options.resume = true;
  options.rounds = 20;
  options.config = "stages=4,schedule=cooperative,cluster=1x1";
  const Outcome again =
      testing::shown(options.format, [&](const ReportSink& show, Console& console) {
        return tune_problems(read_tune(options), share_of({group(), update()}),
                             {testing::fake_gpu()}, show, console);
      });
  CHECK(contains(again.err, "holds the answers already; kept"));
  CHECK(outcome.out.ends_with(again.out));
  MergeOptions merge;
  merge.stores = {store};
  merge.output = folder.file("merged.jsonl");
  merge.best = folder.file("merged.yaml");
  const Outcome merged =
      testing::printed(Format::Text, [&](Console& console) { return run_merge(merge, console); });
  CHECK(merged.code == ExitCode::Good);
  CHECK(load_best(merge.best).entries == load_best(folder.file("best.yaml")).entries);
}

TEST_CASE("bench runs a group with the config that was tuned for another routing of its layer") {
  const Folder folder;
  BenchOptions options;
  options.problem = "1x1x1";
  options.from = folder.file("best.yaml");
  options.format = Format::Json;
  tuned(options.from, testing::fake_gpu());
  Workload permuted = group();
  permuted.shapes = parse_shapes(kPermuted, MatrixOp::Gemm);
  Workload lower = update();
  lower.uplo = Uplo::Lower;
  const Outcome outcome = testing::printed(options.format, [&](Console& console) {
    BenchRequest request = read_bench(options);
    request.workloads = {group(), permuted, update(), lower};
    return bench_on(testing::fake_preset(), request, console);
  });
  CHECK(contains(outcome.err, "1 of 4 problems are not in"));
  const auto problems = Document::parse(outcome.out).at("problems");
  const auto row = [&problems](size_t i) { return problems.at(i).at("rows").at(0); };
  CHECK(row(0).at("requested") == "tuned");
  CHECK(contains(row(1).at("requested").get<std::string>(), "tuned for 3 products"));
  CHECK(row(1).at("effective") == row(0).at("effective"));
  CHECK(row(2).at("requested") == "tuned");
  CHECK(row(3).at("requested") == "predicted best");
}

TEST_CASE("all references' times are printed; those of cublas/ only against cublas") {
  class Grouped : public testing::FakeRunner {
   public:
    std::vector<Contender> reference_contenders() override {
      std::vector<Contender> all = FakeRunner::reference_contenders();
      all[1].name = "cublas/grouped";
      return all;
    }
  };
  const auto open = [] { return std::make_unique<Grouped>(); };
  const ResolvedDevice device{.spec = testing::h200(),
                              .gpu_index = 0,
                              .backend = std::make_shared<testing::FakeHost>(open),
                              .why_no_gpu = ""};
  BenchOptions options;
  options.problem = "1x1x1";
  options.configs = {"stages=4"};
  options.format = Format::Json;
  const auto run = [&](const std::string& against) {
    options.against = parse_references(against);
    return Document::parse(testing::printed(options.format, [&](Console& console) {
                             BenchRequest request = read_bench(options);
                             request.workloads = {group()};
                             return bench_on(device, request, console);
                           }).out);
  };
  const auto both = run("cublas");
  CHECK(both.at("references").size() == 3);
  CHECK(both.at("baseline").at("name") == "cublas/grouped");
  CHECK(both.at("references").at(1).at("median_us") == both.at("baseline").at("median_us"));
  const auto loops = run("cublaslt");
  CHECK(loops.at("references").size() == 2);
  CHECK(loops.at("baseline").at("name") == "reference algorithm 0");
}

TEST_CASE("a gate of groups and triangles needs no GPU, and takes their tuned configs") {
  const Folder folder;
  GateOptions options;
  options.suite = folder.file("suite.yaml");
  options.baseline = folder.file("baseline.yaml");
  options.mode = GateMode::Static;
  options.from = folder.file("best.yaml");
  tuned(options.from, testing::fake_preset());
  write_file(options.suite, "schema: tilewright.suite/1\ncases:\n  - {name: experts, problem: \"" +
                                kPermuted +
                                "\"}\n  - {name: update, problem: 1024x1024x512, op: syr2k, uplo: "
                                "upper}\n");
  const auto gate = [&] {
    return testing::shown(options.format, [&](const ReportSink& show, Console& console) {
      return run_gate(read_gate(options), show, console, testing::no_backend);
    });
  };
  options.update = true;
  CHECK(gate().code == ExitCode::Good);
  options.update = false;
  const Outcome same = gate();
  CHECK(same.code == ExitCode::Good);
  CHECK(contains(same.out, "2 pass"));
  const Artefact artefact = load_best(options.from);
  CHECK(contains(read_file(options.baseline), to_string(artefact.entries[0].choice)));
  // Worse configs than the tuned ones.
  options.from.clear();
  write_file(options.suite,
             "schema: tilewright.suite/1\ncases:\n  - {name: experts, problem: \"" + kPermuted +
                 "\", config: \"cta=64x64x64,stages=3,cluster=1x1\"}\n  - {name: update, problem: "
                 "1024x1024x512, op: syr2k, uplo: upper, config: "
                 "\"cta=64x64x64,stages=3,cluster=1x1\"}\n");
  const Outcome worse = gate();
  CHECK(worse.code == ExitCode::No);
  CHECK(contains(worse.out, "2 regression"));
}

TEST_CASE("a product across GPUs is tuned by prediction, and what is of one GPU refuses it") {
  TuneOptions options;
  options.problems = {"4096x4096x14336"};
  options.device = "h200x2";
  options.kind.parallel = Collective::ReduceScatter;
  options.kind.gpus = 2;
  const Folder folder;
  options.output = folder.file("best.yaml");
  const Outcome outcome =
      testing::shown(options.format, [&](const ReportSink& show, Console& console) {
        return run_tune(read_tune(options), show, console);
      });
  CHECK(outcome.code == ExitCode::Good);
  const Artefact artefact = load_best(options.output);
  REQUIRE(artefact.entries.size() == 1);
  const TuneEntry& entry = artefact.entries.front();
  CHECK(entry.problem.parallel == Parallel{Collective::ReduceScatter, 2});
  CHECK(entry.choice.family == Family::Sm90);
  const auto why = [&options](const auto& change) {
    TuneOptions other = options;
    change(other);
    return testing::error_message_of([&other] { read_tune(other); });
  };
  CHECK(contains(why([](TuneOptions& o) { o.device = "all"; }), "--device all is for products"));
  CHECK(contains(why([](TuneOptions& o) { o.dispatch = "x.yaml"; }), "--dispatch is for products"));
  CHECK(contains(why([](TuneOptions& o) { o.kind.gpus = 1; }), "give --gpus"));
}

}  // namespace
}  // namespace tilewright
